// SPDX-License-Identifier: Apache-2.0

import CLAPACK

/// A symmetric positive definite matrix whose elements lie near its diagonal.
///
/// Held as LAPACK holds it: the lower band, column by column. Solving costs size times the square of the
/// bandwidth.
struct BandedMatrix {
  let size: Int
  /// How far below the diagonal elements lie.
  let bandwidth: Int
  private var band: [Double]

  init(size: Int, bandwidth: Int) {
    self.size = size
    self.bandwidth = min(bandwidth, max(0, size - 1))
    band = [Double](repeating: 0, count: size * (self.bandwidth + 1))
  }

  /// An element of the lower band: `row` is not above `column`.
  subscript(_ row: Int, _ column: Int) -> Double {
    get { band[column * (bandwidth + 1) + row - column] }
    set { band[column * (bandwidth + 1) + row - column] = newValue }
  }

  /// The factor L of L L^T; `nil` where the matrix is not positive definite.
  ///
  /// Corresponds to `dpbtrf`.
  func factored() -> Factor? {
    guard size > 0 else { return nil }
    var factor = self
    let width = Int32(bandwidth)
    let status = LAPACKE_dpbtrf(
      LAPACK_COL_MAJOR, CChar(UInt8(ascii: "L")), Int32(size), width, &factor.band, width + 1)
    return status == 0 ? Factor(lower: factor) : nil
  }

  struct Factor {
    fileprivate let lower: BandedMatrix

    /// What the matrix times gives a right side.
    ///
    /// Corresponds to `dpbtrs`.
    func solve(_ right: [Double]) -> [Double] {
      var solution = right
      let width = Int32(lower.bandwidth)
      LAPACKE_dpbtrs(
        LAPACK_COL_MAJOR, CChar(UInt8(ascii: "L")), Int32(lower.size), width, 1, lower.band,
        width + 1, &solution, Int32(lower.size))
      return solution
    }

    /// The elements of the inverse that lie in the band.
    ///
    /// Takahashi, K., Fagan, J. & Chin, M.-S., "Formation of a sparse bus impedance matrix and its
    /// application to short circuit study", PICA 1973: from the last column to the first,
    /// Z[i, j] = (i = j) / L[j, j]^2 - sum over k > j of L[k, j] Z[k, i] / L[j, j], all of it in the band.
    func inverseBand() -> BandedMatrix {
      let (size, width) = (lower.size, lower.bandwidth)
      var inverse = BandedMatrix(size: size, bandwidth: width)
      for column in (0..<size).reversed() {
        let pivot = lower[column, column]
        let last = min(size - 1, column + width)
        for row in (column...last).reversed() {
          var sum = row == column ? 1 / pivot : 0
          var k = column + 1
          while k <= last {
            sum -= lower[k, column] * (k >= row ? inverse[k, row] : inverse[row, k])
            k += 1
          }
          inverse[row, column] = sum / pivot
        }
      }
      return inverse
    }
  }
}

/// Pairs of unknowns, a gain and a delay each, in the order of the stretches that they belong to.
enum PairedUnknowns {
  /// How many places further in the order a stretch may be that touches another, however both have moved.
  ///
  /// Stretches come by rising first frame; `room` is the frames by which an end may come nearer to the next
  /// one's beginning.
  static func span(of stretches: [Range<Int>], room: Int) -> Int {
    var (span, next) = (0, 0)
    for (index, stretch) in stretches.enumerated() {
      next = max(next, index)
      while next + 1 < stretches.count, stretches[next + 1].lowerBound < stretch.upperBound + room {
        next += 1
      }
      span = max(span, next - index)
    }
    return span
  }

  /// For each of `count` owners the other one that its gains are most correlated with; `nil` where no other
  /// touches it.
  ///
  /// `inverse` is the inverse normal matrix in its band, two rows a stretch, the gain's first.
  static func partners(
    _ inverse: BandedMatrix, owners: [Int], count: Int, stretches: [Range<Int>]
  ) -> [Int?] {
    var best = [(partner: Int, correlation: Double)?](repeating: nil, count: count)
    for column in stretches.indices {
      let last = min(inverse.size - 1, 2 * column + inverse.bandwidth)
      for row in stride(from: 2 * column + 2, through: last, by: 2) {
        let (one, other) = (owners[column], owners[row / 2])
        guard one != other, stretches[row / 2].lowerBound < stretches[column].upperBound else {
          continue
        }
        let scale = (inverse[row, row] * inverse[2 * column, 2 * column]).squareRoot()
        guard scale > 0 else { continue }
        let correlation = abs(inverse[row, 2 * column]) / scale
        if correlation > best[one]?.correlation ?? 0 { best[one] = (other, correlation) }
        if correlation > best[other]?.correlation ?? 0 { best[other] = (one, correlation) }
      }
    }
    return best.map { $0?.partner }
  }
}
