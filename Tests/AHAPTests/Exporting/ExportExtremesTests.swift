// SPDX-License-Identifier: Apache-2.0

import AHAP
import SeededRandom
import Testing

/// Numbers far beyond what can be played.
struct ExportExtremesTests {
  private static let numbers = [
    0, Double.leastNonzeroMagnitude, 1e-300, 1e-9, 5e-4, 1e-3, 1, 30, 1e8, 1e9, 1e17, 1e19, 1e300,
    Double.greatestFiniteMagnitude,
  ]

  private func event(at time: Double, for duration: Double) -> HapticEvent {
    HapticEvent(kind: .hapticContinuous, time: time, duration: duration)
  }

  @Test(arguments: [3600.5, 1e8, 1e19, 1e300, Double.greatestFiniteMagnitude])
  func `an event too long to split is limited to 30 s`(duration: Double) {
    let export = AppleExport(HapticPattern(events: [event(at: 1, for: duration)]))
    #expect(export.pattern.events.map(\.duration) == [30])
    #expect(export.pattern.events.map(\.time) == [1])
    #expect(
      export.changes == [
        "1 event of more than 3600 s was limited to 30 s, for it is too long to split."
      ])
  }

  @Test func `the longest split makes 120 pieces`() {
    let events = [event(at: 0, for: AppleExport.longestSplit)]
    #expect(AppleExport(HapticPattern(events: events)).pattern.events.count == 120)
  }

  @Test func `an event so late that its pieces would begin together is limited`() {
    let export = AppleExport(HapticPattern(events: [event(at: 1e300, for: 60)]))
    #expect(export.pattern.events.map(\.duration) == [30])
    #expect(
      export.changes == ["1 event was limited to 30 s, for it is too late to split."])
  }

  @Test func `finite numbers of any size are exported as finite numbers`() throws {
    for seed in 0..<400 {
      var random = SeededRandom(seed: UInt64(seed))
      func number() -> Double {
        let size = Self.numbers[random.integer(0...(Self.numbers.count - 1))]
        return random.chance(0.1) ? -size : size
      }
      var pattern = HapticPattern()
      for order in 0..<random.integer(1...4) {
        pattern.events.append(event(at: number(), for: number()))
        pattern.parameters.append(
          DynamicParameter(id: .hapticSharpness, time: number(), value: number(), order: order))
        let points = (0..<random.integer(1...40)).map { _ in
          ParameterCurve.Point(
            time: random.chance(0.5) ? number() : random.uniform(0...0.01), value: random.uniform())
        }
        let id = [DynamicParameterID.hapticIntensity, .hapticSharpness][random.integer(0...1)]
        pattern.curves.append(
          ParameterCurve(id: id, time: number(), points: points, order: order))
      }
      let export = AppleExport(pattern).pattern
      let text = AHAPWriter.text(export)
      #expect(try AHAPReader.read(Array(text.utf8)).pattern.curves == export.curves, "\(random)")
      #expect(
        export.events.allSatisfy { $0.time.isFinite && $0.duration ?? 0 <= 30 }, "\(random)")
    }
  }

  // A hundred thousand points in a tenth of a second, which a search among them all would not finish.
  @Test func `points a microsecond apart are thinned in little time`() {
    let points = (0..<100_000).map { index in
      ParameterCurve.Point(time: 1e-6 * Double(index), value: Double(index * 7919 % 1000) / 1000)
    }
    let curve = ParameterCurve(id: .hapticIntensity, time: 0, points: points)
    let export = AppleExport(HapticPattern(curves: [curve]))
    #expect(export.pattern.curves.reduce(0) { $0 + $1.points.count } < 110)
  }
}
