// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// SplitMix64: a small generator whose every run can be repeated from its seed.
///
/// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014. Interpolated
/// into a failure message it is a line to paste into a test.
public struct SeededRandom: RandomNumberGenerator, Sendable, CustomStringConvertible {
  /// What the generator was made with.
  public let seed: UInt64
  private var state: UInt64
  private var spare: Double?

  /// Makes a generator.
  public init(seed: UInt64) {
    self.seed = seed
    state = seed
  }

  /// A Swift expression that makes this generator anew.
  public var description: String { "SeededRandom(seed: 0x\(String(seed, radix: 16)))" }

  /// Makes 64 random bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// Makes a number evenly spread over a range, its upper end left out.
  public mutating func uniform(_ range: ClosedRange<Double> = 0...1) -> Double {
    range.lowerBound + (range.upperBound - range.lowerBound) * Double(next() >> 11) * 0x1p-53
  }

  /// Makes a whole number of a range.
  public mutating func integer(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &self)
  }

  /// Is true with a probability.
  public mutating func chance(_ probability: Double) -> Bool { uniform() < probability }

  /// Makes a normally distributed number of mean 0 and standard deviation 1 (Box and Muller).
  public mutating func gaussian() -> Double {
    if let spare {
      self.spare = nil
      return spare
    }
    let radius = (-2 * log(1 - uniform())).squareRoot()
    let angle = 2 * Double.pi * uniform()
    spare = radius * sin(angle)
    return radius * cos(angle)
  }
}
