// SPDX-License-Identifier: Apache-2.0

import AHAP
import HapticRendering
import SeededRandom
import Testing

/// What events find when they begin, and how far an export says that it strays.
struct ExportSamplingTests {
  private typealias Point = ParameterCurve.Point

  private func timeline(_ pattern: HapticPattern) -> Timeline {
    Timeline(pattern, configuration: .init())
  }

  private func taps(at times: [Double]) -> [HapticEvent] {
    times.map {
      HapticEvent(
        kind: .hapticTransient, time: $0,
        parameters: EventParameters(intensity: 0.8, sharpness: 0.5))
    }
  }

  private func pattern(
    _ points: [(Double, Double)], at time: Double = 0, taps times: [Double] = []
  ) -> HapticPattern {
    let points = points.map { Point(time: $0.0, value: $0.1) }
    return HapticPattern(
      events: taps(at: times),
      curves: [ParameterCurve(id: .hapticIntensity, time: time, points: points)])
  }

  private let jump = [(0, 1), (0.1, 1), (0.1, 0.2), (0.5, 0.2)]

  /// The intensities with which the transients of a pattern begin once it is exported.
  private func strengths(_ pattern: HapticPattern) -> [Double] {
    let timeline = timeline(AppleExport(pattern).pattern)
    let intent = Intent(timeline: timeline, configuration: .init())
    return timeline.events.map { intent.intensity(of: $0, at: $0.start) }
  }

  private func expectClose(_ values: [Double], _ expected: [Double]) {
    #expect(values.count == expected.count)
    #expect(zip(values, expected).allSatisfy { abs($0 - $1) < 1e-6 }, "\(values), not \(expected)")
  }

  @Test func `a tap on a jump finds the value behind it`() {
    let pattern = pattern(jump, taps: [0.1])
    expectClose(strengths(pattern), [0.16])
    #expect(AppleExport(pattern).pattern.curves.count == 1)
  }

  @Test func `a tap just before a jump moves the ramp behind it`() {
    let pattern = pattern(jump, taps: [0.0995])
    expectClose(strengths(pattern), [0.8])
    #expect(
      AppleExport(pattern).pattern.curves.map { $0.points.map(\.time) } == [[0, 0.1, 0.101, 0.5]])
  }

  @Test func `between taps on both sides of a jump a new curve takes over`() {
    let export = AppleExport(pattern(jump, taps: [0.0995, 0.1, 0.1005]))
    expectClose(strengths(export.pattern), [0.8, 0.16, 0.16])
    #expect(export.pattern.curves.map(\.time) == [0, 0.1])
    #expect(export.pattern.curves.map { $0.points.map(\.value) } == [[1, 1], [0.2, 0.2]])
    #expect(export.pattern.curves.map { $0.points.map(\.time) } == [[0, 0.1], [0, 0.4]])
    #expect(
      export.changes == [
        "1 curve had jumps or ramps of less than 1 ms, which last 1 ms now.",
        "1 curve was broken where a ramp of 1 ms has no room; 1 more curve takes over there.",
      ])
    #expect(AppleExport(export.pattern).changes == [])
  }

  @Test func `every event begins and ends as before among jumps and dense points`() {
    for seed in 0..<150 {
      var random = SeededRandom(seed: UInt64(seed))
      let id = [DynamicParameterID.hapticIntensity, .hapticSharpness][random.integer(0...1)]
      var pattern = HapticPattern()
      var time = 0.0
      let start = random.uniform(0...0.3)
      var points: [Point] = []
      var times: [Double] = []
      for _ in 0..<random.integer(2...60) {
        points.append(Point(time: time, value: random.uniform(id.range)))
        if random.chance(0.5) { times.append(start + time) }
        if random.chance(0.5) { times.append(max(0, start + time + random.uniform(-2e-3...2e-3))) }
        let kind = random.integer(0...3)
        time +=
          kind == 0 ? 0 : kind == 1 ? random.uniform(1e-5...1.5e-3) : random.uniform(1e-3...9e-3)
      }
      pattern.curves = [ParameterCurve(id: id, time: start, points: points)]
      pattern.events = taps(at: times)
      let export = AppleExport(pattern)
      let (old, new) = (timeline(pattern).controls, timeline(export.pattern).controls)
      let (track, other) =
        id == .hapticIntensity ? (old.intensity, new.intensity) : (old.sharpness, new.sharpness)
      for time in times {
        let (value, expected) = (other.value(at: time), track.value(at: time))
        #expect(abs(value - expected) < 1e-3, "\(random): \(value), not \(expected) at \(time) s")
      }
      let gaps = export.pattern.curves.flatMap { curve in
        zip(curve.points, curve.points.dropFirst()).map { $1.time - $0.time }
      }
      #expect(gaps.allSatisfy { $0 > 1e-3 - 1e-8 }, "\(random)")
      #expect(AppleExport(export.pattern).pattern == export.pattern, "\(random)")
    }
  }

  @Test func `how far dense points are missed is said`() throws {
    var random = SeededRandom(seed: 5)
    let points = (0..<1000).map { (5e-4 * Double($0), 0.5 + random.uniform(-0.25...0.25)) }
    let pattern = pattern(points)
    let export = AppleExport(pattern)
    let (old, new) = (timeline(pattern).controls, timeline(export.pattern).controls)
    var largest = 0.0
    // Two lines differ the most where one of them bends.
    let bends = old.intensity.pieces + new.intensity.pieces
    for time in bends.map(\.start) where time <= 0.4995 {
      largest = max(largest, abs(new.intensity.value(at: time) - old.intensity.value(at: time)))
    }
    let start = "Curves stray from those of the pattern by up to "
    let sentence = try #require(export.changes.first { $0.hasPrefix(start) })
    let said = try #require(Double(sentence.dropFirst(start.count).prefix { $0 != "," }))
    #expect(largest > 0.1 && abs(said - largest) < 1e-3, "\(said), not \(largest)")
  }

  @Test func `nothing is said to stray at a jump`() {
    #expect(AppleExport(pattern(jump)).changes.count == 1)
    #expect(
      AppleExport(pattern([(0, 1), (0.1, 1), (0.1, 0.2), (0.1002, 1), (0.2, 1)])).changes.count > 1)
  }
}
