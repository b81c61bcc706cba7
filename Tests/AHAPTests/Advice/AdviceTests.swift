// SPDX-License-Identifier: Apache-2.0

import JSONText
import PublishedPatterns
import Testing

@testable import AHAP

/// Advice is given where a design is weak, at its place, and only there.
struct AdviceTests {
  private func document(
    _ events: [HapticEvent], parameters: [DynamicParameter] = [], curves: [ParameterCurve] = []
  ) -> AHAPDocument {
    let marked = events.enumerated().map { index, event in
      var event = event
      let place = JSONPosition(offset: index, line: index + 1, column: 2)
      event.source = SourceMark(place)
      return event
    }
    return AHAPDocument(
      pattern: HapticPattern(events: marked, parameters: parameters, curves: curves),
      diagnostics: [], omittedDiagnostics: 0)
  }

  /// The codes and lines of the findings.
  private func told(_ document: AHAPDocument, rules: AdviceRules = AdviceRules()) -> [String] {
    Advice.findings(for: document, rules: rules).map { "\($0.code.rawValue):\($0.position.line)" }
  }

  private func taps(_ taps: [(time: Double, intensity: Double)]) -> [HapticEvent] {
    taps.map {
      HapticEvent(
        kind: .hapticTransient, time: $0.time,
        parameters: EventParameters(intensity: $0.intensity, sharpness: 0.5))
    }
  }

  private func vibration(
    _ time: Double, _ duration: Double, _ intensity: Double = 0.5
  ) -> HapticEvent {
    HapticEvent(
      kind: .hapticContinuous, time: time, duration: duration,
      parameters: EventParameters(intensity: intensity, sharpness: 0.5))
  }

  private func sound(_ time: Double) -> HapticEvent {
    HapticEvent(kind: .audioCustom, time: time, waveformPath: "a.wav")
  }

  private let weakRow = [(1.0, 0.3), (1.08, 0.8), (1.16, 0.8)]

  @Test func `a weak first tap of a quick row is told at that tap`() throws {
    let file = document([vibration(0, 0.1)] + taps(weakRow))
    let finding = try #require(Advice.findings(for: file).first)
    #expect(finding.code == .weakFirstTap && finding.severity == .note)
    #expect(finding.position.line == 2)
    #expect(
      finding.message == "the first of 3 quick taps is weaker (0.3) than the second (0.8) and may "
        + "not be felt; make it stronger or put a primer before it")
  }

  @Test(arguments: [
    // As strong as the next; slower than a row; too few; a texture.
    [(1.0, 0.7), (1.08, 0.8), (1.16, 0.8)], [(1.0, 0.3), (1.11, 0.8), (1.22, 0.8)],
    [(1.0, 0.3), (1.08, 0.8)], (0..<13).map { (1 + Double($0) * 0.08, $0 == 0 ? 0.3 : 0.8) },
  ])
  func `a row that starts well or is none passes`(row: [(Double, Double)]) {
    #expect(told(document(taps(row))) == [])
  }

  @Test func `a primer helps, be it a tap just before or a vibration`() {
    #expect(told(document(taps([(0.98, 0.2)] + [(1.0, 0.8), (1.08, 0.8), (1.16, 0.8)]))) == [])
    #expect(told(document([vibration(0.8, 0.15, 0.2)] + taps(weakRow))) == [])
    #expect(told(document([vibration(0.8, 0.05, 0.2)] + taps(weakRow))) == ["AHAP101:2"])
  }

  @Test func `a first tap is as strong as its control lets it be`() {
    let even = taps([(1.0, 0.8), (1.08, 0.8), (1.16, 0.8)])
    let step = { (time: Double, value: Double, order: Int) in
      DynamicParameter(id: .hapticIntensity, time: time, value: value, order: order)
    }
    #expect(told(document(even, parameters: [step(0, 0.4, 1), step(1.05, 1, 2)])) == ["AHAP101:1"])
    // Of two at one time the later in the file counts.
    #expect(
      told(document(even, parameters: [step(0, 1, 2), step(0, 0.4, 1), step(1.05, 1, 3)])) == [])
    let ramp = ParameterCurve(
      id: .hapticIntensity, time: 0.5,
      points: [.init(time: 0, value: 0), .init(time: 1, value: 1)])
    #expect(told(document(even, curves: [ramp])) == [])
    let steep = ParameterCurve(
      id: .hapticIntensity, time: 0.96,
      points: [.init(time: 0, value: 0), .init(time: 0.2, value: 1)])
    #expect(told(document(even, curves: [steep])) == ["AHAP101:1"])
  }

  // The sound leads on the left of 0, where the bound is halved.
  @Test(arguments: [
    (-0.06, false), (-0.03, true), (-0.006, true), (-0.004, false), (0, false), (0.009, false),
    (0.011, true), (0.05, true), (0.06, false),
  ])
  func `a sound that starts a little apart from the haptics is told`(
    offset: Double, isTold: Bool
  ) {
    let file = document(taps([(1, 0.8)]) + [sound(1 + offset)])
    #expect(told(file) == (isTold ? ["AHAP102:2"] : []))
  }

  @Test func `a sound amid several haptic starts belongs to none of them`() {
    #expect(told(document(taps([(1, 1), (1.04, 1)]) + [sound(1.02)])) == [])
    #expect(told(document(taps([(1, 1)]) + [vibration(1, 0.5), sound(1.02)])) == ["AHAP102:3"])
  }

  @Test func `a vibration at full strength under a tap leaves no headroom`() {
    #expect(told(document([vibration(0, 1, 1)] + taps([(0.5, 0.8)]))) == ["AHAP103:1"])
    #expect(told(document([vibration(0, 1, 0.8)] + taps([(0.5, 0.8)]))) == [])
    #expect(told(document([vibration(0, 1, 1)] + taps([(1, 0.8)]))) == [])
    let half = DynamicParameter(id: .hapticIntensity, time: 0.2, value: 0.5)
    #expect(
      told(document([vibration(0, 1, 1)] + taps([(0.5, 0.8)]), parameters: [half])) == [])
    #expect(
      told(document([vibration(0, 1, 1)] + taps([(0.1, 0.8)]), parameters: [half]))
        == ["AHAP103:1"])
  }

  @Test func `a vibration that fades by its decay leaves headroom`() {
    var fading = vibration(0, 1, 1)
    fading.parameters.sustained = 0
    #expect(told(document([fading] + taps([(0.5, 0.8)]))) == [])
  }

  @Test func `an effect of more than 30 s is told at the event that ends it`() {
    let long = document([vibration(0, 20), vibration(15, 16), vibration(20, 2)])
    #expect(told(long) == ["AHAP104:2"])
    #expect(told(document([vibration(0, 20), vibration(15, 15)])) == [])
  }

  @Test func `rules have other thresholds where they are set`() {
    var rules = AdviceRules()
    rules.longestEffect = 1
    rules.firstTapShare = 0.3
    #expect(told(document(taps(weakRow)), rules: rules) == ["AHAP104:3"])
  }

  @Test func `findings stand in the order of the text`() {
    let file = document(
      [vibration(40, 1, 1)] + taps(weakRow) + [sound(40.02)] + taps([(40.0, 1)]))
    #expect(told(file) == ["AHAP103:1", "AHAP104:1", "AHAP101:2", "AHAP102:5"])
  }

  @Test func `an empty pattern gets no advice`() {
    #expect(told(document([])) == [])
  }

  @Test(arguments: DiagnosticTests.files + DiagnosticTests.entries + DiagnosticTests.details)
  func `the reader gives no advice`(finding: Finding) {
    for mode in AHAPMode.allCases {
      let found = try? AHAPReader.read(finding.bytes, options: AHAPOptions(mode: mode)).diagnostics
      #expect((found ?? []).filter(\.code.isAdvice) == [])
    }
  }

  @Test(
    .enabled(if: Corpus.isPresent, "the corpus of published files is not beside the repository"))
  func `the samples that Apple gives as good get no advice`() throws {
    for entry in Corpus.entries where entry.path.lowercased().hasPrefix("apple") {
      #expect(told(try Corpus.read(entry.path)) == [], "\(entry.path)")
    }
  }
}
