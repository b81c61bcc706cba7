// SPDX-License-Identifier: Apache-2.0

import Glibc
import SignalAnalysis
import Testing
import Units

struct OctaveShiftTests {
  private let rate = SampleRate(hertz: 16_000)

  /// A tone that swells to 0.5 between 0.2 and 0.3 s, stays, and falls between 0.6 and 0.7 s.
  private func level(_ time: Double) -> Double {
    let ramp = min(1, max(0, min((time - 0.2) / 0.1, (0.7 - time) / 0.1)))
    return 0.5 * ramp
  }

  @Test(arguments: [80.0, 150.3, 230.0], [1, 2, 3])
  func `one tone is one tone, octaves higher, as strong at each instant`(
    _ frequency: Double, _ octaves: Int
  ) {
    let times = (0..<16_000).map { Double($0) / rate.hertz }
    let tone = times.map { Float(level($0) * cos(2 * .pi * frequency * $0)) }
    let raised = OctaveShift.raised(tone, rate: rate, octaves: octaves)
    #expect(raised.count == tone.count)
    // The phase doubles: a cosine of twice the frequency, from the same instant.
    let multiple = Double(1 << octaves)
    for frame in stride(from: 2000, to: 13_000, by: 7) {
      let wanted = level(times[frame]) * cos(2 * .pi * frequency * multiple * times[frame])
      #expect(abs(Double(raised[frame]) - wanted) < 0.02, "\(frame)")
    }
    #expect(raised[..<1600].allSatisfy { abs($0) < 0.01 })
  }

  @Test func `nothing is raised from nothing, and no octave changes nothing`() {
    #expect(OctaveShift.raised([], rate: rate, octaves: 2) == [])
    #expect(OctaveShift.raised([0, 0, 0], rate: rate, octaves: 2) == [0, 0, 0])
    #expect(OctaveShift.raised([0.5, -1], rate: rate, octaves: 0) == [0.5, -1])
  }
}
