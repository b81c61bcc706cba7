// SPDX-License-Identifier: Apache-2.0

import SeededRandom
import SimulatedNights
import Testing

@testable import ChangeDetection

struct NoiseEstimateTests {
  private func estimate(_ values: [Double], _ days: [Int]? = nil) -> NoiseEstimate {
    NoiseEstimate(
      values: values, days: (days ?? Array(values.indices)).map(Double.init), floor: 1e-9,
      fewestNights: 3)
  }

  @Test func `the weights of all models are one together`() {
    let noise = estimate(quietNights(60, seed: 1))
    #expect(abs(noise.models.reduce(0) { $0 + $1.weight } - 1) < 1e-12)
    #expect(noise.models.allSatisfy { $0.weight <= noise.models[noise.likeliest].weight })
  }

  @Test func `few nights count as independent`() {
    let noise = estimate(quietNights(20, seed: 2))
    #expect(noise.models[noise.likeliest].filter.model.wandering == 0)
  }

  @Test func `nights left out do not make correlated ones independent`() {
    var random = SeededRandom(seed: 14)
    let values = SimulatedNoise.correlated.nights(400, using: &random)
    let some = values.indices.filter { $0 % 3 != 1 }
    for noise in [estimate(values), estimate(some.map { values[$0] }, some)] {
      let likeliest = noise.models[noise.likeliest]
      #expect(likeliest.filter.model == NoiseModel.all[2])
      #expect(abs(likeliest.deviation - 1) < 0.15)
    }
  }

  @Test func `steps are not taken for noise, and a drift is a line`() {
    var random = SeededRandom(seed: 15)
    let nights = SimulatedNoise.gaussian.nights(365, using: &random)
    let stepped = nights.enumerated().map { $1 + [0, 4, 1, 5][$0 / 92] }
    let noise = estimate(stepped)
    #expect(noise.likeliest == 0)
    #expect(abs(noise.models[0].deviation - 1) < 0.12)
    let drifting = estimate(nights.enumerated().map { $1 + 0.02 * Double($0) })
    let likeliest = drifting.models[drifting.likeliest]
    #expect(likeliest.hasLines)
    #expect(abs(likeliest.deviation - 1) < 0.12)
  }

  @Test(arguments: [1e-6, 0.3, 1e9])
  func `the unit of the values does not matter`(unit: Double) {
    var random = SeededRandom(seed: 16)
    let nights = SimulatedNoise.wandering.nights(200, using: &random)
    let one = estimate(nights)
    let other = NoiseEstimate(
      values: nights.map { unit * $0 }, days: nights.indices.map(Double.init), floor: 1e-9 * unit,
      fewestNights: 3)
    for (one, other) in zip(one.models, other.models) {
      #expect(abs(one.weight - other.weight) < 1e-6)
      #expect(abs(unit * one.deviation - other.deviation) < 1e-9 * unit)
    }
  }

  /// Sixty nights at 0, then others, in the model of correlation 0.5 and deviation 1: least
  /// squares, and with every night bounded.
  private func scores(of last: [Double]) -> (free: Double, bounded: Double) {
    let values = [Double](repeating: 0, count: 60) + last
    return scores(values, at: 60, isAfter: true)
  }

  private func scores(
    _ values: [Double], at place: Int, isAfter: Bool
  ) -> (free: Double, bounded: Double) {
    var model = estimate(values).models[2]
    model.deviation = 1
    let level = model.filter.level(of: isAfter ? 0..<place : place..<values.count)
    _ = model.filter.scan(values.indices)
    let step = model.filter.step(at: place)
    let bounded = model.boundedScore(
      at: place, in: values.indices, isAfter: isAfter, against: level, 1)
    return (step.size / step.variance.squareRoot(), bounded)
  }

  @Test func `a leap that fades as correlated nights do counts for its first night alone`() {
    let (free, bounded) = scores(of: [8, 4, 2, 1])
    #expect(free > 5)
    #expect(abs(bounded) < 3)
  }

  @Test func `a step of three deviations loses nothing by the bound`() {
    let (free, bounded) = scores(of: [3, 3, 3, 3])
    #expect(free > 3)
    #expect(abs(bounded - free) < 0.05 * free)
  }

  @Test func `the bounded score is the same backwards`() {
    let values = [Double](repeating: 0, count: 60) + [6, 3, 2, 4]
    let forwards = scores(values, at: 60, isAfter: true).bounded
    let backwards = scores(values.reversed(), at: 4, isAfter: false).bounded
    #expect(abs(forwards - backwards) < 1e-9)
  }
}
