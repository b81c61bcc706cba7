// SPDX-License-Identifier: Apache-2.0

import Glibc
import SignalAnalysis
import Testing
import Units

struct ResponseSpectrumTests {
  private func tones(_ parts: [(Double, Double)], count: Int = 48_000) -> [Float] {
    (0..<count).map { frame in
      Float(parts.reduce(0) { $0 + $1.1 * sin(2 * .pi * $1.0 * Double(frame) / 48_000) })
    }
  }

  @Test func `a sine of amplitude one is a line of its energy in its share of the grid`() throws {
    // At 160 Hz and 12 an octave a share holds the 9 bins of 1 Hz from 156 to 164: -9.5 dB.
    let points = ResponseSpectrum.logarithmic(
      tones([(160, 1)]), rate: .standard, band: 20...2_000)
    let top = try #require(points.max { $0.level < $1.level })
    #expect(abs(top.frequency - 160) < 1e-9)
    #expect(abs(top.level + 10 * log10(9)) < 0.1)
    #expect(points.count == 80)
  }

  @Test func `an impulse is flat`() {
    var samples = [Float](repeating: 0, count: 4_800)
    samples[100] = 1
    let levels = ResponseSpectrum.logarithmic(samples, rate: .standard).map(\.level)
    let expected = Decibels.of(amplitude: 2.0 / 4_800)
    #expect(levels.allSatisfy { abs($0 - expected) < 1e-6 })
  }

  @Test func `silence has a floor and nothing has no points`() {
    let silence = [Float](repeating: 0, count: 480)
    #expect(
      ResponseSpectrum.logarithmic(silence, rate: .standard).allSatisfy { $0.level == -300 })
    #expect(ResponseSpectrum.logarithmic([], rate: .standard).isEmpty)
  }
}
