private import Glibc

/// Sums over a list of numbers that several estimators need.
public enum Statistics {
  /// The median, for an even count the mean of the two in the middle; traps on an empty list.
  public static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count.isMultiple(of: 2)
      ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
  }

  /// The mean and the standard deviation with n - 1 in the divisor; 0 for one number, NaN for none.
  public static func moments(_ values: [Double]) -> (mean: Double, sigma: Double) {
    let count = Double(values.count)
    let mean = values.reduce(0, +) / count
    let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    return (mean, count > 1 ? (squares / (count - 1)).squareRoot() : 0)
  }

  /// The probability that chi-square with some degrees of freedom exceeds a value.
  ///
  /// Q(k/2, x/2), the regularised upper incomplete gamma function: a series below the mean, a
  /// continued fraction (modified Lentz) above it, as in Numerical Recipes 6.2.
  static func chiSquareTail(_ value: Double, degreesOfFreedom: Int) -> Double {
    guard degreesOfFreedom > 0, value > 0 else { return 1 }
    let (a, x) = (Double(degreesOfFreedom) / 2, value / 2)
    let front = exp(a * log(x) - x - lgamma(a))
    if x < a + 1 {
      var (term, sum, n) = (1 / a, 1 / a, a)
      while abs(term) > 1e-16 * abs(sum) {
        n += 1
        term *= x / n
        sum += term
      }
      return 1 - front * sum
    }
    let tiny = 1e-300
    var b = x + 1 - a
    var c = 1 / tiny
    var d = 1 / b
    var h = d
    for i in 1...500 {
      let an = -Double(i) * (Double(i) - a)
      b += 2
      d = an * d + b
      d = 1 / (abs(d) < tiny ? tiny : d)
      c = b + an / c
      if abs(c) < tiny { c = tiny }
      h *= d * c
      if abs(d * c - 1) < 1e-15 { break }
    }
    return front * h
  }
}
