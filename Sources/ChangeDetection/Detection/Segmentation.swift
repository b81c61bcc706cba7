/// The work of one detection: splits that the energy statistic proposes, tested, then merged.
///
/// The order of Hunter (Fleming and others, 2023), now Apache Otava: windows over the series, weak
/// points in each, then the least significant point is taken away until all that remain hold. Where
/// Hunter asks a t-test, here is the step test of correlated noise.
struct Segmentation {
  let settings: DetectorSettings
  let minimum: MinimumEffect
  let series: WhitenedSeries
  /// The measurement's standard uncertainty of each night.
  let uncertainties: [Double]
  let noise: NoiseModel
  /// What splits are held against besides; `nil` where they are only looked for.
  let runs: OutlierRuns?
  /// The nights after which a split has had its chances; later ones count as further trials.
  let youth: Double

  /// How much weaker than asked a point may be before merging.
  static let weakness = 10.0

  var count: Int { series.values.count }

  /// The fewest nights of a level.
  var fewestNights: Int { settings.fewestNights }

  /// The points that windows of the series propose, ascending.
  func weakPoints(significance: Double) -> [Int] {
    var found: Set<Int> = []
    let weak = significance * Self.weakness
    var start = 0
    while start < count {
      let end = min(start + settings.window, count)
      var inside: [Int] = []
      divide(start..<end, significance: weak, into: &inside)
      found.formUnion(inside)
      if end == count { break }
      start = max(inside.last ?? 0, start + settings.window / 2)
    }
    // The last nights once more, with a whole window behind them.
    var latest: [Int] = []
    divide(max(0, count - settings.window)..<count, significance: weak, into: &latest)
    return found.union(latest).sorted()
  }

  /// E-divisive: splits where the energy statistic is highest, then both parts.
  private func divide(_ range: Range<Int>, significance: Double, into found: inout [Int]) {
    guard
      let best = EnergyStatistic.bestSplit(
        of: series.values, in: range, fewestValues: fewestNights)
    else { return }
    let split = settled(best.index, in: range)
    guard test(split, in: range).chance <= significance else { return }
    divide(range.lowerBound..<split, significance: significance, into: &found)
    found.append(split)
    divide(split..<range.upperBound, significance: significance, into: &found)
  }
}
