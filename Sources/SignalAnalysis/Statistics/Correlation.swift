/// How alike two series are.
public enum Correlation {
  /// The correlation coefficient of Pearson, -1 to 1, of two series of one length.
  ///
  /// Gives nil where there are fewer than two values or one series does not vary. Traps where the
  /// lengths differ.
  public static func pearson(_ first: [Double], _ second: [Double]) -> Double? {
    precondition(first.count == second.count, "\(first.count) values beside \(second.count)")
    guard first.count > 1 else { return nil }
    let count = Double(first.count)
    let (meanA, meanB) = (first.reduce(0, +) / count, second.reduce(0, +) / count)
    var (squareA, squareB, product) = (0.0, 0.0, 0.0)
    for (a, b) in zip(first, second) {
      squareA += (a - meanA) * (a - meanA)
      squareB += (b - meanB) * (b - meanB)
      product += (a - meanA) * (b - meanB)
    }
    guard squareA > 0, squareB > 0 else { return nil }
    return max(-1, min(1, product / (squareA * squareB).squareRoot()))
  }
}
