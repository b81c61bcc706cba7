// SPDX-License-Identifier: Apache-2.0

import Glibc
import SignalAnalysis
import Testing
import Units

struct RingDownTests {
  private let rate = SampleRate(hertz: 8_000)

  /// The free decay of x'' + w0/Q x' + w0^2 x = 0 from x = 1, x' = v.
  private func ring(_ f0: Double, _ q: Double, count: Int = 3_000) -> [Double] {
    let w0 = 2 * Double.pi * f0
    let wd = w0 * (1 - 1 / (4 * q * q)).squareRoot()
    return (0..<count).map { frame in
      let t = Double(frame) / rate.hertz
      return exp(-w0 / (2 * q) * t) * cos(wd * t + 0.4)
    }
  }

  @Test(arguments: [3.0, 8, 15, 30], [65.0, 150, 240])
  func `without noise f0 and Q are exact`(q: Double, f0: Double) throws {
    let found = try #require(
      RingDown.measure(floats(ring(f0, q).map { $0 + 9.8 }), rate: rate))
    #expect(abs(found.frequency.value / f0 - 1) < 1e-5, "\(found)")
    #expect(abs(found.q.value / q - 1) < 1e-4, "\(found)")
  }

  @Test func `it is the fit of SciPy`() throws {
    // t = arange(600); v = float32(0.02 + 2 exp(-t/150) cos(2 pi 0.02 t + 0.4) + 0.1 u)
    // scipy.optimize.curve_fit(lambda t,f,d,a,b,c: exp(-d t) (a cos(2 pi f t) + b sin(2 pi f t)) + c, t, v, [.02, 1/150, 2, 0, 0])
    var noise = Noise(seed: 12)
    let samples = (0..<600).map { frame in
      let t = Double(frame)
      return Float(
        0.02 + 2 * exp(-t / 150) * cos(2 * .pi * 0.02 * t + 0.4) + 0.1 * (noise.uniform() - 0.5))
    }
    let found = try #require(
      RingDown.measure(samples, rate: SampleRate(hertz: 1), band: 0.001...0.4))
    // f 0.01999997 and d 0.00662344: f0 is their hypotenuse in turns.
    #expect(abs(found.frequency.value - hypot(0.01999997, 0.00662344 / (2 * .pi))) < 1e-8)
    #expect(abs(found.q.value - 9.499446084) < 1e-4)
  }

  @Test(arguments: [20.0, 40])
  func `in noise the stated uncertainties cover the truth`(ratio: Double) throws {
    var noise = Noise(seed: 13)
    var covered = [0, 0]
    let trials = 60
    for _ in 0..<trials {
      let (f0, q) = (noise.uniform(60...240), noise.uniform(3...20))
      let samples = noise.added(to: ring(f0, q, count: 1_200), sigma: pow(10, -ratio / 20))
      let found = try #require(RingDown.measure(samples, rate: rate, frequency: f0))
      let pairs = [(found.frequency, f0), (found.q, q)]
      for (index, pair) in pairs.enumerated()
      where abs(pair.0.value - pair.1) <= 2 * pair.0.uncertainty { covered[index] += 1 }
    }
    #expect(
      covered.allSatisfy { $0 >= 53 }, "seed 13, \(ratio) dB: \(covered) of \(trials)")
  }

  @Test func `noise, silence and scraps are no ring`() {
    var noise = Noise(seed: 15)
    for _ in 0..<10 {
      let samples = (0..<1_000).map { _ in Float(noise.gaussian()) }
      #expect(RingDown.measure(samples, rate: rate, band: 20...1_000) == nil, "seed 15")
    }
    #expect(RingDown.measure([Float](repeating: 0, count: 1_000), rate: rate) == nil)
    #expect(RingDown.measure(floats(ring(150, 8, count: 12)), rate: rate) == nil)
    #expect(RingDown.measure(floats(ring(20, 8, count: 100)), rate: rate, frequency: 20) == nil)
  }
}
