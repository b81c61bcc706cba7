// SPDX-License-Identifier: Apache-2.0

import Glibc
import SignalAnalysis
import Testing
import Units

struct PulseBalanceTests {
  private let rate = SampleRate(hertz: 16_000)
  private let quiet = 0..<3_000
  private let frames = 3_000..<9_000

  /// A tone of 170 Hz from 0.2 s on that rises within 5 ms and, from 0.22 s, decays.
  private func click(decay: Double, height: Double = 20) -> [Double] {
    (0..<9_600).map { frame in
      let time = Double(frame) / rate.hertz - 0.2
      guard time >= 0 else { return 0 }
      let rise = time < 0.005 ? 0.5 - 0.5 * cos(.pi * time / 0.005) : 1
      let fall = time > 0.02 ? exp(-(time - 0.02) / decay) : 1
      return height * rise * fall * sin(2 * .pi * 170 * time)
    }
  }

  @Test func `the tail is that of the envelope`() throws {
    var noise = Noise(seed: 1)
    let decay = 0.012
    let balance = try #require(
      PulseBalance.measure(
        noise.added(to: click(decay: decay).map { $0 + 9.8 }, sigma: 0.02), frames: frames,
        quiet: quiet, rate: rate, driveEnd: 0.22 * rate.hertz))
    // 10 % of the top is passed 2.303 decay times after the fall begins.
    let tail = try #require(balance.tailTime)
    #expect(abs(tail - 2.303 * decay) < 1.5e-3, "\(tail)")
  }

  @Test func `pulse and ring of an exponential decay are in the ratio of its integral`() throws {
    var noise = Noise(seed: 2)
    for decay in [0.008, 0.02, 0.04] {
      let balance = try #require(
        PulseBalance.measure(
          noise.added(to: click(decay: decay), sigma: 1e-3), frames: frames, quiet: quiet,
          rate: rate, driveEnd: 0.22 * rate.hertz))
      // The pulse ends at half height, the ring holds a quarter of what decays: A^2 / 2 decay / 2 / 4.
      let ring = 400.0 / 2 * decay / 2 / 4
      let pulse = 400.0 / 2 * (0.02 - 0.005 + 0.005 * 3 / 8 + decay / 2 * 0.75)
      #expect(
        abs(balance.ringEnergy.value / ring - 1) < 0.12,
        "\(decay): \(balance.ringEnergy)")
      #expect(abs(balance.pulseEnergy.value / pulse - 1) < 0.06, "\(decay)")
      let ratio = try #require(balance.ratio)
      #expect(abs(ratio - 10 * log10(pulse / ring)) < 0.8, "\(decay): \(ratio)")
      #expect(!balance.isBound)
    }
  }

  @Test func `noise adds nothing to the energy on average`() throws {
    var noise = Noise(seed: 4)
    let clean = click(decay: 0.015, height: 8)
    let truth = try #require(
      PulseBalance.measure(
        floats(clean.map { $0 }), frames: frames, quiet: quiet, rate: rate,
        driveEnd: 0.22 * rate.hertz))
    var (energy, covered) = (0.0, 0)
    for _ in 0..<60 {
      let balance = try #require(
        PulseBalance.measure(
          noise.added(to: clean, sigma: 0.5), frames: frames, quiet: quiet, rate: rate,
          driveEnd: 0.22 * rate.hertz))
      energy += balance.pulseEnergy.value / 60
      let off = abs(balance.pulseEnergy.value - truth.pulseEnergy.value)
      if off <= 2 * balance.pulseEnergy.uncertainty + 0.01 * truth.pulseEnergy.value {
        covered += 1
      }
    }
    #expect(
      abs(energy / truth.pulseEnergy.value - 1) < 0.02,
      "seed 4: \(energy / truth.pulseEnergy.value)")
    #expect(covered >= 54, "seed 4: \(covered) of 60")
  }

  @Test func `a ring below the noise makes the ratio a bound`() throws {
    var noise = Noise(seed: 5)
    let stopped = (0..<9_600).map { frame -> Double in
      let time = Double(frame) / rate.hertz - 0.2
      // A whole raised cosine: nothing is left after 20 ms.
      guard (0...0.02).contains(time) else { return 0 }
      return 20 * (0.5 - 0.5 * cos(2 * .pi * time / 0.02)) * sin(2 * .pi * 170 * time)
    }
    let balance = try #require(
      PulseBalance.measure(
        noise.added(to: stopped, sigma: 0.2), frames: frames, quiet: quiet, rate: rate,
        driveEnd: 0.225 * rate.hertz))
    #expect(balance.isBound)
    #expect(try #require(balance.ratio) > 20)
  }

  @Test func `without a click there is no balance`() {
    var noise = Noise(seed: 6)
    let samples = noise.added(to: [Double](repeating: 9.8, count: 9_600), sigma: 0.05)
    #expect(PulseBalance.measure(samples, frames: frames, quiet: quiet, rate: rate) == nil)
    #expect(PulseBalance.measure(samples, frames: frames, quiet: 0..<4, rate: rate) == nil)
  }
}
