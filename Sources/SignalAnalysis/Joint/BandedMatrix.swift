import CLAPACK

/// A symmetric positive definite matrix whose elements lie near its diagonal.
///
/// Held as LAPACK holds it: the lower band, column by column. Solving costs size times the square of the
/// bandwidth.
struct BandedMatrix {
  /// How many rows it has.
  let size: Int
  /// How far below the diagonal elements lie.
  let bandwidth: Int
  private var band: [Double]

  /// Makes a matrix of zeros.
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

  /// A matrix as a product of a lower triangle with its transpose.
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
