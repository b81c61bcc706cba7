// SPDX-License-Identifier: Apache-2.0

import SeededRandom
import Testing

@testable import ChangeDetection

struct OutlierRunsTests {
  // scipy.stats.binom.sf(k - 1, n, 0.1)
  @Test(arguments: [
    (3, 3, 1e-3), (4, 4, 1e-4), (4, 5, 4.6e-4), (5, 6, 5.5e-5), (3, 8, 0.03809179),
    (10, 10, 1e-10),
  ])
  func `the chance that of n nights k are outliers is the binomial distribution's`(
    high: Int, nights: Int, expected: Double
  ) {
    let values =
      [Double](repeating: 0, count: 100) + [Double](repeating: 1, count: high)
      + [Double](repeating: 0, count: nights - high)
    let runs = OutlierRuns(
      values: values, kept: Array(values.indices), shares: .init(above: 0.1, below: 0.01))
    let chance = runs.chance(at: 100, in: 0..<values.count, before: 0, after: 1)
    #expect(abs(chance - expected) < 1e-9 * expected)
  }

  @Test func `nights that are left out are counted, and on the side where they lie`() {
    var values = [Double](repeating: 0, count: 100) + [1, 1, 9, 1, -9, 1]
    let kept = values.indices.filter { abs(values[$0]) < 5 }
    func chance(_ values: [Double], before: Double, after: Double) -> Double {
      OutlierRuns(values: values, kept: kept, shares: .init(above: 0.1, below: 0.2))
        .chance(at: 100, in: 0..<kept.count, before: before, after: after)
    }
    // Five of six nights are high.
    #expect(abs(chance(values, before: 0, after: 1) - 5.5e-5) < 1e-12)
    values = values.map { -$0 }
    #expect(abs(chance(values, before: 0, after: -1) - 0.0016) < 1e-12)
  }

  @Test func `an old level is none of outliers, and a young one before the split may be`() {
    let values = [Double](repeating: 1, count: 3) + [Double](repeating: 0, count: 100)
    let runs = OutlierRuns(
      values: values, kept: Array(values.indices), shares: .init(above: 0.1, below: 0.1))
    #expect(abs(runs.chance(at: 3, in: 0..<103, before: 1, after: 0) - 1e-3) < 1e-12)
    #expect(runs.chance(at: 50, in: 0..<103, before: 1, after: 0) == 0)
  }

  @Test func `outliers are counted by the side on which they lie`() {
    var random = SeededRandom(seed: 31)
    var values = (0..<200).map { _ in random.gaussian() }
    for night in stride(from: 10, to: 190, by: 20) { values[night] += 9 }
    values[100] -= 9
    let lone = LoneOutliers(values, quantum: 0)
    #expect(lone.kept.count == 190)
    #expect(abs(lone.shares.above - 10.0 / 202) < 1e-12)
    #expect(abs(lone.shares.below - 2.0 / 202) < 1e-12)
  }
}
