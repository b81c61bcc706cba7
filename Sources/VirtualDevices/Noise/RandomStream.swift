// SPDX-License-Identifier: Apache-2.0

import Units

/// One source of random numbers, repeatable by its seed and independent of every other source.
///
/// Normal numbers are made sixty-four at a time, without a jump and without a call to a library, so
/// that they are quick to make and the same on every machine.
struct RandomStream: Sendable {
  private var generator: LaneGenerator
  /// Normal numbers made, of which those before `next` were handed out.
  private var normals = [Float](repeating: 0, count: NormalTransform.batch)
  private var next = NormalTransform.batch

  /// Makes the stream of a seed, a take and a source; streams that differ in any of them share nothing.
  init(seed: UInt64, take: Int, source: Int) {
    var mixer = SplitMix(state: seed)
    mixer = SplitMix(state: mixer.next() ^ UInt64(bitPattern: Int64(take)))
    mixer = SplitMix(state: mixer.next() ^ UInt64(bitPattern: Int64(source)))
    generator = LaneGenerator(&mixer)
  }

  mutating func normal() -> Double {
    if next == normals.count { refill() }
    defer { next += 1 }
    return Double(normals[next])
  }

  /// Adds normal numbers of a standard deviation to the first `count` samples; none for zero.
  mutating func add(_ deviation: Float, to samples: inout [Float], count: Int) {
    guard deviation > 0 else { return }
    var done = 0
    while done < count {
      if next == normals.count { refill() }
      let part = min(count - done, normals.count - next)
      let (first, source) = (done, next)
      samples.withUnsafeMutableBufferPointer { samples in
        normals.withUnsafeBufferPointer { normals in
          for place in 0..<part { samples[first + place] += deviation * normals[source + place] }
        }
      }
      next += part
      done += part
    }
  }

  private mutating func refill() {
    normals.withUnsafeMutableBufferPointer { NormalTransform.fill($0, from: &generator) }
    next = 0
  }
}

/// Four generators of 32 bits side by side: Marsaglia's xorwow (Journal of Statistical Software 8, 2003).
///
/// A shift register of 160 bits and a counter: no rotation, which four lanes have no instruction for.
struct LaneGenerator: Sendable {
  private var register: (SIMD4<UInt32>, SIMD4<UInt32>, SIMD4<UInt32>, SIMD4<UInt32>, SIMD4<UInt32>)
  private var counter: SIMD4<UInt32>

  init(_ mixer: inout SplitMix) {
    func word(_ mixer: inout SplitMix) -> SIMD4<UInt32> {
      let (low, high) = (mixer.next(), mixer.next())
      return [
        UInt32(truncatingIfNeeded: low), UInt32(truncatingIfNeeded: low >> 32),
        UInt32(truncatingIfNeeded: high), UInt32(truncatingIfNeeded: high >> 32),
      ]
    }
    register = (word(&mixer), word(&mixer), word(&mixer), word(&mixer), word(&mixer))
    counter = word(&mixer)
  }

  @inline(__always)
  mutating func next() -> SIMD4<UInt32> {
    let mixed = register.0 ^ (register.0 &>> 2)
    let last = register.4
    let new = (last ^ (last &<< 4)) ^ (mixed ^ (mixed &<< 1))
    register = (register.1, register.2, register.3, last, new)
    counter &+= SIMD4(repeating: 362_437)
    return new &+ counter
  }
}

/// Normal numbers out of random bits: the polar form of a normal point in the plane.
///
/// A point at the angle a, even over the circle, and the distance sqrt(-2 ln u), u even over 0...1, has
/// two independent normal coordinates (Box and Muller, Annals of Mathematical Statistics 29, 1958). The
/// logarithm, the sine and the cosine are polynomials good to 1e-5; u has 23 bits, so that nothing lies
/// beyond 5.65 standard deviations, where one in sixty million would.
enum NormalTransform {
  /// How many numbers are made at once.
  static let batch = 64

  static func fill(
    _ normals: UnsafeMutableBufferPointer<Float>, from generator: inout LaneGenerator
  ) {
    precondition(normals.count == batch, "\(normals.count) places, not \(batch)")
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: batch) { bits in
      // A copy that stays in registers.
      var copy = generator
      for first in stride(from: 0, to: batch, by: 4) {
        let word = copy.next()
        for lane in 0..<4 { bits[first + lane] = word[lane] }
      }
      generator = copy
      for place in 0..<batch / 2 {
        let length = distance(bits[place])
        let direction = bits[batch / 2 + place]
        normals[place] = length * sine(direction)
        normals[batch / 2 + place] = length * cosine(direction)
      }
    }
  }

  /// sqrt(-2 ln u) for the u of the upper 23 bits.
  @inline(__always)
  static func distance(_ bits: UInt32) -> Float {
    // Over 0 and up to 1, never 0.
    let even = 2 - Float(bitPattern: bits >> 9 | 0x3f80_0000)
    // u = 2^e (1 + t): ln u = e ln 2 + ln (1 + t).
    let exponent = Float(Int32(bitPattern: even.bitPattern >> 23) &- 127)
    let t = Float(bitPattern: even.bitPattern & 0x7f_ffff | 0x3f80_0000) - 1
    var sum: Float = -0.023979573
    sum = sum * t + 0.101500047
    sum = sum * t - 0.210293693
    sum = sum * t + 0.325295141
    sum = sum * t - 0.499372598
    sum = sum * t + 0.999991829
    let square = -2 * (exponent * 0.6931472 + t * sum)
    // Just under u = 1 rounding may leave less than nothing.
    return (square < 0 ? 0 : square).squareRoot()
  }

  /// sin(pi f) for the f of -1/2 to 1/2 of the upper 23 bits.
  @inline(__always)
  static func sine(_ bits: UInt32) -> Float {
    let f = Float(bitPattern: bits >> 9 | 0x3f80_0000) - 1.5
    let square = f * f
    var sum: Float = -0.559462455
    sum = sum * square + 2.544010519
    sum = sum * square - 5.167406733
    sum = sum * square + 3.14159027
    return f * sum
  }

  /// cos(pi f) for the same f, on the side of the circle that the lowest bit says.
  @inline(__always)
  static func cosine(_ bits: UInt32) -> Float {
    let f = Float(bitPattern: bits >> 9 | 0x3f80_0000) - 1.5
    let square = f * f
    var sum: Float = -1.222031763
    sum = sum * square + 4.041248102
    sum = sum * square - 4.933934668
    sum = sum * square + 0.999993249
    return Float(bitPattern: sum.bitPattern ^ bits << 31)
  }
}
