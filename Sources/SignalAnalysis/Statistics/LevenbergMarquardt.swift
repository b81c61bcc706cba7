import CMinpack

/// Least squares by cminpack's `lmder`: the minimum, and the covariance of its parameters.
struct LevenbergMarquardt {
  /// How many residuals there are.
  let residualCount: Int
  /// Writes the residuals for some parameters, or their Jacobian, column by column.
  let evaluate: (Request) -> Void

  enum Request {
    case residuals(at: UnsafePointer<Double>, into: UnsafeMutablePointer<Double>)
    case jacobian(at: UnsafePointer<Double>, into: UnsafeMutablePointer<Double>)
  }

  struct Minimum {
    let parameters: [Double]
    /// The sum of squared residuals.
    let sumOfSquares: Double
    /// The inverse of J^T J, row by row.
    let covariance: [Double]
  }

  /// Walks down from a start until sum and parameters change by less than a relative tolerance.
  ///
  /// Gives nil where that takes more than 200 evaluations.
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
          &evaluations,
          &jacobians, &pivots, first, first + count, first + 2 * count, first + 3 * count,
          first + 4 * count)
      }
    }
    // 1 to 4 are ways to have converged; 6 to 8 say that no smaller sum is possible.
    guard [1, 2, 3, 4, 6, 7, 8].contains(outcome), parameters.allSatisfy(\.isFinite) else {
      return nil
    }
    covar(
      Int32(count), &jacobian, Int32(residualCount), pivots, 1e-14, &work)
    let covariance = (0..<(count * count)).map {
      jacobian[$0 / count * residualCount + $0 % count]
    }
    return Minimum(
      parameters: parameters, sumOfSquares: residuals.reduce(0) { $0 + $1 * $1 },
      covariance: covariance)
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
    problem.evaluate(.residuals(at: parameters, into: residuals))
  } else if flag == 2, let jacobian {
    problem.evaluate(.jacobian(at: parameters, into: jacobian))
  }
  return 0
}
