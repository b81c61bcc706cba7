private import Glibc

/// A sine that an amplifier cuts off at a share of its peak.
enum ClippedSine {
  /// The fundamental over the sine asked for: (2 / pi) (asin r + r sqrt(1 - r^2)).
  static func fundamental(at share: Double) -> Double {
    let share = max(0, min(1, share))
    return 2 / .pi * (asin(share) + share * (1 - share * share).squareRoot())
  }

  /// The third harmonic over the fundamental; the harmonic is (4 / (3 pi)) r (1 - r^2)^(3/2).
  static func thirdHarmonic(at share: Double) -> Double {
    let share = max(1e-6, min(1, share))
    let rest = 1 - share * share
    return 4 / (3 * .pi) * share * rest * rest.squareRoot() / fundamental(at: share)
  }

  /// The share at which so much of the fundamental is left; 1 where nothing is missing.
  static func share(ofFundamental left: Double) -> Double {
    root { fundamental(at: $0) > left }
  }

  /// The share at which the third harmonic is so much of the fundamental, at most a third.
  static func share(ofThirdHarmonic part: Double) -> Double {
    root { thirdHarmonic(at: $0) < part }
  }

  /// Where a condition that holds at 1 begins to hold.
  private static func root(_ holds: (Double) -> Bool) -> Double {
    var (low, high) = (0.0, 1.0)
    guard holds(high) else { return high }
    for _ in 0..<50 {
      let middle = (low + high) / 2
      if holds(middle) { high = middle } else { low = middle }
    }
    return high
  }
}
