/// Some nights made ready for tests: what disturbs taken away, the noise known, splits tested.
struct Examination {
  private let nights: [Night]
  /// The indices of the nights that are not left out.
  private let kept: [Int]
  private var test: StepTest

  /// Fewer nights tell nothing of their noise.
  private static let fewestNights = 8
  /// Of a double's 53 bits: how far values may differ by rounding alone.
  private static let rounding = 1e-12
  /// What nights of 0 scatter: so much that its square is not 0.
  private static let leastScatter = 1e-100

  init?(_ nights: [Night], settings: DetectorSettings, minimum: MinimumEffect) {
    guard nights.count >= max(Self.fewestNights, 2 * settings.fewestNights) else { return nil }
    let raw = nights.map(\.value)
    let largest = raw.reduce(0) { max($0, abs($1)) }
    let quantum = Self.quantum(of: raw, rounding: Self.rounding * largest)
    let pattern = WeeklyPattern(days: nights.map(\.day), values: raw)
    let values = nights.map { pattern.removed(from: $0.value, on: $0.day) }
    let lone = LoneOutliers(values, quantum: quantum)
    guard lone.kept.count >= max(Self.fewestNights, 2 * settings.fewestNights) else { return nil }
    let keptNights = lone.kept.map { nights[$0] }
    // A night scatters at least as rounding to the quantum does, and its own measurement.
    let floor = max(
      quantum / 12.0.squareRoot(), Robust.median(keptNights.map(\.uncertainty)) ?? 0,
      Self.rounding * largest, Self.leastScatter)
    self.nights = nights
    kept = lone.kept
    test = StepTest(
      nights: keptNights, minimum: minimum, fewestNights: settings.fewestNights,
      runs: OutlierRuns(values: values, kept: lone.kept, shares: lone.shares),
      noise: NoiseEstimate(
        values: lone.kept.map { values[$0] },
        days: keptNights.map { Double($0.day - nights[0].day) }, floor: floor,
        fewestNights: settings.fewestNights))
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

  /// The smallest difference of two values that is not rounding of doubles; 0 where all are equal.
  private static func quantum(of values: [Double], rounding: Double) -> Double {
    let sorted = values.sorted()
    var smallest = Double.infinity
    for (lower, upper) in zip(sorted, sorted.dropFirst()) where upper - lower > rounding {
      smallest = min(smallest, upper - lower)
    }
    return smallest.isFinite ? smallest : 0
  }
}
