// SPDX-License-Identifier: Apache-2.0

/// Some nights made ready for tests: what disturbs taken away, the noise known, splits tested.
struct Examination {
  private let nights: [Night]
  /// The indices of the nights that are not left out.
  private let kept: [Int]
  private var test: StepTest

  /// Fewer nights tell nothing of their noise.
  static let fewestNights = 8
  /// Of a double's 53 bits: how far values may differ by rounding alone.
  private static let relativeRounding = 1e-12
  /// What nights of 0 scatter: so much that its square is not 0.
  private static let smallest = 1e-100

  var noise: NoiseEstimate { test.noise }
  /// How likely a night is an outlier.
  var shares: LoneOutliers.Shares { test.runs.shares }

  init?(
    _ nights: [Night], settings: DetectorSettings, minimum: MinimumEffect, prior: NoisePrior?
  ) {
    guard nights.count >= max(Self.fewestNights, 2 * settings.fewestNights) else { return nil }
    let raw = nights.map(\.value)
    let quantum = Self.quantum(of: raw)
    let pattern = WeeklyPattern(days: nights.map(\.day), values: raw)
    let values = nights.map { pattern.removed(from: $0.value, on: $0.day) }
    let lone = LoneOutliers(values, quantum: quantum, prior: prior?.outliers)
    guard lone.kept.count >= max(Self.fewestNights, 2 * settings.fewestNights) else { return nil }
    let keptNights = lone.kept.map { nights[$0] }
    self.nights = nights
    kept = lone.kept
    test = StepTest(
      nights: keptNights, minimum: minimum, fewestNights: settings.fewestNights,
      runs: OutlierRuns(values: values, kept: lone.kept, shares: lone.shares),
      noise: NoiseEstimate(
        values: lone.kept.map { values[$0] },
        days: keptNights.map { Double($0.day - nights[0].day) },
        floor: Self.leastScatter(of: keptNights, quantum: quantum),
        fewestNights: settings.fewestNights, prior: prior))
  }

  /// The changes that hold at one chance by noise; and at another, lower one, of those, the ones
  /// that hold still.
  mutating func points(
    candidate: Double, sure: Double?
  ) -> (candidates: [ChangePoint], sure: [ChangePoint]) {
    let candidates = test.merged(test.proposals(), significance: candidate)
    let places = candidates.map(\.index)
    return (
      points(candidates), sure.map { points(test.merged(places, significance: $0)) } ?? []
    )
  }

  private func points(_ splits: [StepTest.Split]) -> [ChangePoint] {
    splits.indices.map { at in
      let split = splits[at]
      let levels = test.levels(at: split.index, in: test.range(around: at, of: splits))
      let index = kept[split.index]
      return ChangePoint(
        index: index, day: nights[index].day, lastDayBefore: nights[kept[split.index - 1]].day,
        before: levels.before, after: levels.after, uncertainty: split.deviation,
        significance: split.chance, state: .confirmed)
    }
  }

  /// What a night scatters at least: as rounding to the quantum does, and its own measurement.
  static func leastScatter(of nights: some Collection<Night>, quantum: Double) -> Double {
    max(
      quantum / 12.0.squareRoot(), Robust.median(nights.map(\.uncertainty)) ?? 0,
      rounding(of: nights.map(\.value)), smallest)
  }

  private static func rounding(of values: [Double]) -> Double {
    relativeRounding * values.reduce(0) { max($0, abs($1)) }
  }

  /// The smallest difference of two values that is not rounding of doubles; 0 where all are equal.
  static func quantum(of values: [Double]) -> Double {
    let rounding = rounding(of: values)
    let sorted = values.sorted()
    var smallest = Double.infinity
    for (lower, upper) in zip(sorted, sorted.dropFirst()) where upper - lower > rounding {
      smallest = min(smallest, upper - lower)
    }
    return smallest.isFinite ? smallest : 0
  }
}
