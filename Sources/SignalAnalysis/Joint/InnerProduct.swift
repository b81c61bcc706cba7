/// Sums of products of two stretches that lie anywhere in a longer one, and sums of stretches.
enum InnerProduct {
  /// The sum of products over the frames that both have; each begins at a frame of its own.
  static func of(
    _ left: [Double], from leftFirst: Int, _ right: [Double], from rightFirst: Int
  ) -> Double {
    let first = max(leftFirst, rightFirst)
    let last = min(leftFirst + left.count, rightFirst + right.count)
    guard last > first else { return 0 }
    return left.withUnsafeBufferPointer { left in
      right.withUnsafeBufferPointer { right in
        // Both ranges lie inside their arrays: the frames are those that both have.
        guard let a = left.baseAddress, let b = right.baseAddress else { return 0 }
        return sum(a + (first - leftFirst), b + (first - rightFirst), count: last - first)
      }
    }
  }

  /// The sum of products of two stretches that begin together.
  static func of(_ left: [Double], _ right: [Double]) -> Double {
    of(left, from: 0, right, from: 0)
  }

  /// The sum of squares.
  static func energy(_ values: [Double]) -> Double { of(values, values) }

  /// Mean squares of what is predicted and what is left over around a stretch, weighted by the stretch's own
  /// square, with the sum of the weights; zeros where it has no energy there.
  static func around(
    _ values: [Double], from first: Int, response: [Double], rest: [Double]
  ) -> (weight: Double, response: Double, rest: Double) {
    var (weights, around, left) = (0.0, 0.0, 0.0)
    let frames = (first..<(first + values.count)).clamped(to: rest.indices)
    values.withUnsafeBufferPointer { values in
      response.withUnsafeBufferPointer { response in
        rest.withUnsafeBufferPointer { rest in
          for frame in frames {
            let weight = values[frame - first] * values[frame - first]
            weights += weight
            around += weight * response[frame] * response[frame]
            left += weight * rest[frame] * rest[frame]
          }
        }
      }
    }
    return weights > 0 ? (weights, around / weights, left / weights) : (0, 0, 0)
  }

  /// Adds a stretch times a factor to another, where that has its frames.
  static func add(
    _ factor: Double, times values: [Double], from first: Int, to sum: inout [Double]
  ) {
    let frames = (first..<(first + values.count)).clamped(to: sum.indices)
    guard !frames.isEmpty else { return }
    values.withUnsafeBufferPointer { values in
      sum.withUnsafeMutableBufferPointer { sum in
        for frame in frames { sum[frame] += factor * values[frame - first] }
      }
    }
  }

  /// Eight sums side by side, so that they are computed as vectors.
  private static func sum(
    _ left: UnsafePointer<Double>, _ right: UnsafePointer<Double>, count: Int
  ) -> Double {
    var sums = SIMD8<Double>()
    var index = 0
    while index + 8 <= count {
      let a = UnsafeRawPointer(left + index).loadUnaligned(as: SIMD8<Double>.self)
      let b = UnsafeRawPointer(right + index).loadUnaligned(as: SIMD8<Double>.self)
      sums += a * b
      index += 8
    }
    var sum = sums.sum()
    while index < count {
      sum += left[index] * right[index]
      index += 1
    }
    return sum
  }
}
