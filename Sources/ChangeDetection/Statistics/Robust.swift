import Units

/// Middle and spread that a few wrong values cannot move far.
enum Robust {
  /// The median; `nil` of nothing.
  static func median(_ values: [Double]) -> Double? {
    values.isEmpty ? nil : Statistics.median(values)
  }

  /// The median absolute deviation as a standard deviation of normal values; 0 below two values.
  ///
  /// 1.4826 b(n) med |x - med x|, with the small-sample factors b(n) of Croux and Rousseeuw (1992).
  static func deviation(of values: [Double]) -> Double {
    guard values.count > 1, let center = median(values),
      let middle = median(values.map { abs($0 - center) })
    else { return 0 }
    let factors = [1.196, 1.495, 1.363, 1.206, 1.2, 1.14, 1.129, 1.107]
    let count = values.count
    let factor = count <= 9 ? factors[count - 2] : Double(count) / (Double(count) - 0.8)
    return 1.4826 * factor * middle
  }

  /// The standard deviation about 0 that bounds what each value may add: Huber's proposal 2.
  ///
  /// Solves mean(min(r^2 / s^2, c^2)) = E[min(Z^2, c^2)] for s, with c = 2. It keeps 98 % of the
  /// information of normal values and bears a fifth of them being wrong. 0 where fewer values than
  /// that differ from 0. Source: Huber, "Robust Estimation of a Location Parameter", 1964.
  static func scale(_ residuals: [Double]) -> Double {
    let squares = residuals.map { $0 * $0 }.sorted()
    let count = squares.count
    guard count > 0 else { return 0 }
    let bound = 4.0
    let expected = 0.920_536_925_636_323_2
    // With the k largest beyond the bound, s^2 = (sum of the others) / (n expected - k bound).
    var sum = squares.reduce(0, +)
    for beyond in 0..<count {
      let rest = Double(count) * expected - Double(beyond) * bound
      guard rest > 0 else { break }
      let variance = sum / rest
      if squares[count - 1 - beyond] <= bound * variance { return max(variance, 0).squareRoot() }
      sum -= squares[count - 1 - beyond]
    }
    return 0
  }
}
