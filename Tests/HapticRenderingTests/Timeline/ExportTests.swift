// SPDX-License-Identifier: Apache-2.0

import AHAP
import HapticRendering
import PublishedPatterns
import SeededRandom
import Testing

/// An exported pattern plays as the one that it was made from.
struct ExportTests {
  private func timeline(_ pattern: HapticPattern) -> Timeline {
    Timeline(pattern, configuration: .init()) { _ in 0.5 }
  }

  /// The events of a pattern in the order of time, as long as they are written: a timeline has no
  /// continuous event of more than 30 s.
  private func wholeEvents(_ pattern: HapticPattern) -> [TimelineEvent] {
    zip(timeline(pattern).events, pattern.eventsByTime).map { event, source in
      var event = event
      let shape = event.envelope
      if source.kind.isContinuous, shape.isSustained {
        event.envelope = Envelope(
          attack: shape.attack, decay: shape.decay, release: shape.release, isSustained: true,
          duration: source.duration ?? 0)
      }
      return event
    }
  }

  private func tracks(_ controls: Controls) -> [(DynamicParameterID, ControlTrack)] {
    [
      (.hapticIntensity, controls.intensity), (.hapticSharpness, controls.sharpness),
      (.audioVolume, controls.volume), (.audioPan, controls.pan), (.audioPitch, controls.pitch),
      (.audioBrightness, controls.brightness),
    ]
  }

  /// Where the controls of one ID change faster than a ramp of 1 ms can follow, and 1 ms around it.
  ///
  /// Changes that no curve makes, such as steps and curves that begin, are not widened; but rounding
  /// can move them by a few 1e-16 s.
  private func excused(_ pattern: HapticPattern, _ id: DynamicParameterID) -> [ClosedRange<Double>]
  {
    var ranges: [ClosedRange<Double>] = []
    func add(_ from: Double, _ to: Double, by margin: Double) {
      ranges.append((from - margin)...(to + margin))
    }
    for curve in pattern.curves where curve.id == id {
      for (first, second) in zip(curve.points, curve.points.dropFirst()) {
        let length = second.time - first.time
        guard length < 1e-3 - 1e-9, abs(second.value - first.value) > length else { continue }
        add(curve.time + first.time, curve.time + second.time, by: 1e-3 + 1e-9)
      }
      if let first = curve.points.first {
        add(curve.time + first.time, curve.time + first.time, by: 1e-9)
      }
    }
    for step in pattern.parameters where step.id == id { add(step.time, step.time, by: 1e-9) }
    return ranges
  }

  /// Compares the controls on a fine grid and at random times.
  private func expectSameControls(
    _ original: HapticPattern, _ exported: HapticPattern, _ random: inout SeededRandom,
    _ name: String
  ) {
    let end = max(original.duration, original.curves.map(\.end).max() ?? 0) + 0.01
    let pairs = zip(tracks(timeline(original).controls), tracks(timeline(exported).controls))
    for ((id, track), (_, other)) in pairs {
      let excused = excused(original, id)
      var times =
        (0...600).map { end * Double($0) / 600 } + (0..<400).map { _ in random.uniform(0...end) }
      times += track.pieces.flatMap { [$0.start, $0.start + 1.5e-3] }
      for time in times where !excused.contains(where: { $0 ~= time }) {
        let (value, expected) = (other.value(at: time), track.value(at: time))
        guard abs(value - expected) > 1e-3 else { continue }
        Issue.record("\(name): \(id) at \(time) s is \(value), not \(expected)")
        return
      }
    }
  }

  /// The events with pieces that follow each other joined.
  private func joined(_ events: [TimelineEvent]) -> [TimelineEvent] {
    var result: [TimelineEvent] = []
    for event in events {
      let index = result.lastIndex {
        $0.kind == event.kind && $0.envelope.isSustained
          && abs($0.start + $0.envelope.duration - event.start) < 1e-6
          && $0.intensity == event.intensity && $0.sharpness == event.sharpness
      }
      guard let index, event.kind == .continuous || event.kind == .tone else {
        result.append(event)
        continue
      }
      let first = result[index]
      result[index].envelope = Envelope(
        attack: first.envelope.attack, decay: first.envelope.decay,
        release: event.envelope.release, isSustained: true,
        duration: event.start + event.envelope.duration - first.start)
    }
    return result
  }

  /// Tells whether two times are equal but for what 1e-3 in an envelope or pitch control makes of them.
  private func isClose(_ first: Double, _ second: Double) -> Bool {
    abs(first - second) <= 0.01 * max(first, second) + 1e-9
  }

  private func expectSameEvents(
    _ original: HapticPattern, _ exported: HapticPattern, _ name: String
  ) {
    let (events, others) = (joined(wholeEvents(original)), joined(wholeEvents(exported)))
    let ends = [original, exported].map { pattern in
      max(pattern.duration, timeline(pattern).duration)
    }
    #expect(isClose(ends[0], ends[1]), "\(name)")
    guard events.count == others.count else {
      Issue.record("\(name): \(others.count) events, not \(events.count)")
      return
    }
    for (event, other) in zip(events, others) {
      let isSame =
        event.kind == other.kind && event.start == other.start
        && isClose(event.end - event.start, other.end - other.start)
        && event.intensity == other.intensity && event.sharpness == other.sharpness
        && event.sound == other.sound
        && isClose(event.envelope.attack, other.envelope.attack)
        && isClose(event.envelope.release, other.envelope.release)
      guard !isSame else { continue }
      Issue.record("\(name): \(other) is not \(event)")
      return
    }
  }

  /// What strict mode must have nothing to say about.
  private static let limits: Set<DiagnosticCode> = [
    .versionMissing, .versionUnusual, .versionInteger, .trailingComma, .duplicateKey, .keyIgnored,
    .byteOrderMark, .durationTooLong, .durationNotPositive, .valueOutOfRange,
    .timeNegative, .curveEmpty, .curvePointsOutOfOrder, .curvePointsAbsolute, .curveTooManyPoints,
    .curveOnePoint, .curveFirstPointLate, .curveJump, .eventsOutOfOrder,
  ]

  private func expectWithinLimits(_ exported: HapticPattern, _ name: String) throws {
    let text = AHAPWriter.text(exported)
    let document = try AHAPReader.read(Array(text.utf8), options: AHAPOptions(mode: .strict))
    #expect(document.pattern == exported, "\(name)")
    let findings = document.diagnostics.filter { Self.limits.contains($0.code) }
    #expect(findings == [], "\(name)")
    for curve in exported.curves {
      let gaps = zip(curve.points, curve.points.dropFirst()).map { $1.time - $0.time }
      #expect(gaps.allSatisfy { $0 >= 1e-3 - 1e-8 }, "\(name): \(gaps.min() ?? 0) s")
      #expect((2...16).contains(curve.points.count), "\(name)")
    }
    let again = AppleExport(exported)
    #expect(again.pattern == exported, "\(name)")
    #expect(again.changes == [], "\(name)")
  }

  @Test func `random patterns play the same within the limits`() throws {
    for seed in 0..<60 {
      var random = SeededRandom(seed: UInt64(seed))
      let pattern = random.pattern(length: 1)
      let exported = AppleExport(pattern).pattern
      expectSameControls(pattern, exported, &random, "\(random)")
      expectSameEvents(pattern, exported, "\(random)")
      try expectWithinLimits(exported, "\(random)")
    }
  }

  @Test func `long and dense curves and long events play the same within the limits`() throws {
    for seed in 0..<30 {
      var random = SeededRandom(seed: 1000 + UInt64(seed))
      let pattern = random.longPattern()
      let exported = AppleExport(pattern).pattern
      expectSameControls(pattern, exported, &random, "\(random)")
      expectSameEvents(pattern, exported, "\(random)")
      try expectWithinLimits(exported, "\(random)")
    }
  }

  // A curve that was cut must not come back after another has taken over.
  @Test func `the newest still wins when curves are cut`() {
    let points = (0..<100).map { (0.05 * Double($0), Double($0 % 2)) }
    let pattern = HapticPattern(
      parameters: [step(.hapticIntensity, at: 1.21, 0.9, order: 1)],
      curves: [
        curve(.hapticIntensity, at: 0, points, order: 0),
        curve(.hapticIntensity, at: 2.5, [(0, 0.1), (0.5, 0.2)], order: 2),
      ])
    let track = timeline(AppleExport(pattern).pattern).controls.intensity
    #expect(abs(track.value(at: 1.2) - 0) < 1e-9)
    #expect(track.value(at: 2) == 0.9)
    #expect(abs(track.value(at: 4) - 0.2) < 1e-9)
  }

  @Test(
    .enabled(if: Corpus.isPresent, "the corpus of published files is not beside the repository"),
    arguments: Corpus.paths)
  func `published files play the same within the limits`(path: String) throws {
    let pattern = try Corpus.pattern(path)
    var random = SeededRandom(seed: 7)
    let exported = AppleExport(pattern).pattern
    if pattern.events.count < 1000 { expectSameControls(pattern, exported, &random, path) }
    expectSameEvents(pattern, exported, path)
    try expectWithinLimits(exported, path)
  }
}

extension SeededRandom {
  /// A pattern of vibrations of up to 100 s under curves of up to 120 points, with jumps in them.
  fileprivate mutating func longPattern() -> HapticPattern {
    var order = 0
    func next() -> Int {
      order += 1
      return order
    }
    let events = (0..<integer(1...4)).map { _ in
      HapticEvent(
        kind: .hapticContinuous, time: uniform(0...20), duration: uniform(5...100),
        parameters: EventParameters(intensity: uniform(), sharpness: uniform()), order: next())
    }
    let ids: [DynamicParameterID] = [.hapticIntensity, .hapticSharpness]
    let curves = (0..<integer(1...4)).map { _ in
      var time = 0.0
      let points = (0..<integer(2...120)).map { _ in
        time += chance(0.1) ? 0 : uniform(0.004...0.5)
        return ParameterCurve.Point(time: time, value: uniform())
      }
      return ParameterCurve(
        id: ids[integer(0...1)], time: uniform(0...30), points: points, order: next())
    }
    let parameters = (0..<integer(0...3)).map { _ in
      DynamicParameter(
        id: ids[integer(0...1)], time: uniform(0...40), value: uniform(), order: next())
    }
    return HapticPattern(events: events, parameters: parameters, curves: curves)
  }
}
