// SPDX-License-Identifier: Apache-2.0

import Glibc
import SignalAnalysis
import Testing
import Units

struct ImpedanceFitTests {
  /// Coil of 8 ohms and 0.3 mH in series with R 5 ohms, L and C in parallel.
  private func circuit(_ frequency: Double, f0: Double, q: Double) -> Complex {
    let (w, w0) = (2 * Double.pi * frequency, 2 * Double.pi * f0)
    // The parallel circuit's q = R sqrt(C / L) = R w0 C.
    let (c, l) = (q / (5 * w0), 5 / (q * w0))
    let admittance = Complex(1 / 5.0, w * c - 1 / (w * l))
    return Complex(8, w * 0.3e-3) + Complex(1) / admittance
  }

  private func measured(
    f0: Double, q: Double, sigma: Double, noise: inout Noise
  ) -> TransferFunction {
    let frequencies = (0..<240).map { 20 + 4 * Double($0) }
    return TransferFunction(
      spacing: 4, frequencies: frequencies,
      response: frequencies.map {
        circuit($0, f0: f0, q: q)
          + Complex(sigma * noise.gaussian(), sigma * noise.gaussian())
      }, uncertainty: frequencies.map { _ in max(sigma, 1e-9) })
  }

  @Test(arguments: [(65.0, 4.0), (150, 12), (235, 25)])
  func `coil and motional branch of a circuit are found exactly`(f0: Double, q: Double) throws {
    var noise = Noise(seed: 1)
    let model = try #require(
      ImpedanceFit().fit(measured(f0: f0, q: q, sigma: 0, noise: &noise)))
    #expect(abs(model.resistance.value - 8) < 1e-5)
    #expect(abs(model.inductance.value - 0.3e-3) < 1e-9)
    #expect(abs(model.motional.value - 5) < 1e-4)
    #expect(abs(model.frequency.value / f0 - 1) < 1e-6)
    #expect(abs(model.q.value / q - 1) < 1e-5)
  }

  @Test func `in noise the stated uncertainties cover the truth`() throws {
    var noise = Noise(seed: 2)
    var covered = [0, 0, 0, 0, 0]
    for _ in 0..<60 {
      let (f0, q) = (noise.uniform(60...240), noise.uniform(4...20))
      let model = try #require(
        ImpedanceFit().fit(measured(f0: f0, q: q, sigma: 0.2, noise: &noise)))
      let pairs = [
        (model.resistance, 8), (model.inductance, 0.3e-3), (model.motional, 5),
        (model.frequency, f0), (model.q, q),
      ]
      for (index, pair) in pairs.enumerated()
      where abs(pair.0.value - pair.1) <= 2 * pair.0.uncertainty { covered[index] += 1 }
    }
    #expect(covered.allSatisfy { $0 >= 53 }, "seed 2: \(covered) of 60")
  }

  @Test func `a coil that does not move has no model`() {
    var noise = Noise(seed: 3)
    let frequencies = (0..<240).map { 20 + 4 * Double($0) }
    let coil = TransferFunction(
      spacing: 4, frequencies: frequencies,
      response: frequencies.map {
        Complex(8 + 0.05 * noise.gaussian(), 2 * .pi * $0 * 0.3e-3 + 0.05 * noise.gaussian())
      }, uncertainty: frequencies.map { _ in 0.05 })
    #expect(ImpedanceFit().fit(coil) == nil)
  }

  @Test func `voltage and current of a sweep give the impedance`() throws {
    let rate = SampleRate(hertz: 8_000)
    let sweep = SynchronizedSweep(duration: 1)
    let current = padded(sweep.samples(at: rate), rate: rate)
    var transform = FourierTransform(
      length: FourierTransform.fastLength(atLeast: 2 * current.count))
    let bins = transform.forward(current.span)
    let width = rate.hertz / Double(transform.length)
    let turned = bins.indices.map { index in
      index == 0
        ? Complex(0) : bins[index] * circuit(Double(index) * width, f0: 150, q: 8)
    }
    let voltage = Array(transform.inverse(turned).prefix(current.count))
    let found = try SweepResponse.measure(
      sweep, input: floats(current), output: floats(voltage), rate: rate)
    let model = try #require(ImpedanceFit().fit(found.linear))
    #expect(abs(model.resistance.value - 8) < 0.02, "\(model)")
    #expect(abs(model.frequency.value - 150) < 0.15, "\(model)")
    #expect(abs(model.q.value / 8 - 1) < 0.01, "\(model)")
  }
}
