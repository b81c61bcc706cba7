// SPDX-License-Identifier: Apache-2.0

import SeededRandom
import Testing

@testable import GaugeStudy

struct RigConsistencyTests {
  private typealias Cell = RigConsistency.Cell

  /// Rigs with one actuator each, or with the same.
  private static func cells(_ values: [[Double]], actuator: String? = "a") -> [Cell] {
    values.enumerated().map { index, own in
      Cell(rig: "r\(100 + index)", actuator: actuator ?? "a\(index)", values: own)
    }
  }

  /// The sulphur in coal, level 1 of ISO 5725-2:1994, B.1: eight laboratories.
  private static let sulphur = [
    [0.71, 0.71, 0.70, 0.71], [0.69, 0.67, 0.68], [0.66, 0.65, 0.69], [0.67, 0.65, 0.66],
    [0.70, 0.69, 0.66, 0.71, 0.69], [0.73, 0.74, 0.73], [0.71, 0.71, 0.69], [0.70, 0.65, 0.68],
  ]

  @Test func `the standard's own example has the standard's numbers`() throws {
    // Mean 0.690, repeatability 0.015, reproducibility 0.026, and no laboratory off.
    let observations = Self.sulphur.enumerated().flatMap { rig, values in
      values.map { Observation(actuator: "coal", rig: "\(rig)", day: "", mount: "", value: $0) }
    }
    let analysis = try #require(GaugeAnalysis(observations, draws: 2000))
    #expect(abs(analysis.mean - 0.690) < 0.0005)
    let within = try #require(analysis.components.first { $0.source == .repeat })
    #expect(abs(within.deviation.value - 0.015) < 0.0005)
    #expect(abs(analysis.gauge.value - 0.026) < 0.0005)
    let rigs = RigConsistency(Self.cells(Self.sulphur)).rigs
    #expect(rigs.allSatisfy { ($0.chance ?? 0) > 0.01 && ($0.scatterChance ?? 0) > 0.01 })
  }

  @Test(arguments: [(8, 2.06, 0.01), (8, 1.75, 0.05), (5, 1.72, 0.01), (20, 2.39, 0.01)])
  func `at the standard's limit of h the chance is the standard's level`(
    count: Int, limit: Double, level: Double
  ) throws {
    // h of the first is (x - mean) / s of all. Solved for x where the others alternate about 0.
    let others = (1..<count).map { $0 % 2 == 0 ? 1.0 : -1.0 }
    func h(_ x: Double) -> Double {
      let all = ValueGroup([x] + others)
      return (x - all.mean) / (all.squares / Double(count - 1)).squareRoot()
    }
    var (low, high) = (0.0, 1e3)
    for _ in 0..<100 {
      let middle = (low + high) / 2
      if h(middle) < limit { low = middle } else { high = middle }
    }
    let rigs = RigConsistency(Self.cells(([low] + others).map { [$0] })).rigs
    // The table has two decimals.
    let chance = try #require(rigs[0].chance)
    #expect(abs(chance - level) < 0.12 * level, "\(chance)")
  }

  @Test(arguments: [3, 5, 8, 20]) func `where no rig is off, chances are spread evenly`(
    count: Int
  ) {
    var random = SeededRandom(seed: UInt64(count))
    var (levels, scatters): ([Double], [Double]) = ([], [])
    for _ in 0..<1500 {
      let values = (0..<count).map { _ in
        let level = random.gaussian()
        return (0..<6).map { _ in level + 0.3 * random.gaussian() }
      }
      let rigs = RigConsistency(Self.cells(values)).rigs
      levels.append(rigs[0].chance ?? -1)
      scatters.append(rigs[0].scatterChance ?? -1)
    }
    for share in [0.01, 0.05, 0.2, 0.5, 0.8] {
      let reach = 4 * (share * (1 - share) / 1500).squareRoot()
      for chances in [levels, scatters] {
        let told = Double(chances.count { $0 <= share }) / 1500
        #expect(told - share < reach, "\(told) of \(share), \(random)")
        // Of three rigs two are often alike by chance: what nights scatter then keeps the third from being told.
        if count > 3 { #expect(share - told < reach, "\(told) of \(share), \(random)") }
      }
    }
  }

  @Test(arguments: 1...20) func `a rig that is off is the one that is told`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let bad = random.integer(0...7)
    let values = (0..<8).map { rig in
      let level = random.gaussian() + (rig == bad ? 12 : 0)
      return (0..<6).map { _ in level + 0.3 * random.gaussian() }
    }
    let rigs = RigConsistency(Self.cells(values)).rigs
    let least = rigs.min { ($0.chance ?? 1) < ($1.chance ?? 1) }
    #expect(least?.rig == "r\(100 + bad)" && (least?.chance ?? 1) < 0.01, "\(random)")
    #expect(abs((least?.distance ?? 0) - 12) < 4, "\(random)")
  }

  @Test(arguments: 1...10) func `a rig whose nights scatter three times as much is told`(
    seed: UInt64
  ) {
    var random = SeededRandom(seed: seed)
    let values = (0..<6).map { rig in
      (0..<14).map { _ in (rig == 4 ? 3 : 1) * random.gaussian() }
    }
    let rigs = RigConsistency(Self.cells(values)).rigs
    #expect((rigs[4].scatterChance ?? 1) < 1e-3, "\(random)")
    #expect(abs((rigs[4].scatter ?? 0) - 3) < 2, "\(random)")
  }

  @Test(arguments: 1...10) func `of actuators that went round only what rigs add is compared`(
    seed: UInt64
  ) {
    // Sums without scatter, with holes: rig levels are what was put in, whatever actuators differ by.
    var random = SeededRandom(seed: seed)
    let rigs = (0..<5).map { _ in random.gaussian() }
    let actuators = (0..<6).map { _ in 100 * random.gaussian() }
    var cells: [Cell] = []
    for rig in 0..<5 {
      for actuator in 0..<6 where actuator == rig || actuator == rig + 1 || random.chance(0.4) {
        cells.append(
          Cell(
            rig: "r\(100 + rig)", actuator: "a\(actuator)",
            values: [rigs[rig] + actuators[actuator]]))
      }
    }
    let found = RigConsistency(cells.shuffled(using: &random)).rigs
    #expect(found.count == 5)
    for (one, other) in zip(found, found.dropFirst()) {
      let truth = rigs[Int(other.rig.suffix(1)) ?? 0] - rigs[Int(one.rig.suffix(1)) ?? 0]
      #expect(abs(other.level - one.level - truth) < 1e-6, "\(random)")
    }
  }

  @Test func `rigs without an actuator of the others stand apart`() {
    let consistency = RigConsistency([
      Cell(rig: "a", actuator: "1", values: [1, 2]), Cell(rig: "b", actuator: "1", values: [1.5]),
      Cell(rig: "c", actuator: "1", values: [1.2]), Cell(rig: "d", actuator: "2", values: [9]),
      Cell(rig: "e", actuator: "3", values: [9]),
    ])
    #expect(consistency.rigs.map(\.rig) == ["a", "b", "c"] && consistency.shared == ["1"])
    #expect(consistency.apart == ["d", "e"])
  }

  @Test func `two rigs differ, and none of them is off`() {
    let rigs = RigConsistency(Self.cells([[1, 1.1], [5, 5.1]])).rigs
    #expect(rigs.allSatisfy { $0.distance == nil && $0.chance == nil })
  }

  @Test func `one lost frame in a fortnight is not off, and equal values are not`() {
    let none = [Double](repeating: 0, count: 14)
    let once = RigConsistency(Self.cells([none, none, none, [1] + none.dropFirst()]))
    #expect((once.rigs[3].chance ?? 0) > 0.2)
    let equal = RigConsistency(Self.cells([none, none, none]))
    #expect(equal.rigs.allSatisfy { $0.chance == 1 && $0.scatterChance == 1 })
  }

  @Test func `what is no number is left out`() {
    let cells = Self.cells([[1], [.nan], [2], [], [3]])
    #expect(RigConsistency(cells).rigs.map(\.rig) == ["r100", "r102", "r104"])
    #expect(RigConsistency([]).rigs.isEmpty)
  }
}
