private import Glibc

/// A fraction of two polynomials in s, made discrete: y = b0 x + z1 (transposed direct form II).
struct FilterSection: Sendable {
  var b0 = 1.0
  var b1 = 0.0
  var b2 = 0.0
  var a1 = 0.0
  var a2 = 0.0
  private(set) var z1 = 0.0
  private(set) var z2 = 0.0

  /// Passes everything on.
  @_noAllocation @_noLocks
  init() {}

  /// Makes a fraction discrete by the bilinear transform.
  ///
  /// Each polynomial is warped to be exact at its own corner, unless one is given for the numerator.
  init(
    _ numerator: FeedForward.Polynomial, over denominator: FeedForward.Polynomial, rate: Double,
    corner: Double? = nil
  ) {
    let degree = numerator.c2 > 0 || denominator.c2 > 0 ? 2 : 1
    let b = numerator.discretised(rate: rate, corner: corner ?? numerator.corner, degree: degree)
    let a = denominator.discretised(rate: rate, corner: denominator.corner, degree: degree)
    (b0, b1, b2) = (b.0 / a.0, b.1 / a.0, b.2 / a.0)
    (a1, a2) = (a.1 / a.0, a.2 / a.0)
  }

  @_noAllocation @_noLocks @inline(__always)
  mutating func advance(_ x: Double) -> Double {
    let y = b0 * x + z1
    z1 = b1 * x - a1 * y + z2
    z2 = b2 * x - a2 * y
    // Numbers too small to matter would be slow ones.
    if z1 < 1e-30 && z1 > -1e-30 { z1 = 0 }
    if z2 < 1e-30 && z2 > -1e-30 { z2 = 0 }
    return y
  }

  @_noAllocation @_noLocks @inline(__always)
  mutating func rest() {
    z1 = 0
    z2 = 0
  }
}

extension FeedForward.Polynomial {
  /// The polynomial in z^-1 for s = K (1 - z^-1) / (1 + z^-1), times (1 + z^-1)^degree.
  ///
  /// K = w / tan(w / (2 rate)) makes the polynomial exact at the corner w.
  fileprivate func discretised(
    rate: Double, corner: Double, degree: Int
  ) -> (Double, Double, Double) {
    // A corner near or beyond half the rate cannot be met; the nearest that can is.
    let w = min(corner, 0.8 * .pi * rate)
    let k = w > 0 ? w / tan(w / (2 * rate)) : 2 * rate
    guard degree > 1 else { return (c1 * k + c0, c0 - c1 * k, 0) }
    return (c2 * k * k + c1 * k + c0, 2 * (c0 - c2 * k * k), c2 * k * k - c1 * k + c0)
  }
}
