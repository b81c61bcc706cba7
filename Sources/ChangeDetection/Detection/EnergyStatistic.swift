/// The energy statistic of E-divisive: how far apart the distributions left and right of a split are.
///
/// Source: Matteson and James, "A Nonparametric Approach for Multiple Change Point Analysis of
/// Multivariate Data", Journal of the American Statistical Association 109 (2014), equations 5 and
/// 6, with alpha = 1; the right part ends where the segment ends, as in Hunter (Fleming and others,
/// "Hunter: Using Change Point Detection to Hunt for Performance Regressions", 2023).
public enum EnergyStatistic {
  /// The statistic Q of every split of a stretch of values, the highest, and where.
  ///
  /// With n values left and m right of the split,
  /// Q = n m / (n + m) (2 / (n m) sum |x - y| - 2 / (n (n - 1)) sum |x - x'| - 2 / (m (m - 1))
  /// sum |y - y'|), each pair counted once. Of equal splits the first counts.
  ///
  /// - Parameters:
  ///   - values: The values, in order.
  ///   - range: The stretch of them.
  ///   - fewestValues: The fewest values a side, at least 2.
  /// - Returns: The index of the first value right of the split, and Q; `nil` where the stretch is
  ///   too short.
  /// - Complexity: O(n^2) in the length of the stretch.
  public static func bestSplit(
    of values: [Double], in range: Range<Int>, fewestValues: Int
  ) -> (index: Int, statistic: Double)? {
    let side = max(fewestValues, 2)
    let count = range.count
    guard count >= 2 * side else { return nil }
    // before[i] and after[i]: the sums of the distances of value i to all before and after it.
    var before = [Double](repeating: 0, count: count)
    var after = before
    var total = 0.0
    values.withUnsafeBufferPointer { all in
      for i in 0..<count {
        let value = all[range.lowerBound + i]
        var sum = 0.0
        for j in 0..<i {
          let distance = abs(value - all[range.lowerBound + j])
          sum += distance
          after[j] += distance
        }
        before[i] = sum
        total += sum
      }
    }
    var best: (index: Int, statistic: Double)?
    var left = 0.0
    var right = total
    for split in 1...(count - side) {
      left += before[split - 1]
      right -= after[split - 1]
      guard split >= side else { continue }
      let n = Double(split)
      let m = Double(count - split)
      let between = total - left - right
      let statistic =
        n * m / (n + m)
        * (2 * between / (n * m) - 2 * left / (n * (n - 1)) - 2 * right / (m * (m - 1)))
      if statistic > best?.statistic ?? -.infinity {
        best = (range.lowerBound + split, statistic)
      }
    }
    return best
  }
}
