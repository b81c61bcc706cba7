// SPDX-License-Identifier: Apache-2.0

import ChangeDetection
import SimulatedNights
import Testing

/// A small version of the benchmark: fixed seeds, bounds that a worse detector would break.
struct NightlyTrialTests {
  private let detector = ChangeDetector()

  private func confirmed(_ values: [Double]) -> [Int] {
    detector.changePoints(in: series(values)).filter { $0.state == .confirmed }.map(\.index)
  }

  @Test(
    arguments: [
      SimulatedNoise.gaussian, .fewOutliers, .manyOutliers, .correlated, .correlatedOutliers,
      .weaklyCorrelatedOutliers, .movingAverage, .slowDrift, .drift, .quantized,
    ])
  func `years without a change stay quiet`(noise: SimulatedNoise) {
    let alarms = NightlyTrial(noise, seed: 400).falseAlarms(years: 8, stride: 6, rule: confirmed)
    #expect(alarms <= 3, "\(alarms) alarms in 8 years, every sixth night")
  }

  @Test(arguments: [SimulatedNoise.leaping, .wandering, .stronglyCorrelated])
  func `years in which nights leap or wander are not loud`(noise: SimulatedNoise) {
    let alarms = NightlyTrial(noise, seed: 400).falseAlarms(years: 8, stride: 6, rule: confirmed)
    #expect(alarms <= 8, "\(alarms) alarms in 8 years, every sixth night")
  }

  @Test(
    arguments: zip(
      [SimulatedNoise.gaussian, .fewOutliers, .manyOutliers, .weaklyCorrelated], [19, 19, 18, 18]))
  func `steps of 2.5 sigmas are found in five nights`(noise: SimulatedNoise, located: Int) {
    let steps = NightlyTrial(noise, seed: 500).steps(years: 20, size: 2.5, rule: confirmed)
    #expect(steps.located >= located, "\(steps.located) of 20 within three nights")
    #expect(steps.delay(quantile: 0.5) <= 5)
  }

  @Test func `where neighbours are correlated, a step has to outlast what wanders`() {
    let steps = NightlyTrial(.correlated, seed: 500).steps(years: 20, size: 2.5, rule: confirmed)
    #expect(steps.located >= 17, "\(steps.located) of 20 within three nights")
    #expect(steps.delay(quantile: 0.5) <= 8)
  }

  @Test func `a step of one and a half sigmas is told in a month`() {
    let steps = NightlyTrial(.gaussian, seed: 500)
      .steps(years: 20, size: 1.5, before: 100...250, patience: 30, rule: confirmed)
    #expect(steps.told >= 17, "\(steps.told) of 20")
  }
}
