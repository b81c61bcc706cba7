// SPDX-License-Identifier: Apache-2.0

import Glibc
import SignalAnalysis
import Testing

struct NoiseFloorTests {
  @Test func `offset and sigma of Gaussian noise are covered by their uncertainties`() throws {
    var (offsets, sigmas) = (0, 0)
    for seed in UInt64(1)...200 {
      var noise = Noise(seed: seed)
      let samples = noise.added(to: [Double](repeating: 0.5, count: 500), sigma: 0.02)
      let floor = try #require(NoiseFloor.estimate(samples))
      if abs(floor.offset.value - 0.5) < 2 * floor.offset.uncertainty { offsets += 1 }
      if abs(floor.sigma.value - 0.02) < 2 * floor.sigma.uncertainty { sigmas += 1 }
      #expect((495...500).contains(floor.count))
    }
    #expect(offsets > 180 && sigmas > 180, "seeds 1 to 200: \(offsets), \(sigmas) of 200")
  }

  @Test func `a click moves neither offset nor sigma`() throws {
    var noise = Noise(seed: 61)
    var samples = noise.added(to: [Double](repeating: 0, count: 1_000), sigma: 0.01)
    let before = try #require(NoiseFloor.estimate(samples))
    samples[400] = 30
    samples[401] = -20
    let after = try #require(NoiseFloor.estimate(samples))
    #expect(after.count == before.count - 2)
    #expect(abs(after.sigma.value / before.sigma.value - 1) < 0.01)
    #expect(abs(after.offset.value - before.offset.value) < 1e-4)
  }

  @Test func `a converter at rest has the noise of its few steps`() throws {
    var samples = [Float](repeating: 0, count: 1_000)
    for index in stride(from: 0, to: 1_000, by: 10) { samples[index] = index % 20 == 0 ? 1 : -1 }
    let floor = try #require(NoiseFloor.estimate(samples))
    #expect(abs(floor.sigma.value - 0.1.squareRoot()) < 1e-3)
  }

  @Test func `digital silence has no noise`() throws {
    let samples = [Float](repeating: 0.25, count: 100)
    let floor = try #require(NoiseFloor.estimate(samples))
    #expect(floor.sigma.value == 0)
    #expect(floor.offset.value == 0.25)
  }

  @Test func `too few samples or one that is not a number give nothing`() {
    let few: [Float] = [0, 1, 2, 3, 4, 5, 6]
    let broken: [Float] = [0, 1, 2, 3, 4, 5, 6, .nan]
    #expect(NoiseFloor.estimate(few) == nil)
    #expect(NoiseFloor.estimate(broken) == nil)
  }
}
