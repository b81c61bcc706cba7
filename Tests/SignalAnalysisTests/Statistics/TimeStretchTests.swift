// SPDX-License-Identifier: Apache-2.0

import Glibc
import SignalAnalysis
import Testing

struct TimeStretchTests {
  /// A swell of 300 frames of a tone, as a formula.
  private func tone(_ frame: Double, frequency: Double) -> Double {
    let share = (frame - 500) / 150
    return exp(-share * share) * sin(2 * .pi * frequency * frame)
  }

  @Test(arguments: [(0.0, 1.0), (12.345, 1), (-3.21, 1.0001), (7.9, 0.9995)], [0.01, 0.2, 0.4])
  func `a waveform is read between its samples`(
    how: (offset: Double, stretch: Double), frequency: Double
  ) {
    let samples = (0..<1_000).map { tone(Double($0), frequency: frequency) }
    let moved = TimeStretch.apply(
      samples, offset: how.offset, stretch: how.stretch, count: 1_000)
    for frame in moved.indices {
      let truth = tone((Double(frame) - how.offset) / how.stretch, frequency: frequency)
      #expect(abs(moved[frame] - truth) < 2e-5, "frame \(frame)")
    }
  }

  @Test func `beyond the ends there is silence`() {
    let moved = TimeStretch.apply([1, 1, 1], offset: 500, stretch: 1, count: 1_000)
    #expect(moved[..<400].allSatisfy { $0 == 0 })
    #expect(moved[600...].allSatisfy { $0 == 0 })
    #expect(abs(moved[501] - 1) < 1e-12)
  }
}
