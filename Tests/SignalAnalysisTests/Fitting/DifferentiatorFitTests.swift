// SPDX-License-Identifier: Apache-2.0

import Glibc
import SignalAnalysis
import Testing

struct DifferentiatorFitTests {
  private func measured(
    gain: Double, delay: Double, sigma: Double, noise: inout Noise
  ) -> TransferFunction {
    let frequencies = (8..<400).map { 2.5 * Double($0) }
    return TransferFunction(
      spacing: 2.5, frequencies: frequencies,
      response: frequencies.map { frequency in
        let truth =
          gain * frequency * frequency / 40_000 * Complex(angle: -2 * .pi * frequency * delay)
        return truth + Complex(sigma * noise.gaussian(), sigma * noise.gaussian())
      }, uncertainty: frequencies.map { _ in max(sigma, 1e-9) })
  }

  @Test func `a stroke that follows the voltage is told by its acceleration at 200 Hz`() throws {
    var noise = Noise(seed: 1)
    for (gain, delay) in [(3.0, 0.4e-3), (-0.2, 31e-3)] {
      let model = try #require(
        DifferentiatorFit().fit(measured(gain: gain, delay: delay, sigma: 0, noise: &noise)))
      #expect(abs(model.gain.value / gain - 1) < 1e-9)
      #expect(abs(model.delay.value - delay) < 1e-12)
      #expect(model.misfit < 1e-6)
      #expect(abs(model.response(at: 400).magnitude - 4 * abs(gain)) < 1e-9)
    }
  }

  @Test func `in noise the stated uncertainties cover the truth`() throws {
    var noise = Noise(seed: 2)
    var covered = [0, 0]
    for _ in 0..<100 {
      let (gain, delay) = (noise.uniform(0.5...5), noise.uniform(0...20e-3))
      let model = try #require(
        DifferentiatorFit().fit(measured(gain: gain, delay: delay, sigma: 0.5, noise: &noise)))
      if abs(model.gain.value - gain) <= 2 * model.gain.uncertainty { covered[0] += 1 }
      if abs(model.delay.value - delay) <= 2 * model.delay.uncertainty { covered[1] += 1 }
    }
    #expect(covered.allSatisfy { $0 >= 90 }, "seed 2: \(covered) of 100")
  }

  @Test func `a resonance in the band leaves much over, noise is no model`() throws {
    let plant = Modes(delay: 1e-3, modes: [(170, 8, 10)])
    let frequencies = (8..<400).map { 2.5 * Double($0) }
    let model = try #require(
      DifferentiatorFit().fit(
        TransferFunction(
          spacing: 2.5, frequencies: frequencies,
          response: frequencies.map(plant.response(at:)),
          uncertainty: frequencies.map { _ in 1e-3 })))
    #expect(model.misfit > 0.5)
    var noise = Noise(seed: 3)
    #expect(DifferentiatorFit().fit(measured(gain: 0, delay: 0, sigma: 1, noise: &noise)) == nil)
  }
}
