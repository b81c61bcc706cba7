// SPDX-License-Identifier: Apache-2.0

import Glibc
import SignalAnalysis
import Testing
import Units

struct EnvelopeFallTests {
  private let rate = SampleRate.standard

  /// A tone that swells in 5 ms, holds to frame 12,000 and rings out with a time constant.
  private func tone(_ frequency: Double, decay: Double, rest: Double = 0) -> [Double] {
    (0..<36_000).map { frame in
      let time = Double(frame) / 48_000
      let rise = min(1, max(0, (time - 0.05) / 0.005))
      let fall = time < 0.25 ? 1 : max(rest, exp(-(time - 0.25) / decay))
      return rise * fall * sin(2 * .pi * frequency * time)
    }
  }

  @Test(arguments: [(170.0, 0.01), (170, 0.03), (80, 0.02), (230, 0.005)])
  func `a tenth is reached after ln 10 decay times`(
    tone: (frequency: Double, decay: Double)
  ) throws {
    let samples = floats(self.tone(tone.frequency, decay: tone.decay))
    let fall = try EnvelopeFall.find(samples, frames: 0..<36_000, rate: rate, noise: 1e-4)
    // A tenth of the peak as it is found: the band's lower edge lifts it by a percent or so.
    let truth = 12_000 + log(10 / fall.peak) * tone.decay * 48_000
    #expect(abs(fall.frame.value - truth) < 2 * fall.frame.uncertainty, "\(fall.frame) \(truth)")
    #expect(fall.frame.uncertainty < 0.01 * tone.decay * 48_000 + 5)
    #expect(abs(fall.peak - 1) < 0.1)
  }

  @Test func `noise moves it by no more than is stated`() throws {
    let clean = tone(170, decay: 0.02)
    var noise = Noise(seed: 81)
    var inside = 0
    for _ in 0..<60 {
      let sigma = exp(noise.uniform(-7 ... -2.5))
      // White noise of the whole rate: a band of 980 Hz holds this share of it.
      let felt = sigma * (980.0 / 24_000).squareRoot()
      let fall = try EnvelopeFall.find(
        noise.added(to: clean, sigma: sigma), frames: 2_000..<34_000, rate: rate, noise: felt)
      let truth = 12_000 + log(10 / fall.peak) * 0.02 * 48_000
      if abs(fall.frame.value - truth) <= 2 * fall.frame.uncertainty { inside += 1 }
    }
    #expect(inside >= 54, "seed 81: \(inside) of 60")
  }

  @Test func `what does not fall, or drowns, has no fall`() {
    let lasting = floats(tone(170, decay: 0.02, rest: 0.3))
    #expect(throws: EnvelopeFall.Failure.lasting) {
      try EnvelopeFall.find(lasting, frames: 0..<34_000, rate: rate, noise: 1e-4)
    }
    #expect(throws: EnvelopeFall.Failure.noisy) {
      try EnvelopeFall.find(
        floats(tone(170, decay: 0.02)), frames: 0..<34_000, rate: rate, noise: 0.05)
    }
    #expect(throws: EnvelopeFall.Failure.lasting) {
      try EnvelopeFall.find(
        floats(tone(170, decay: 0.02)), frames: 0..<13_000, rate: rate, noise: 1e-4)
    }
  }
}
