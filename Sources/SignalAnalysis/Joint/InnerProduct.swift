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
