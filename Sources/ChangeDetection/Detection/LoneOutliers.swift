/// Nights that stand alone: far from the nights around them, while those agree with each other.
///
/// A night is left out where it is more than four deviations from the running median. The deviation is
/// Huber's scale of all such differences, then twice that of the ones within the bound, because many
/// outliers swell it. The median is over five nights; where more than 3.5 % are left out chance puts several
/// beside each other, and it is over seven, above 7 % over nine. At the ends of a series it is over the last
/// five or seven, so that a new level shows there after three or four nights.
struct LoneOutliers {
  /// The indices of the values that remain.
  let kept: [Int]
  /// How likely a night is an outlier above its level, and below: with one of each taken for seen.
  let shares: (above: Double, below: Double)

  private static let threshold = 4.0
  private static let roundsOfScale = 2
  private static let widestAtEnds = 7

  init(_ values: [Double], quantum: Double) {
    var width = 5
    var kept = Array(values.indices)
    var shares = (above: 1 / Double(values.count + 2), below: 1 / Double(values.count + 2))
    while values.count >= width {
      let residuals = zip(values, Self.medians(of: values, width: width)).map { $0 - $1 }
      var bound = Self.threshold * max(Robust.scale(residuals), 0.5 * quantum)
      for _ in 0..<Self.roundsOfScale {
        let within = residuals.filter { abs($0) <= bound }
        bound = Self.threshold * max(Robust.scale(within), 0.5 * quantum)
      }
      kept = values.indices.filter { abs(residuals[$0]) <= bound }
      let above = residuals.count { $0 > bound }
      let below = residuals.count { $0 < -bound }
      let nights = Double(values.count + 2)
      shares = (Double(above + 1) / nights, Double(below + 1) / nights)
      let share = 1 - Double(kept.count) / Double(values.count)
      let wanted = share > 0.07 ? 9 : share > 0.035 ? 7 : 5
      if wanted <= width { break }
      width += 2
    }
    self.kept = kept
    self.shares = shares
  }

  /// The running median, narrower at the ends.
  private static func medians(of values: [Double], width: Int) -> [Double] {
    var medians = runningMedian(of: values, width: width)
    guard width > widestAtEnds else { return medians }
    let narrow = runningMedian(of: values, width: widestAtEnds)
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
