private import Glibc

/// What a count of rare events says about their mean.
public enum PoissonBound {
  /// The largest mean under which so few events or fewer still happen with probability 1 - confidence.
  ///
  /// Solves sum(k = 0...count) exp(-m) m^k / k! = 1 - confidence for m (Garwood's upper limit); none at
  /// 95 % gives 3.0, the rule of three. Cost: some 60 sums of `count` terms, above 144 of
  /// them 12 times its square root.
  public static func upper(count: Int, confidence: Double = 0.95) -> Double {
    precondition(count >= 0, "a count is not negative: \(count)")
    precondition(confidence > 0 && confidence < 1, "a confidence is in 0...1, not \(confidence)")
    var (low, high) = (Double(count), 2 * Double(count) + 50)
    for _ in 0..<60 {
      let middle = (low + high) / 2
      if probability(upTo: count, mean: middle) > 1 - confidence {
        low = middle
      } else {
        high = middle
      }
    }
    return (low + high) / 2
  }

  private static func probability(upTo count: Int, mean: Double) -> Double {
    // A mean of at least `count`, as is asked for here: what lies twelve standard deviations below adds nothing.
    let first = max(0, count - Int(12 * Double(count).squareRoot()))
    // By logarithms: a thousand events have a factorial that no number holds.
    return (first...count).reduce(0) { sum, k in
      sum + exp(Double(k) * log(mean) - mean - lgamma(Double(k) + 1))
    }
  }
}
