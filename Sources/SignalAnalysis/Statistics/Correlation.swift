/// How alike two series are.
public enum Correlation {
  /// The correlation coefficient of Pearson, -1 to 1, of two series of one length.
  ///
  /// Gives nil where there are fewer than two values or one series does not vary. Traps where the
  /// lengths differ.
  public static func pearson(_ first: Span<Double>, _ second: Span<Double>) -> Double? {
    precondition(first.count == second.count, "\(first.count) values beside \(second.count)")
    guard first.count > 1 else { return nil }
    let count = Double(first.count)
    var (meanA, meanB) = (0.0, 0.0)
    for index in first.indices {
      meanA += first[index]
      meanB += second[index]
    }
    (meanA, meanB) = (meanA / count, meanB / count)
    var (squareA, squareB, product) = (0.0, 0.0, 0.0)
    for index in first.indices {
      let (a, b) = (first[index] - meanA, second[index] - meanB)
      squareA += a * a
      squareB += b * b
      product += a * b
    }
    guard squareA > 0, squareB > 0 else { return nil }
    return max(-1, min(1, product / (squareA * squareB).squareRoot()))
  }
}
