// SPDX-License-Identifier: Apache-2.0

import Glibc
import SignalAnalysis
import Testing
import Units

struct SteppedTonesTests {
  private let tones = SteppedTones(
    steps: [
      .init(frequency: 80, amplitude: 1, duration: 0.25),
      .init(frequency: 230, amplitude: 0.2, duration: 0.3001),
      .init(frequency: 40, amplitude: 0.7, duration: 0.2),
    ], ramp: 0.02)

  @Test func `neither phase nor amplitude jumps`() {
    let samples = tones.samples(at: .standard)
    #expect(samples[0] == 0)
    #expect(abs(samples[samples.count - 1]) < 1e-3)
    // Amplitude 1 at 230 Hz is the steepest that a step could be; the ramps add a little.
    let steepest = zip(samples, samples.dropFirst()).map { abs($1 - $0) }.max() ?? 0
    #expect(steepest < 2 * .pi * 230 / 48_000 * 1.05, "\(steepest)")
  }

  @Test func `each step has its tone and lasts as long as it should`() throws {
    let samples = tones.samples(at: .standard).map { Float($0) }
    let steady = tones.steadyRanges(at: .standard, settling: 0.05)
    #expect(tones.ranges(at: .standard) == [0..<12_000, 12_000..<26_405, 26_405..<36_005])
    #expect(steady[1] == 14_400..<26_405)
    for (step, range) in zip(tones.steps, steady) {
      let fit = try #require(
        ToneFit.fit(samples, frames: range, rate: .standard, frequency: step.frequency))
      #expect(abs(fit.fundamental.amplitude.value - step.amplitude) < 1e-6)
      #expect(fit.residual < 1e-6)
    }
    #expect(samples.count == 36_005 + 960)
  }

  @Test func `a step shorter than the settling has no steady frames`() {
    let short = SteppedTones(steps: [.init(frequency: 100, amplitude: 1, duration: 0.02)])
    #expect(short.steadyRanges(at: .standard, settling: 0.05)[0].isEmpty)
  }
}
