// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Testing

/// Every combination of what a run can hold, against the order of verdicts: fail, required and not
/// measured, marginal, pass.
@Suite struct VerdictTableTests {
  /// What stands in a run.
  struct Mix: Sendable, CustomTestStringConvertible {
    let fails: Bool
    let isMissing: Bool
    let isMarginal: Bool
    let passes: Bool

    static let all = (0..<16).map {
      Mix(
        fails: $0 & 8 != 0, isMissing: $0 & 4 != 0, isMarginal: $0 & 2 != 0, passes: $0 & 1 != 0)
    }

    var testDescription: String {
      [
        fails ? "fail" : nil, isMissing ? "missing" : nil, isMarginal ? "marginal" : nil,
        passes ? "pass" : nil,
      ].compactMap(\.self).joined(separator: ", ")
    }

    var readings: [Reading] {
      var readings: [Reading] = []
      if passes { readings.append(Reading(.latencyOnset, pattern: "A", value: 0.005)) }
      if isMarginal { readings.append(Reading(.latencyOnset, pattern: "A", value: 0.009)) }
      if fails { readings.append(Reading(.latencyOnset, pattern: "A", value: 0.011)) }
      if isMissing {
        readings.append(Reading(notMeasured: .drift, pattern: "A", because: "no reference"))
      } else {
        readings.append(Reading(.drift, pattern: "A", value: 1))
      }
      return readings
    }

    var plain: Verdict {
      fails ? .fail : isMissing ? .notMeasured : isMarginal ? .marginal : .pass
    }

    /// With the failure of the onset expected.
    var expecting: Verdict {
      if isMissing { return .notMeasured }
      let isJudged = fails || isMarginal || passes
      return fails || !isJudged ? .pass : .marginal
    }
  }

  private let onset = Limit(
    ReadingName(.latencyOnset), .below(0.010, marginal: 0.008), required: false)
  private let drift = Limit(ReadingName(.drift), .within(50, marginal: nil))
  private let expected = ExpectedFailure(
    ReadingName(.latencyOnset), pattern: "A", why: "a slow driver")

  @Test(arguments: Mix.all)
  func `a run is as the heaviest of what it holds`(mix: Mix) {
    var readings = mix.readings
    let plan = Plan(name: "x", limits: [onset, drift])
    #expect(Judgement.apply(plan, to: &readings, patterns: ["A"]) == mix.plain)
  }

  @Test(arguments: Mix.all)
  func `an expected failure passes where it fails and is marginal where it holds`(mix: Mix) {
    var readings = mix.readings
    let plan = Plan(name: "x", limits: [onset, drift], expectedFailures: [expected])
    #expect(Judgement.apply(plan, to: &readings, patterns: ["A"]) == mix.expecting)
    let onsets = readings.filter { $0.name.kind == .latencyOnset }
    for reading in onsets {
      #expect(reading.verdict == (mix.fails ? .pass : .marginal))
      #expect(reading.limit == onset.text)
    }
    #expect(
      onsets.count { $0.note == "fails as expected: a slow driver" } == (mix.fails ? 1 : 0))
  }

  @Test(arguments: Mix.all)
  func `a required reading has to be measured whatever its limit says`(mix: Mix) {
    var readings = mix.readings
    let loose = Plan(
      name: "x",
      limits: [onset, Limit(ReadingName(.drift), .within(50, marginal: nil), required: false)],
      requirements: [Requirement(ReadingName(.drift))])
    #expect(Judgement.apply(loose, to: &readings, patterns: ["A"]) == mix.plain)
    readings = mix.readings
    var lax = loose
    lax.requirements = []
    let verdict: Verdict = mix.fails ? .fail : mix.isMarginal ? .marginal : .pass
    #expect(Judgement.apply(lax, to: &readings, patterns: ["A"]) == verdict)
  }

  @Test(
    arguments: [
      ("A", "A", Verdict.pass), (nil, "A", .pass), ("B", "A", .fail), ("A", nil, .fail),
      (nil, nil, .pass),
    ] as [(String?, String?, Verdict)])
  func `an expectation is of its pattern, and without one of every reading of the name`(
    expected: String?, pattern: String?, verdict: Verdict
  ) {
    var readings = [Reading(.latencyOnset, pattern: pattern, value: 0.011)]
    let plan = Plan(
      name: "x", limits: [onset],
      expectedFailures: [
        ExpectedFailure(ReadingName(.latencyOnset), pattern: expected, why: "so it is")
      ])
    #expect(Judgement.apply(plan, to: &readings, patterns: ["A", "B"]) == verdict)
  }

  @Test func `an expectation of the control leaves the product alone`() {
    var readings = [Reading(.latencyOnset, pattern: "A", value: 0.011)]
    let plan = Plan(
      name: "x", limits: [onset],
      expectedFailures: [
        ExpectedFailure(ReadingName(.latencyOnset, isControl: true), why: "so it is")
      ])
    #expect(Judgement.apply(plan, to: &readings, patterns: ["A"]) == .fail)
  }

  @Test func `a record tells how each expectation turned out`() throws {
    var random = RandomRecord(seed: 1)
    var record = random.record()
    record.plan = Plan(
      name: "x", limits: [onset, drift],
      expectedFailures: [
        expected, ExpectedFailure(ReadingName(.drift), why: "a bad crystal"),
        ExpectedFailure(ReadingName(.latencyOnset), pattern: "B", why: "never played"),
      ])
    record.readings = [
      Reading(.latencyOnset, pattern: "A", value: 0.011),
      Reading(.latencyOnset, pattern: "A", take: 2, value: 0.012),
      Reading(.latencyOnset, pattern: "A", take: 3, value: 0.002), Reading(.drift, value: 3),
    ]
    _ = Judgement.apply(record.plan, to: &record.readings, patterns: ["A"])
    #expect(record.expectations.map(\.outcome) == [.failed(2), .passed, .notMeasured])
    // What was judged once is not judged otherwise when it is read again.
    let again = try RunRecord(parsing: Array(record.text.utf8))
    #expect(again.expectations.map(\.outcome) == [.failed(2), .passed, .notMeasured])
  }

  @Test func `the control owes what a limit of the control requires, whatever the product played`()
  {
    let limit = Limit(ReadingName(.drift, isControl: true), .within(50, marginal: nil))
    var control = Reading(.drift, pattern: "C", value: 1)
    control.name = ReadingName(.drift, isControl: true)
    let plan = Plan(name: "x", limits: [limit])
    var readings = [control]
    #expect(Judgement.apply(plan, to: &readings, patterns: ["A", "B"]) == .pass)
    readings = [Reading(.drift, pattern: "A", value: 1)]
    #expect(Judgement.apply(plan, to: &readings, patterns: ["A"]) == .notMeasured)
  }
}
