// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A mass on a spring that may stiffen, and one more mode beside it, by Runge and Kutta's fourth order.
///
/// x" = -w^2 x (1 + k x^2) - w/q x' + (g/q) v, and what is felt is x". Knows nothing of frequency responses.
struct StiffBody {
  var frequency = 171.3
  var q = 9.1
  /// m/s2 per volt at resonance.
  var gain = 31.0
  /// k, in 1/m2.
  var stiffening = 0.0
  /// A second mode: hertz, q, m/s2 per volt.
  var second: (frequency: Double, q: Double, gain: Double)?

  /// The acceleration at each volt of a list, one step each.
  func motion(_ volts: [Double], rate: Double) -> [Double] {
    let first = Self.mode(volts, rate: rate, frequency, q, gain, stiffening)
    guard let second else { return first }
    let other = Self.mode(volts, rate: rate, second.frequency, second.q, second.gain, 0)
    return zip(first, other).map { $0 + $1 }
  }

  private static func mode(
    _ volts: [Double], rate: Double, _ frequency: Double, _ q: Double, _ gain: Double, _ k: Double
  ) -> [Double] {
    let (w, h, c) = (2 * .pi * frequency, 1 / rate, gain / q)
    func pull(_ x: Double, _ s: Double, _ v: Double) -> Double {
      -w * w * x * (1 + k * x * x) - w / q * s + c * v
    }
    var (x, s, before) = (0.0, 0.0, 0.0)
    return volts.map { now in
      let middle = (before + now) / 2
      let (x1, s1) = (s, pull(x, s, before))
      let (x2, s2) = (s + h / 2 * s1, pull(x + h / 2 * x1, s + h / 2 * s1, middle))
      let (x3, s3) = (s + h / 2 * s2, pull(x + h / 2 * x2, s + h / 2 * s2, middle))
      let (x4, s4) = (s + h * s3, pull(x + h * x3, s + h * s3, now))
      x += h / 6 * (x1 + 2 * x2 + 2 * x3 + x4)
      s += h / 6 * (s1 + 2 * s2 + 2 * s3 + s4)
      before = now
      return pull(x, s, now)
    }
  }
}
