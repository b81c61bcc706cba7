// SPDX-License-Identifier: Apache-2.0

private import Glibc
import Units

/// Chi-square numbers drawn from a fixed seed: equal studies have equal intervals.
struct ChiSquareDraws {
  private var random: SplitMix

  init(seed: UInt64) { random = SplitMix(state: seed) }

  /// One number with some degrees of freedom: twice a gamma of half of them (Marsaglia and Tsang,
  /// 2000).
  mutating func next(freedom: Int) -> Double {
    guard freedom > 1 else {
      let root = normal()
      return root * root
    }
    let d = Double(freedom) / 2 - 1 / 3.0
    let c = 1 / (9 * d).squareRoot()
    while true {
      let x = normal()
      let v = (1 + c * x) * (1 + c * x) * (1 + c * x)
      guard v > 0 else { continue }
      if log(uniform()) < 0.5 * x * x + d - d * v + d * log(v) { return 2 * d * v }
    }
  }

  /// Evenly spread above 0, up to 1.
  private mutating func uniform() -> Double { Double((random.next() >> 11) + 1) * 0x1p-53 }

  /// Box and Muller, one of two.
  private mutating func normal() -> Double {
    (-2 * log(uniform())).squareRoot() * cos(2 * .pi * uniform())
  }
}
