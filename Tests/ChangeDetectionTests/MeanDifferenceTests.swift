// SPDX-License-Identifier: Apache-2.0

import Foundation
import SeededRandom
import Testing

@testable import ChangeDetection

/// Differences of means and false discovery rates against SciPy, and against truths that are known.
struct MeanDifferenceTests {
  /// A pair of samples and what SciPy says of it; `python3 welch.py > welch.json` made them.
  struct Reference: Decodable, Sendable {
    let first: [Double]
    let second: [Double]
    let difference: Double
    let uncertainty: Double
    let freedom: Double
    let chance: Double
    let rate: Double
  }

  static let references = {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "References/welch.json")
    return (try? JSONDecoder().decode([Reference].self, from: Data(contentsOf: file))) ?? []
  }()

  private static func isNear(_ value: Double, _ expected: Double, _ share: Double = 1e-9) -> Bool {
    abs(value - expected) <= share * abs(expected)
  }

  @Test func `differences, freedom and chances are those of SciPy's Welch test`() throws {
    #expect(Self.references.count == 30)
    for reference in Self.references {
      let found = try #require(
        MeanDifference(
          from: RepeatedValue(reference.first), to: RepeatedValue(reference.second)))
      #expect(abs(found.value - reference.difference) < 1e-12)
      #expect(Self.isNear(found.uncertainty, reference.uncertainty), "\(found)")
      #expect(Self.isNear(found.freedom, reference.freedom), "\(found)")
      #expect(Self.isNear(found.chance, reference.chance, 1e-8), "\(found)")
    }
  }

  @Test func `rates are those of SciPy's false_discovery_control`() {
    let rates = FalseDiscovery.rates(of: Self.references.map(\.chance))
    for (rate, reference) in zip(rates, Self.references) {
      #expect(Self.isNear(rate, reference.rate, 1e-12), "\(rate) instead of \(reference.rate)")
    }
  }

  @Test func `what is told at a rate is what lies within its bound`() {
    for seed in UInt64(1)...200 {
      var random = SeededRandom(seed: seed)
      let chances = (0..<random.integer(1...40)).map { _ in
        let draw = random.uniform()
        return random.uniform() < 0.3 ? draw * draw * draw * 1e-2 : draw
      }
      for rate in [0.01, 0.05, 0.3] {
        let bound = FalseDiscovery.bound(of: chances, rate: rate)
        let told = FalseDiscovery.rates(of: chances).map { $0 <= rate }
        #expect(told == chances.map { $0 <= bound && bound > 0 }, "\(random), \(rate)")
      }
    }
    #expect(FalseDiscovery.bound(of: [], rate: 0.05) == 0)
    #expect(FalseDiscovery.rates(of: []).isEmpty)
  }

  @Test func `a side beside itself differs by nothing`() throws {
    let side = RepeatedValue([1.25, 1.5, 1.125], uncertainty: 0.1)
    let found = try #require(MeanDifference(from: side, to: side))
    #expect(found.value == 0 && found.chance == 1 && found.uncertainty > 0)
    // Nor does a single value without any uncertainty.
    let single = RepeatedValue([0.1])
    #expect(MeanDifference(from: single, to: single)?.chance == 1)
  }

  @Test func `single values without an uncertainty tell nothing`() {
    let (one, other) = (RepeatedValue([1]), RepeatedValue([2]))
    #expect(MeanDifference(from: one, to: other) == nil)
    let stated = RepeatedValue([2], uncertainty: 0.1)
    #expect(MeanDifference(from: one, to: stated) == nil)
    #expect(
      MeanDifference(
        from: RepeatedValue([1], uncertainty: 0.1), to: stated, statesAll: false) == nil)
  }

  @Test func `two single values have the normal distribution of what they state`() throws {
    let found = try #require(
      MeanDifference(
        from: RepeatedValue([1], uncertainty: 3),
        to: RepeatedValue(
          [1 + 5 * 1.959963984540054],
          uncertainty: 4)))
    #expect(abs(found.uncertainty - 5) < 1e-12)
    #expect(found.freedom == .infinity)
    #expect(abs(found.chance - 0.05) < 1e-12)
  }

  @Test func `a single value beside repeats scatters as they do`() throws {
    let repeats = RepeatedValue([1, 2, 3, 4, 5])
    let found = try #require(MeanDifference(from: repeats, to: RepeatedValue([9])))
    // s^2 = 2.5, so that u^2 = 2.5 (1 + 1 / 5) = 3, with 4 degrees of freedom.
    #expect(abs(found.uncertainty - 3.0.squareRoot()) < 1e-12)
    #expect(found.freedom == 4)
    let back = try #require(MeanDifference(from: RepeatedValue([9]), to: repeats))
    #expect(back.value == -found.value && back.chance == found.chance)
  }

  @Test func `a systematic part is added, and does not fall with the repeats`() throws {
    let one = RepeatedValue([1, 2, 3], uncertainty: 2)
    let other = RepeatedValue([4, 5, 6], uncertainty: 2)
    // Of 2 the scatter of 1 explains a part; the rest is the same in every repeat.
    #expect(abs(one.systematic - 3.0.squareRoot()) < 1e-12)
    let found = try #require(MeanDifference(from: one, to: other, systematic: 2))
    #expect(abs(found.uncertainty - (2.0 / 3 + 4).squareRoot()) < 1e-12)
    let without = try #require(MeanDifference(from: one, to: other))
    #expect(found.freedom > without.freedom && found.chance > without.chance)
  }

  @Test func `repeats that agree to the last digit scatter as they state, and counts as counts`()
    throws
  {
    let one = RepeatedValue([169, 169], uncertainty: 0.3)
    let other = RepeatedValue([169.3, 169.3], uncertainty: 0.3)
    let found = try #require(MeanDifference(from: one, to: other))
    #expect(abs(found.uncertainty - 0.3) < 1e-12 && found.chance > 0.3)
    let deviation = 0.5.squareRoot()
    let counts = try #require(
      MeanDifference(
        from: RepeatedValue([0, 0, 0], leastDeviation: deviation),
        to: RepeatedValue([1, 1, 1], leastDeviation: deviation)))
    #expect(abs(counts.uncertainty - (1.0 / 3).squareRoot()) < 1e-12)
    #expect(counts.chance > 0.1)
    #expect(MeanDifference.exact(from: RepeatedValue([1]), to: RepeatedValue([2])).chance == 0)
    #expect(MeanDifference.exact(from: RepeatedValue([1]), to: RepeatedValue([1])).chance == 1)
  }

  @Test(arguments: [(2, 2), (3, 3), (5, 3), (5, 5), (2, 9), (3, 20), (5, 42), (1, 4), (1, 1)])
  func `of pairs of one truth no more are told apart than the rate`(counts: (Int, Int)) {
    let (trials, readings) = (1500, 40)
    var told = 0
    var random = SeededRandom(seed: UInt64(100 * counts.0 + counts.1))
    for _ in 0..<trials {
      let chances = (0..<readings).compactMap { _ -> Double? in
        let spread = random.uniform(0.1...10)
        func side(_ count: Int) -> RepeatedValue {
          RepeatedValue(
            (0..<count).map { _ in 7 + spread * random.gaussian() }, uncertainty: spread)
        }
        return MeanDifference(from: side(counts.0), to: side(counts.1))?.chance
      }
      told += FalseDiscovery.bound(of: chances, rate: 0.05) > 0 ? 1 : 0
    }
    // Three standard deviations of a share of 5 % of so many.
    let most = 0.05 + 3 * (0.05 * 0.95 / Double(trials)).squareRoot()
    #expect(Double(told) / Double(trials) <= most, "\(random): \(told) of \(trials)")
  }
}
