/// Nights that stand alone: far from the nights around them, while those agree with each other.
///
/// A night is left out where it is more than four deviations from the running median, the deviation
/// being Huber's scale of all such differences. At the end of a series the median is of the last
/// nights, so that two bad nights there are left out as well and the third makes them a level. Where
/// many nights are left out, chance puts several beside each other: above 3.5 % the median is over
/// seven nights, above 7 % over nine, and the fewest nights of a level grow with it.
struct LoneOutliers {
  /// The indices of the values that remain.
  let kept: [Int]
  /// The fewest nights of a level that such outliers do not fake.
  let fewestNights: Int

  private static let threshold = 4.0

  init(_ values: [Double], fewestNights: Int, quantum: Double) {
    var width = 5
    var kept = Array(values.indices)
    while values.count >= width {
      let medians = Self.runningMedian(of: values, width: width)
      let residuals = zip(values, medians).map { $0 - $1 }
      let bound = Self.threshold * max(Robust.scale(residuals), 0.5 * quantum)
      kept = values.indices.filter { abs(residuals[$0]) <= bound }
      let share = 1 - Double(kept.count) / Double(values.count)
      let wanted = share > 0.07 ? 9 : share > 0.035 ? 7 : 5
      if wanted <= width { break }
      width += 2
    }
    self.kept = kept
    self.fewestNights = max(fewestNights, (width + 1) / 2)
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
