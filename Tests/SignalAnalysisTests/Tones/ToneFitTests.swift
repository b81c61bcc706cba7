// SPDX-License-Identifier: Apache-2.0

import Glibc
import SignalAnalysis
import Testing
import Units

struct ToneFitTests {
  private let rate = SampleRate(hertz: 8_000)

  @Test(arguments: [31.7, 123.4, 170, 999])
  func `a sum of sines is taken apart exactly, whatever the window`(frequency: Double) throws {
    let count = 4_321
    let samples = (0..<count).map { frame in
      let p = 2 * .pi * frequency * Double(frame) / rate.hertz
      return Float(9.8 + 1.5 * sin(p + 0.7) + 0.1 * sin(2 * p - 1) + 0.02 * sin(3 * p + 2))
    }
    let fit = try #require(
      ToneFit.fit(samples, frames: 777..<4_000, rate: rate, frequency: frequency))
    let expected = [(1.5, 0.7), (0.1, -1), (0.02, 2)]
    for (component, truth) in zip(fit.components, expected) {
      #expect(abs(component.amplitude.value - truth.0) < 2e-6, "\(component)")
      #expect(abs(component.phase.value - truth.1) < 1e-4, "\(component)")
    }
    #expect(abs(fit.offset.value - 9.8) < 2e-6)
    #expect(abs(fit.distortion.value / ((0.01 + 0.0004).squareRoot() / 1.5) - 1) < 1e-4)
    #expect(fit.components.map(\.order) == Array(1...min(5, Int(3_800 / frequency))))
  }

  @Test func `it is the least squares of NumPy`() throws {
    // t = arange(1000) / 8000; s = float32(1.5 sin(2 pi 123.4 t + 0.7) + 0.1 sin(2 pi 246.8 t - 1) + 0.3 + 0.5 t^2)
    // numpy.linalg.lstsq([1, sin, cos, ... of 1 to 3 times 123.4 Hz], s), the covariance inv(A^T A) s^2
    let samples = (0..<1_000).map { frame in
      let t = Double(frame) / 8_000
      return Float(
        1.5 * sin(2 * .pi * 123.4 * t + 0.7) + 0.1 * sin(2 * .pi * 246.8 * t - 1) + 0.3
          + 0.5 * t * t)
    }
    let fit = try #require(
      ToneFit.fit(samples, rate: rate, frequency: 123.4, harmonics: 3))
    #expect(abs(fit.offset.value - 0.30259908078) < 1e-8)
    #expect(abs(fit.fundamental.amplitude.value - 1.50006296449) < 1e-8)
    #expect(abs(fit.fundamental.phase.value - 0.70000819584) < 1e-8)
    #expect(abs(fit.components[1].amplitude.value - 0.10001089497) < 1e-8)
    #expect(abs(fit.residual / 0.00233407927 - 1) < 1e-5)
    #expect(abs(fit.offset.uncertainty / 7.38432349e-05 - 1) < 1e-5)
    #expect(abs(fit.fundamental.amplitude.uncertainty / 1.04429476e-04 - 1) < 1e-3)
  }

  @Test(arguments: [20.0, 40, 60])
  func `in noise the stated uncertainties cover the truth`(ratio: Double) throws {
    var noise = Noise(seed: 21)
    var covered = [0, 0, 0, 0]
    let trials = 200
    let sigma = pow(10, -ratio / 20)
    for _ in 0..<trials {
      let frequency = noise.uniform(40...400)
      let phase = noise.uniform(-3...3)
      let second = noise.uniform() < 0.3 ? 0 : noise.uniform(0...0.2)
      let clean = (0..<1_600).map { frame in
        let p = 2 * .pi * frequency * Double(frame) / rate.hertz
        return 2.0.squareRoot() * (sin(p + phase) + second * sin(2 * p)) + 0.4
      }
      let fit = try #require(
        ToneFit.fit(noise.added(to: clean, sigma: sigma), rate: rate, frequency: frequency))
      let first = fit.fundamental
      let turn = first.phase.value - phase
      let off = turn - 2 * .pi * (turn / (2 * .pi)).rounded()
      let pairs = [
        (first.amplitude.value - 2.0.squareRoot(), first.amplitude.uncertainty),
        (off, first.phase.uncertainty), (fit.offset.value - 0.4, fit.offset.uncertainty),
        (fit.distortion.value - second, fit.distortion.uncertainty),
      ]
      for (index, pair) in pairs.enumerated() where abs(pair.0) <= 2 * pair.1 {
        covered[index] += 1
      }
    }
    #expect(
      covered.allSatisfy { $0 >= 183 },
      "seed 21, \(ratio) dB: amplitude, phase, offset, distortion \(covered) of \(trials)")
    #expect(covered.reduce(0, +) >= 190 * 4, "seed 21, \(ratio) dB: \(covered)")
  }

  @Test func `a frequency known roughly is found`() throws {
    var noise = Noise(seed: 22)
    var covered = 0
    for _ in 0..<50 {
      let frequency = noise.uniform(60...300)
      let clean = (0..<4_000).map { frame in
        sin(2 * .pi * frequency * Double(frame) / rate.hertz + 1)
          + 0.05 * sin(6 * .pi * frequency * Double(frame) / rate.hertz)
      }
      let fit = try #require(
        ToneFit.refining(
          noise.added(to: clean, sigma: 0.05), rate: rate,
          frequency: frequency + noise.uniform(-0.3...0.3)))
      #expect(abs(fit.frequency.value - frequency) < 0.01, "seed 22: \(fit.frequency)")
      #expect(abs(fit.fundamental.amplitude.value - 1) < 0.01)
      if abs(fit.frequency.value - frequency) < 2 * fit.frequency.uncertainty { covered += 1 }
    }
    #expect(covered >= 44, "seed 22: \(covered) of 50")
  }

  @Test func `too short a window and broken samples have no fit`() {
    let samples = [Float](repeating: 0.5, count: 100)
    #expect(ToneFit.fit(samples, rate: rate, frequency: 50) == nil)
    #expect(ToneFit.fit(samples, frames: 0..<20, rate: rate, frequency: 500) == nil)
    #expect(ToneFit.fit([.nan] + samples, rate: rate, frequency: 500) == nil)
    #expect(ToneFit.fit(samples, rate: rate, frequency: 0) == nil)
  }

  @Test func `silence has an amplitude of zero and an unknown distortion`() throws {
    let fit = try #require(
      ToneFit.fit([Float](repeating: 0, count: 1_000), rate: rate, frequency: 100))
    #expect(fit.fundamental.amplitude.value == 0)
    #expect(fit.distortion.uncertainty == .infinity)
  }
}
