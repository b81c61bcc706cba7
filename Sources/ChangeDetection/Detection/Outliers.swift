// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// Nights that stand alone: far from the nights around them, while those agree with each other.
///
/// A night is left out where it is more than four deviations from the running median. The deviation
/// is Huber's scale of all such differences, then twice that of the ones within the bound, because
/// many outliers swell it. The median is over five nights; where more than 3.5 % are left out
/// chance puts several beside each other, and it is over seven, above 7 % over nine. At the ends of
/// a series it is over the last five, so that a new level shows there after three nights.
struct LoneOutliers {
  /// The indices of the values that remain.
  let kept: [Int]
  /// With one of each taken for seen, beside what a prior knows.
  let shares: Shares

  /// How likely a night is an outlier above its level, and below.
  struct Shares: Sendable, Hashable {
    var above: Double
    var below: Double
  }

  private static let threshold = 4.0
  private static let roundsOfScale = 2
  private static let widthAtEnds = 5
  /// The newest nights, which may be those of a new level, do not count for how many are outliers.
  private static let newest = 4

  init(
    _ values: [Double], quantum: Double, prior: (shares: Shares, nights: Double)? = nil
  ) {
    let (known, worth) = prior ?? (Shares(above: 0, below: 0), 0)
    func shares(above: Int, below: Int) -> Shares {
      let nights = Double(values.count + 2) + worth
      return Shares(
        above: (Double(above + 1) + worth * known.above) / nights,
        below: (Double(below + 1) + worth * known.below) / nights)
    }
    var width = Self.widthAtEnds
    var kept = Array(values.indices)
    var seen = shares(above: 0, below: 0)
    while values.count >= width {
      let residuals = zip(values, Self.medians(of: values, width: width)).map { $0 - $1 }
      var bound = Self.threshold * max(Robust.scale(residuals), 0.5 * quantum)
      for _ in 0..<Self.roundsOfScale {
        let within = residuals.filter { abs($0) <= bound }
        bound = Self.threshold * max(Robust.scale(within), 0.5 * quantum)
      }
      kept = values.indices.filter { abs(residuals[$0]) <= bound }
      let old = residuals.prefix(max(values.count - Self.newest, 1))
      let above = old.count { $0 > bound }
      let below = old.count { $0 < -bound }
      seen = shares(above: above, below: below)
      let share = Double(above + below) / Double(old.count)
      let wanted = share > 0.07 ? 9 : share > 0.035 ? 7 : 5
      if wanted <= width { break }
      width += 2
    }
    self.kept = kept
    self.shares = seen
  }

  private static func medians(of values: [Double], width: Int) -> [Double] {
    var medians = runningMedian(of: values, width: width)
    guard width > widthAtEnds else { return medians }
    let narrow = runningMedian(of: values, width: widthAtEnds)
    for index in 0..<width / 2 {
      medians[index] = narrow[index]
      medians[values.count - 1 - index] = narrow[values.count - 1 - index]
    }
    return medians
  }

  /// The median of the `width` values about each; at the ends, of the first or last ones.
  static func runningMedian(of values: [Double], width: Int) -> [Double] {
    var window = [Double](repeating: 0, count: width)
    return values.indices.map { index in
      let start = min(max(index - width / 2, 0), values.count - width)
      for offset in 0..<width {
        let value = values[start + offset]
        var place = offset
        while place > 0, window[place - 1] > value {
          window[place] = window[place - 1]
          place -= 1
        }
        window[place] = value
      }
      return window[width / 2]
    }
  }
}

/// Whether the nights of a new level could be outliers that came one after the other.
///
/// Where a tenth of the nights are outliers, three in a row come every third year, and look like a
/// step. So a split is held against how often they come in this very series: the more of them, the
/// more nights a new level needs.
struct OutlierRuns {
  /// All nights, those that are left out among them.
  let values: [Double]
  /// The indices of the nights that are not left out.
  let kept: [Int]
  let shares: LoneOutliers.Shares

  /// A level that has lasted longer than this is none of outliers.
  private static let longest = 30

  /// The chance that so many nights of either level are on their side of the middle by being
  /// outliers, of the level that is likelier one of them.
  ///
  /// `split` is the first kept night of the new level, `range` the kept nights of both.
  func chance(at split: Int, in range: Range<Int>, before: Double, after: Double) -> Double {
    let first = range.lowerBound == 0 ? 0 : kept[range.lowerBound]
    let end = range.upperBound == kept.count ? values.count : kept[range.upperBound]
    let middle = 0.5 * (before + after)
    let rises = after > before
    return max(
      chance(of: first..<kept[split], above: !rises, middle),
      chance(of: kept[split]..<end, above: rises, middle))
  }

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
