// SPDX-License-Identifier: Apache-2.0

import Glibc
import SignalAnalysis
import Testing

struct AmplitudeTests {
  @Test func `a sine has its amplitude over root two as rms`() {
    let samples = (0..<4_800).map { Float(3 * sin(2 * .pi * Double($0) / 48)) }
    #expect(abs(Amplitude.rms(samples) - 3 / 2.0.squareRoot()) < 1e-6)
    #expect(Amplitude.rms([]) == 0)
  }
}
