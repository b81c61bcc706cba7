// SPDX-License-Identifier: Apache-2.0

private import Glibc
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
  static func scale(_ residuals: [Double]) -> Double { scale(residuals.span) }

  /// The same of a part of an array.
  static func scale(_ residuals: Span<Double>) -> Double {
    let (bound, expected) = (4.0, 0.920_536_925_636_323_2)
    let total = Double(residuals.count) * expected
    var limit = Double.infinity
    var beyond = -1
    // With k values beyond the bound, s^2 = (sum of the others' squares) / (n expected - k bound).
    // The bound falls with each that it leaves out, so that those beyond it once stay there.
    while true {
      var (count, sum) = (0, 0.0)
      for index in residuals.indices {
        let square = residuals[index] * residuals[index]
        let isWithin = square <= limit
        sum += isWithin ? square : 0
        count += isWithin ? 0 : 1
      }
      let rest = total - Double(count) * bound
      guard rest > 0 else { return 0 }
      let variance = sum / rest
      if count == beyond { return variance.squareRoot() }
      (beyond, limit) = (count, min(limit, bound * variance))
    }
  }
}

extension Robust {
  /// The correlation of neighbours among residuals, clipped at 2.5 of their deviations so that one bad night does
  /// not hide it; 0 where all are 0.
  static func neighbourCorrelation(_ residuals: [Double]) -> Double {
    let bound = 2.5 * scale(residuals)
    let clipped = residuals.map { min(max($0, -bound), bound) }
    let power = clipped.reduce(0) { $0 + $1 * $1 }
    let product = zip(clipped, clipped.dropFirst()).reduce(0) { $0 + $1.0 * $1.1 }
    return power > 0 ? product / power : 0
  }
}

package enum StudentDistribution {
  /// The chance that |t| is at least this large, both tails.
  ///
  /// The regularized incomplete beta function I(v / (v + t^2); v/2, 1/2) by Lentz's continued
  /// fraction. Source: Press and others, "Numerical Recipes", 6.4.
  package static func tails(beyond t: Double, freedom: Double) -> Double {
    guard t.isFinite else { return t.isNaN ? 1 : 0 }
    // Of very many degrees of freedom it is the normal distribution.
    guard freedom < 1e8 else { return erfc(abs(t) / 2.0.squareRoot()) }
    let square = t * t
    return incompleteBeta(
      at: freedom / (freedom + square), complement: square / (freedom + square),
      0.5 * freedom, 0.5)
  }

  fileprivate static func incompleteBeta(
    at x: Double, complement: Double, _ a: Double, _ b: Double
  ) -> Double {
    guard x > 0 else { return 0 }
    guard complement > 0 else { return 1 }
    let front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(complement))
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

package enum FisherDistribution {
  /// The chance that a quotient of two mean squares with these degrees of freedom is at least this large.
  ///
  /// I(d / (d + n F); d/2, n/2) with n degrees of freedom above and d below.
  package static func tail(beyond ratio: Double, above n: Double, below d: Double) -> Double {
    guard ratio.isFinite else { return ratio.isNaN ? 1 : 0 }
    let whole = d + n * ratio
    return StudentDistribution.incompleteBeta(
      at: d / whole, complement: n * ratio / whole, 0.5 * d, 0.5 * n)
  }
}
