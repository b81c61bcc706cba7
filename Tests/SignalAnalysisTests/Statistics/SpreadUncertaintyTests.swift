// SPDX-License-Identifier: Apache-2.0

import Testing
import Units

@testable import SignalAnalysis

struct SpreadUncertaintyTests {
  @Test(arguments: [3, 5, 10, 30])
  func `twice of it covers the true spread in 95 of 100 samples, of few numbers too`(
    count: Int
  ) {
    var noise = Noise(seed: 91)
    let factor = Statistics.spreadUncertainty(count: count)
    let rounds = 4_000
    let inside = (0..<rounds).count { _ in
      let sigma = Statistics.moments((0..<count).map { _ in noise.gaussian() }).sigma
      return abs(sigma - 1) <= 2 * factor * sigma
    }
    // 95 % of 4,000 have a standard deviation of 14.
    #expect(inside >= 3_800 - 42, "seed 91, \(count) numbers: \(inside) of \(rounds)")
    #expect(factor >= 1 / Double(2 * (count - 1)).squareRoot())
  }

  @Test func `the tail of chi-square is that of SciPy`() {
    // scipy.stats.chi2.sf(2.660009102366567, 3)
    let tail = Statistics.chiSquareTail(2.660009102366567, degreesOfFreedom: 3)
    #expect(abs(tail - 0.4470661623130313) < 1e-9)
  }
}
