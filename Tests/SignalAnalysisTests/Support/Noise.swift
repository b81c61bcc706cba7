// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Seeded white noise: splitmix64 and Box-Muller.
struct Noise {
  let seed: UInt64
  private var state: UInt64

  init(seed: UInt64) {
    self.seed = seed
    state = seed
  }

  private mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// A number from 0, included, to 1, excluded.
  mutating func uniform() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// A number from a range.
  mutating func uniform(_ range: ClosedRange<Double>) -> Double {
    range.lowerBound + uniform() * (range.upperBound - range.lowerBound)
  }

  /// A Gaussian number with mean 0 and standard deviation 1.
  mutating func gaussian() -> Double {
    (-2 * log(1 - uniform())).squareRoot() * cos(2 * .pi * uniform())
  }

  /// The values with white noise added, as a converter would give them.
  mutating func added(to values: [Double], sigma: Double) -> [Float] {
    values.map { Float($0 + sigma * gaussian()) }
  }
}
