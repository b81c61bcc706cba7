// SPDX-License-Identifier: Apache-2.0

import AHAP
import HapticRendering
import PublishedPatterns
import SeededRandom
import Testing

/// Published patterns ask for, and are drawn as, what their authors meant.
@Suite(.enabled(if: Corpus.isPresent, "the corpus of published files is not beside the repository"))
struct CorpusRenderTests {
  private func intent(_ path: String) throws -> Intent {
    let configuration = RenderConfiguration()
    return Intent(
      timeline: Timeline(try Corpus.pattern(path), configuration: configuration),
      configuration: configuration)
  }

  @Test(arguments: Corpus.paths)
  func `every file asks for what the plain model asks for`(path: String) throws {
    let pattern = try Corpus.pattern(path)
    let intent = try intent(path)
    let model = NaiveModel(pattern)
    var random = SeededRandom(seed: 0xc0)
    let haptic = intent.timeline.events.filter(\.kind.isHaptic)
    let byTime = pattern.eventsByTime.filter { $0.kind.domain == .haptic }
    try #require(haptic.count == byTime.count)
    for index in haptic.indices
    where haptic.count < 200 || random.chance(200 / Double(haptic.count)) {
      let (event, written) = (haptic[index], byTime[index])
      let segments = intent.segments(of: event)
      #expect(segments.first?.start == event.start && segments.last?.end == event.end)
      for _ in 0..<5 {
        let time = random.uniform(event.start...event.end)
        let level = intent.intensity(of: event, at: time)
        let sharpness = intent.sharpness(of: event, at: time)
        let detail = "event \(index) at \(time) s, \(random)"
        #expect(abs(level - model.intensity(of: written, at: time)) < 1e-9, "\(detail)")
        #expect(abs(sharpness - model.sharpness(of: written, at: time)) < 1e-9, "\(detail)")
        let segment = try #require(segments.last { $0.start <= time })
        let exact = segment.intensity.value(at: time - segment.start)
        // Where a pattern lasts minutes, a time has fewer digits left for a ramp of 1 ms.
        #expect(abs(exact - level) < 1e-9, "\(detail)")
      }
    }
  }

  @Test(arguments: Corpus.paths)
  func `every file renders, and its parts are the whole`(path: String) throws {
    let pattern = try Corpus.pattern(path)
    guard pattern.duration < 6 else { return }
    var random = SeededRandom(seed: 0xc1)
    let whole = Rendered(pattern)
    #expect(whole.haptic.allSatisfy { $0.isFinite && abs($0) < 1.5 })
    let parts = Rendered(pattern) { random.integer(1...700) }
    #expect(parts.bits == whole.bits, "\(random)")
  }

  // The curve counts from its own time: 0.015 + 0.25 s is where the vibration ends.
  @Test func `Boing's curve ends with its vibration and spares its tap`() throws {
    let intent = try intent("Apple-HapticSampler/Boing.ahap")
    let (tap, vibration) = (intent.timeline.events[0], intent.timeline.events[1])
    #expect(intent.intensity(of: tap, at: 0.01) == tap.intensity)
    let held = vibration.start + vibration.envelope.duration
    #expect(abs(held - 0.265) < 1e-9)
    let late = intent.intensity(of: vibration, at: held - 1e-3)
    #expect(late > 0 && late < 0.005 * vibration.intensity)
  }

  @Test(arguments: ["Gravel", "Rumble"])
  func `one curve scales every tap`(name: String) throws {
    let intent = try intent("Apple-HapticSampler/\(name).ahap")
    let control = intent.timeline.controls.intensity
    #expect(!control.isNeutral)
    let levels = intent.timeline.events.filter { $0.kind == .transient }.map { event in
      (
        intent.intensity(of: event, at: event.start),
        event.intensity * control.value(at: event.start)
      )
    }
    #expect(levels.count > 30)
    #expect(levels.allSatisfy { abs($0.0 - $0.1) < 1e-12 })
  }

  @Test func `Drums' taps have the default intensity and its vibration decays`() throws {
    let intent = try intent("Apple-HapticSampler/Drums.ahap")
    let taps = intent.timeline.events.filter { $0.kind == .transient }
    #expect(taps.contains { $0.intensity == 0.75 })
    let vibration = try #require(
      intent.timeline.events.first { $0.kind == .continuous && $0.start == 1.6 })
    #expect(!vibration.envelope.isSustained)
    #expect(vibration.envelope.decay == EnvelopeLaw.standard.longest)
    let half = intent.intensity(of: vibration, at: vibration.start + 1e-3 + 0.5)
    #expect(abs(half - vibration.intensity / 2) < 1e-9)
  }
}
