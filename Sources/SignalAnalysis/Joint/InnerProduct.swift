// SPDX-License-Identifier: Apache-2.0

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

  static func of(_ left: [Double], _ right: [Double]) -> Double {
    of(left, from: 0, right, from: 0)
  }

  static func energy(_ values: [Double]) -> Double { of(values, values) }

  /// The sum of squares over some frames, which all must be there.
  static func energy(_ values: [Double], in frames: Range<Int>) -> Double {
    precondition(values.indices.contains(frames), "frames \(frames) of \(values.count)")
    return values.withUnsafeBufferPointer { values in
      values.baseAddress.map {
        sum($0 + frames.lowerBound, $0 + frames.lowerBound, count: frames.count)
      } ?? 0
    }
  }

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

  /// Adds a stretch times a factor to another, where that has its frames, or to some of them alone.
  static func add(
    _ factor: Double, times values: [Double], from first: Int, to sum: inout [Double],
    within limits: Range<Int>? = nil
  ) {
    let frames = (first..<(first + values.count)).clamped(to: limits ?? sum.indices)
    guard !frames.isEmpty else { return }
    values.withUnsafeBufferPointer { values in
      sum.withUnsafeMutableBufferPointer { sum in
        for frame in frames { sum[frame] += factor * values[frame - first] }
      }
    }
  }

  /// The sums of products of two pairs of stretches, each against each, in one pass.
  struct Pairs {
    var valueValue = 0.0
    var valueSlope = 0.0
    var slopeValue = 0.0
    var slopeSlope = 0.0
  }

  /// The products of a waveform and its slope with those of another, over the frames that both have.
  static func pairs(_ left: MovableWaveform, _ right: MovableWaveform) -> Pairs {
    let first = max(left.first, right.first)
    let last = min(left.end, right.end)
    guard last > first else { return Pairs() }
    let count = last - first
    return left.values.withUnsafeBufferPointer { value in
      left.slope.withUnsafeBufferPointer { slope in
        right.values.withUnsafeBufferPointer { otherValue in
          right.slope.withUnsafeBufferPointer { otherSlope in
            // All ranges lie inside their arrays, which are as long as their waveforms.
            guard let a = value.baseAddress, let b = slope.baseAddress,
              let c = otherValue.baseAddress, let d = otherSlope.baseAddress
            else { return Pairs() }
            let (here, there) = (first - left.first, first - right.first)
            return pairs(a + here, b + here, c + there, d + there, count: count)
          }
        }
      }
    }
  }

  private static func pairs(
    _ value: UnsafePointer<Double>, _ slope: UnsafePointer<Double>,
    _ otherValue: UnsafePointer<Double>, _ otherSlope: UnsafePointer<Double>, count: Int
  ) -> Pairs {
    func four(_ pointer: UnsafePointer<Double>) -> SIMD4<Double> {
      UnsafeRawPointer(pointer).loadUnaligned(as: SIMD4<Double>.self)
    }
    var (vv, vs) = (SIMD4<Double>(), SIMD4<Double>())
    var (sv, ss) = (SIMD4<Double>(), SIMD4<Double>())
    var index = 0
    while index + 4 <= count {
      let (a, b) = (four(value + index), four(slope + index))
      let (c, d) = (four(otherValue + index), four(otherSlope + index))
      vv += a * c
      vs += a * d
      sv += b * c
      ss += b * d
      index += 4
    }
    var sums = Pairs(
      valueValue: vv.sum(), valueSlope: vs.sum(), slopeValue: sv.sum(), slopeSlope: ss.sum())
    while index < count {
      sums.valueValue += value[index] * otherValue[index]
      sums.valueSlope += value[index] * otherSlope[index]
      sums.slopeValue += slope[index] * otherValue[index]
      sums.slopeSlope += slope[index] * otherSlope[index]
      index += 1
    }
    return sums
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

extension [Double] {
  /// Puts zeros into some ranges, as far as there are values.
  mutating func clear(_ ranges: [Range<Int>]) {
    for range in ranges {
      for index in range.clamped(to: indices) { self[index] = 0 }
    }
  }
}
