// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// Derivatives of the logarithm of the gamma function, of positive arguments.
///
/// By their asymptotic series from 8 on, and by recurrence below. Source: Abramowitz and Stegun,
/// "Handbook of Mathematical Functions", 6.3 and 6.4.
enum Polygamma {
  private static let asymptotic = 8.0

  static func digamma(_ x: Double) -> Double {
    var (x, below) = (x, 0.0)
    while x < asymptotic {
      below -= 1 / x
      x += 1
    }
    let r = 1 / (x * x)
    return below + log(x) - 0.5 / x
      - r * (1.0 / 12 - r * (1.0 / 120 - r * (1.0 / 252 - r * (1.0 / 240 - r / 132))))
  }

  static func trigamma(_ x: Double) -> Double {
    var (x, below) = (x, 0.0)
    while x < asymptotic {
      below += 1 / (x * x)
      x += 1
    }
    let r = 1 / (x * x)
    return below + 1 / x + 0.5 * r
      + r / x * (1.0 / 6 - r * (1.0 / 30 - r * (1.0 / 42 - r * (1.0 / 30 - r * 5 / 66))))
  }

  private static func tetragamma(_ x: Double) -> Double {
    var (x, below) = (x, 0.0)
    while x < asymptotic {
      below -= 2 / (x * x * x)
      x += 1
    }
    let r = 1 / (x * x)
    return below - r * (1 + 1 / x + r * (0.5 - r * (1.0 / 6 - r * (1.0 / 6 - r * 3 / 10))))
  }

  /// The argument at which the trigamma function has a value, by Newton's method as Smyth (2004)
  /// has it: it converges from the left, the inverse being nearly linear in 1 / x.
  static func inverseTrigamma(_ value: Double) -> Double {
    var x = 0.5 + 1 / value
    for _ in 0..<50 {
      let at = trigamma(x)
      let change = at * (1 - at / value) / tetragamma(x)
      x += change
      if abs(change) < 1e-12 * x { break }
    }
    return x
  }
}
