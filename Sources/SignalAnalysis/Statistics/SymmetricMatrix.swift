// SPDX-License-Identifier: Apache-2.0

/// A symmetric matrix of three rows and columns, by its six numbers: normal equations of three unknowns.
struct SymmetricMatrix {
  /// The first row.
  let a, b, c: Double
  /// The rest of the second row, and of the third.
  let d, e, f: Double

  init(_ a: Double, _ b: Double, _ c: Double, _ d: Double, _ e: Double, _ f: Double) {
    (self.a, self.b, self.c, self.d, self.e, self.f) = (a, b, c, d, e, f)
  }

  /// Its inverse, by the minors; `nil` where its determinant is no more than a share of the diagonal's
  /// product, so that its columns are hardly independent.
  func inverse(from share: Double = 1e-12) -> SymmetricMatrix? {
    let (x, y, z) = (d * f - e * e, c * e - b * f, b * e - c * d)
    let determinant = a * x + b * y + c * z
    guard determinant > share * a * d * f, determinant.isFinite else { return nil }
    return SymmetricMatrix(
      x / determinant, y / determinant, z / determinant, (a * f - c * c) / determinant,
      (b * c - a * e) / determinant, (a * d - b * b) / determinant)
  }

  func times(_ v: (Double, Double, Double)) -> (Double, Double, Double) {
    (a * v.0 + b * v.1 + c * v.2, b * v.0 + d * v.1 + e * v.2, c * v.0 + e * v.1 + f * v.2)
  }

  /// Its product with one vector on both sides.
  func form(_ v: (Double, Double, Double)) -> Double {
    let own = times(v)
    return v.0 * own.0 + v.1 * own.1 + v.2 * own.2
  }
}
