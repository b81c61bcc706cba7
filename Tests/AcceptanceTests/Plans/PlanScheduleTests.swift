// SPDX-License-Identifier: Apache-2.0

import Acceptance
import SeededRandom
import Testing

@Suite struct PlanScheduleTests {
  /// The steps in short: `a1` for the first repeat of the first pattern, `|` for a restart, `c1` for the
  /// control.
  private func steps(_ plan: Plan, patterns: Int = 2) -> String {
    var start = 1
    return PlanSchedule(plan, patternCount: patterns).steps.map { step in
      switch step {
      case .control(let round): return "c\(round)"
      case .take(let pattern, let number, let opening):
        defer { start = opening }
        return (opening == start ? "" : "| ") + "abcdefgh".map(String.init)[pattern] + "\(number)"
      }
    }.joined(separator: " ")
  }

  @Test(arguments: [
    (1, 0, "a1 b1"), (2, 0, "a1 a2 b1 b2"), (2, 1, "a1 b1 | a2 b2"),
    (3, 1, "a1 a2 b1 b2 | a3 b3"), (3, 2, "a1 b1 | a2 b2 | a3 b3"),
    (5, 2, "a1 a2 b1 b2 | a3 a4 b3 b4 | a5 b5"),
  ])
  func `repeats are shared among the openings of the devices`(
    repeats: Int, restarts: Int, expected: String
  ) {
    #expect(steps(Plan(name: "x", repeats: repeats, restarts: restarts)) == expected)
  }

  @Test func `no opening stays without a take`() {
    #expect(steps(Plan(name: "x", repeats: 2, restarts: 9)) == "a1 b1 | a2 b2")
  }

  @Test(
    arguments: [
      (nil, "c1 a1 a2 b1 b2"), (1, "c1 a1 c2 a2 c3 b1 c4 b2"), (2, "c1 a1 a2 c2 b1 b2"),
      (3, "c1 a1 a2 b1 c2 b2"), (4, "c1 a1 a2 b1 b2"),
    ] as [(Int?, String)])
  func `the control comes first, and again after as many takes as asked`(
    every: Int?, expected: String
  ) {
    let plan = Plan(name: "x", repeats: 2, control: ControlPlan(.loop, every: every))
    #expect(steps(plan) == expected)
    let schedule = PlanSchedule(plan, patternCount: 2)
    #expect(schedule.takeCount == 4)
    #expect(schedule.controlRounds == expected.count { $0 == "c" })
  }

  @Test func `a shuffled order is the seed's, on every machine and with every version`() {
    func drawn(_ seed: UInt64) -> String {
      steps(
        Plan(name: "x", repeats: 4, restarts: 1, order: .shuffled, seed: seed), patterns: 3)
    }
    // The same by the published SplitMix64 and Fisher-Yates in Python.
    #expect(drawn(1) == "b1 a1 a2 c1 c2 b2 | b3 a3 a4 b4 c3 c4")
    #expect(drawn(1) == drawn(1))
    #expect(drawn(1) != drawn(2))
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `every order plays every repeat of every pattern once, numbered as played`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let plan = Plan(
      name: "x", repeats: Int.random(in: 1...9, using: &random),
      restarts: Int.random(in: 0...9, using: &random),
      order: Bool.random(using: &random) ? .shuffled : .asWritten, seed: seed,
      control: Bool.random(using: &random) ? ControlPlan(.loop, every: 3) : nil)
    let patterns = Int.random(in: 1...6, using: &random)
    let schedule = PlanSchedule(plan, patternCount: patterns)
    var numbers: [Int: [Int]] = [:]
    var openings: [Int: Set<Int>] = [:]
    var last = 1
    for case .take(let pattern, let number, let start) in schedule.steps {
      numbers[pattern, default: []].append(number)
      openings[start, default: []].insert(pattern)
      #expect(start == last || start == last + 1, "seed \(seed)")
      last = start
    }
    #expect(numbers.count == patterns, "seed \(seed)")
    for (pattern, order) in numbers {
      #expect(order == Array(1...plan.repeats), "seed \(seed), pattern \(pattern)")
    }
    #expect(openings.count == min(plan.restarts, plan.repeats - 1) + 1, "seed \(seed)")
    #expect(openings.values.allSatisfy { $0.count == patterns }, "seed \(seed)")
  }

  @Test func `shuffling favours no place`() {
    // 6 orders of 3 patterns over 6000 seeds: each 1000 times, give or take 29 (one sigma).
    var counts: [String: Int] = [:]
    for seed in 0..<6000 as Range<UInt64> {
      counts[steps(Plan(name: "x", order: .shuffled, seed: seed), patterns: 3), default: 0] += 1
    }
    #expect(counts.count == 6)
    for (order, count) in counts { #expect(abs(count - 1000) < 150, "\(order): \(count)") }
  }

  @Test func `no pattern needs no step`() {
    #expect(PlanSchedule(Plan(name: "x", control: ControlPlan(.loop)), patternCount: 0).steps == [])
  }
}
