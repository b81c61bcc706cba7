private import Glibc

/// Student's t distribution.
enum StudentDistribution {
  /// The chance that |t| is at least this large, both tails.
  ///
  /// The regularized incomplete beta function I(v / (v + t^2); v/2, 1/2) by Lentz's continued
  /// fraction. Source: Press and others, "Numerical Recipes", 6.4.
  static func tails(beyond t: Double, freedom: Double) -> Double {
    guard t.isFinite else { return t.isNaN ? 1 : 0 }
    let square = t * t
    return incompleteBeta(
      at: freedom / (freedom + square), complement: square / (freedom + square),
      0.5 * freedom, 0.5)
  }

  private static func incompleteBeta(
    at x: Double, complement: Double, _ a: Double, _ b: Double
  ) -> Double {
    guard x > 0 else { return 0 }
    guard complement > 0 else { return 1 }
    let front = exp(
      lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(complement))
    return x < (a + 1) / (a + b + 2)
      ? front * fraction(x, a, b) / a
      : 1 - front * fraction(complement, b, a) / b
  }

  private static func fraction(_ x: Double, _ a: Double, _ b: Double) -> Double {
    let tiny = 1e-300
    func kept(_ value: Double) -> Double { abs(value) < tiny ? tiny : value }
    var c = 1.0
    var d = 1 / kept(1 - (a + b) * x / (a + 1))
    var result = d
    for step in 1...300 {
      let m = Double(step)
      let even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
      d = 1 / kept(1 + even * d)
      c = kept(1 + even / c)
      result *= d * c
      let odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
      d = 1 / kept(1 + odd * d)
      c = kept(1 + odd / c)
      result *= d * c
      if abs(d * c - 1) < 1e-14 { break }
    }
    return result
  }
}
