// SPDX-License-Identifier: Apache-2.0

import CMinpack

/// Least squares by cminpack's `lmder`: the minimum, and the covariance of its parameters.
struct LevenbergMarquardt {
  typealias Evaluation = (
    _ parameters: UnsafePointer<Double>, _ target: UnsafeMutablePointer<Double>
  ) -> Void

  let residualCount: Int
  let residuals: Evaluation
  /// Writes the derivatives of the residuals, column by column.
  let jacobian: Evaluation

  struct Minimum {
    let parameters: [Double]
    let sumOfSquares: Double
    /// The inverse of J^T J, row by row.
    let covariance: [Double]
  }

  /// Walks down from a start until sum and parameters change by less than a relative tolerance.
  ///
  /// Gives nil where that takes more than 200 evaluations, or leads to no finite numbers.
  func minimum(from start: [Double], tolerance: Double) -> Minimum? {
    let count = start.count
    var parameters = start
    var residuals = [Double](repeating: 0, count: residualCount)
    var jacobian = [Double](repeating: 0, count: residualCount * count)
    var scale = [Double](repeating: 0, count: count)
    var pivots = [Int32](repeating: 0, count: count)
    var work = [Double](repeating: 0, count: 4 * count + residualCount)
    var (evaluations, jacobians) = (Int32(0), Int32(0))
    var problem = self
    let outcome = withUnsafeMutablePointer(to: &problem) { context in
      work.withUnsafeMutableBufferPointer { work in
        guard let first = work.baseAddress else { return Int32(0) }
        // The context outlives the call, and lmder is the only one that uses it.
        return lmder(
          lmderCallback, context, Int32(residualCount), Int32(count), &parameters, &residuals,
          &jacobian, Int32(residualCount), tolerance, tolerance, 0, 200, &scale, 1, 10, 0,
          &evaluations, &jacobians, &pivots, first, first + count, first + 2 * count,
          first + 3 * count,
          first + 4 * count)
      }
    }
    // 1 to 4 are ways to have converged; 6 to 8 say that no smaller sum is possible.
    let sum = residuals.reduce(0) { $0 + $1 * $1 }
    guard [1, 2, 3, 4, 6, 7, 8].contains(outcome), parameters.allSatisfy(\.isFinite), sum.isFinite
    else { return nil }
    covar(Int32(count), &jacobian, Int32(residualCount), pivots, 1e-14, &work)
    let covariance = (0..<(count * count)).map {
      jacobian[$0 / count * residualCount + $0 % count]
    }
    return Minimum(parameters: parameters, sumOfSquares: sum, covariance: covariance)
  }
}

/// What `lmder` calls: flag 1 asks for residuals, 2 for the Jacobian.
private func lmderCallback(
  context: UnsafeMutableRawPointer?, residualCount: Int32, count: Int32,
  parameters: UnsafePointer<Double>?, residuals: UnsafeMutablePointer<Double>?,
  jacobian: UnsafeMutablePointer<Double>?, leading: Int32, flag: Int32
) -> Int32 {
  guard let context, let parameters else { return -1 }
  // The pointer was made from a LevenbergMarquardt in `minimum(from:)`, which waits below on the stack.
  let problem = context.assumingMemoryBound(to: LevenbergMarquardt.self).pointee
  if flag == 1, let residuals {
    problem.residuals(parameters, residuals)
  } else if flag == 2, let jacobian {
    problem.jacobian(parameters, jacobian)
  }
  return 0
}

/// The inverse of a small symmetric positive definite matrix, by Cholesky.
package struct SymmetricInverse: Sendable {
  private let size: Int
  private let values: [Double]
  /// Whether every pivot was finite and more than rounding leaves of its row, 1e-14 of what stood there.
  package let isWhole: Bool

  /// Inverts a matrix given by its elements; a pivot that is not above zero counts as infinite.
  package init(size: Int, element: (Int, Int) -> Double) {
    self.size = size
    var isWhole = true
    var lower = [Double](repeating: 0, count: size * size)
    for row in 0..<size {
      for column in 0...row {
        var sum = element(row, column)
        for k in 0..<column { sum -= lower[row * size + k] * lower[column * size + k] }
        if row == column {
          isWhole = isWhole && sum.isFinite && sum > 1e-14 * element(row, row)
          lower[row * size + row] = sum > 0 ? sum.squareRoot() : .infinity
        } else {
          lower[row * size + column] = sum / lower[column * size + column]
        }
      }
    }
    var inverse = [Double](repeating: 0, count: size * size)
    for unit in 0..<size {
      var solution = [Double](repeating: 0, count: size)
      for row in 0..<size {
        var sum = row == unit ? 1.0 : 0
        for k in 0..<row { sum -= lower[row * size + k] * solution[k] }
        solution[row] = sum / lower[row * size + row]
      }
      for row in (0..<size).reversed() {
        var sum = solution[row]
        for k in (row + 1)..<max(size, row + 1) { sum -= lower[k * size + row] * solution[k] }
        solution[row] = sum / lower[row * size + row]
      }
      for row in 0..<size { inverse[row * size + unit] = solution[row] }
    }
    values = inverse
    self.isWhole = isWhole
  }

  package subscript(_ row: Int, _ column: Int) -> Double { values[row * size + column] }

  /// The inverse times a vector: the solution of the equations.
  package func times(_ vector: [Double]) -> [Double] {
    (0..<size).map { row in
      vector.indices.reduce(0) { $0 + values[row * size + $1] * vector[$1] }
    }
  }
}
