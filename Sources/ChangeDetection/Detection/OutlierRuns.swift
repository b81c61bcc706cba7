private import Glibc

/// Whether the nights of a new level could be outliers that came one after the other.
///
/// Where a tenth of the nights are outliers, three in a row come every third year, and look like a step. So
/// a split is held against how often they come in this very series: the more of them, the more nights a
/// new level needs.
struct OutlierRuns {
  /// All nights, those that are left out among them.
  let values: [Double]
  /// The indices of the nights that are not left out.
  let kept: [Int]
  /// How likely a night is an outlier above its level, and below.
  let shares: (above: Double, below: Double)

  /// A level that has lasted longer than this is none of outliers.
  private static let longest = 30

  /// The chance that so many nights of either level are on their side of the middle by being outliers.
  ///
  /// - Parameters:
  ///   - split: The first kept night of the new level.
  ///   - range: The kept nights of both levels.
  ///   - before: The level before.
  ///   - after: The level after.
  /// - Returns: The chance, of the level that is likelier one of outliers.
  func chance(at split: Int, in range: Range<Int>, before: Double, after: Double) -> Double {
    let first = range.lowerBound == 0 ? 0 : kept[range.lowerBound]
    let end = range.upperBound == kept.count ? values.count : kept[range.upperBound]
    let middle = 0.5 * (before + after)
    let rises = after > before
    return max(
      chance(of: first..<kept[split], above: !rises, middle),
      chance(of: kept[split]..<end, above: rises, middle))
  }

  /// The upper tail of the binomial distribution.
  private func chance(of nights: Range<Int>, above: Bool, _ middle: Double) -> Double {
    guard nights.count <= Self.longest else { return 0 }
    let share = above ? shares.above : shares.below
    let count = nights.count
    let seen = nights.count { (values[$0] > middle) == above }
    var term = pow(share, Double(count))
    var sum = term
    for outliers in stride(from: count, to: seen, by: -1) {
      term *= Double(outliers) / Double(count - outliers + 1) * (1 - share) / share
      sum += term
    }
    return min(sum, 1)
  }
}
