// SPDX-License-Identifier: Apache-2.0

import SeededRandom
import Testing

@testable import ChangeDetection

struct StatisticsTests {
  // scipy.stats.t.sf(t, v) * 2
  @Test(arguments: [
    (0.0, 5.0, 1.0), (2.0, 3.0, 0.13932596855884305), (4.5, 30.0, 9.519359392112443e-05),
    (9.0, 200.0, 1.770938292326483e-16), (-3.0, 7.5, 0.018390938608204507),
  ])
  func `Student's tails are those of SciPy`(t: Double, freedom: Double, expected: Double) {
    let tails = StudentDistribution.tails(beyond: t, freedom: freedom)
    #expect(abs(tails - expected) < 1e-10 * expected)
  }

  @Test func `a rank is where sorting puts it, whatever the values`() {
    var random = SeededRandom(seed: 77)
    for trial in 0..<200 {
      let count = random.integer(1...120)
      let coarse = random.chance(0.5)
      let values = (0..<count).map { _ in coarse ? random.gaussian().rounded() : random.gaussian() }
      let sorted = values.sorted()
      var ranked = values
      for _ in 0..<4 {
        let rank = random.uniform(-2...Double(count) + 1)
        let clamped = min(max(rank, 0), Double(count - 1))
        let below = Int(clamped)
        let above = min(below + 1, count - 1)
        let expected =
          sorted[below] + (clamped - Double(below)) * (sorted[above] - sorted[below])
        #expect(
          Trend.value(at: rank, of: &ranked) == expected,
          "trial \(trial), rank \(rank) of \(values)")
      }
    }
  }

  /// Many values in orders that a choice of pivots may misjudge.
  enum Order: CaseIterable {
    case random
    case rounded
    case ascending
    case equal
    case wave
    /// Some in even distances are far above everything else.
    case deceiving

    func values(_ count: Int, _ random: inout SeededRandom) -> [Double] {
      let step = count / 1024
      return (0..<count).map { index in
        switch self {
        case .random: random.gaussian()
        case .rounded: random.gaussian().rounded()
        case .ascending: Double(index)
        case .equal: 3
        case .wave: Double(index % 97)
        case .deceiving: Double(index) + (index % step == step / 2 ? 1e6 : 0)
        }
      }
    }
  }

  @Test(arguments: Order.allCases)
  func `ranks of many values are those of the sorted ones, in whatever order they come`(
    order: Order
  ) {
    var random = SeededRandom(seed: 0x4a6b)
    for count in [8191, 8192, 30_000, 66_430] {
      let values = order.values(count, &random)
      let sorted = values.sorted()
      var ranked = values
      let middle = 0.5 * Double(count - 1)
      let half = random.uniform(0...0.1) * Double(count)
      for rank in [middle, middle + half, middle - half, 0, Double(count - 1), 0.01 * middle] {
        let below = Int(rank)
        let above = min(below + 1, count - 1)
        let expected = sorted[below] + (rank - Double(below)) * (sorted[above] - sorted[below])
        #expect(
          Trend.value(at: rank, of: &ranked) == expected, "rank \(rank) of \(count), \(random)")
      }
    }
  }

  @Test func `infinite evidence leaves no chance`() {
    #expect(StudentDistribution.tails(beyond: .infinity, freedom: 5) == 0)
  }

  @Test func `Huber's scale bears a tenth of wrong values and sees few that differ as none`() {
    let good = (0..<90).map { Double($0 % 2 == 0 ? 1 : -1) }
    #expect(Robust.scale(good) > 0.9)
    #expect(Robust.scale(good + .init(repeating: 1_000, count: 10)) < 1.6)
    #expect(Robust.scale([0, 0, 0, 0, 0, 0, 0, 0, 0, 5]) == 0)
    #expect(Robust.scale([]) == 0)
  }

  @Test func `the median absolute deviation of few values`() {
    #expect(Robust.deviation(of: [3]) == 0)
    #expect(abs(Robust.deviation(of: [0, 2]) - 1.4826 * 1.196) < 1e-12)
  }
}
