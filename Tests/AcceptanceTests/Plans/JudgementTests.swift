// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Testing

@Suite struct JudgementTests {
  private let onset = Limit(ReadingName(.latencyOnset), .below(0.010, marginal: 0.008))
  private let drift = Limit(ReadingName(.drift), .within(50, marginal: nil))

  private func verdict(_ readings: [Reading], patterns: [String] = ["A"]) -> Verdict {
    var readings = readings
    return Judgement.apply([onset, drift], to: &readings, patterns: patterns)
  }

  private let good = Reading(.latencyOnset, pattern: "A", value: 0.005)
  private let near = Reading(.latencyOnset, pattern: "A", value: 0.009)
  private let bad = Reading(.latencyOnset, pattern: "A", value: 0.011)
  private let steady = Reading(.drift, value: 1)

  @Test func `a run in which everything passes passes`() {
    #expect(verdict([good, steady]) == .pass)
  }

  @Test func `one marginal reading makes a run marginal`() {
    #expect(verdict([good, near, steady]) == .marginal)
  }

  @Test func `a required reading that is missing outweighs a marginal one`() {
    #expect(verdict([near]) == .notMeasured)
  }

  @Test func `a failure outweighs a required reading that is missing`() {
    #expect(verdict([near, bad]) == .fail)
  }

  @Test func `a run without limits passes`() {
    var readings = [good]
    #expect(Judgement.apply([], to: &readings, patterns: ["A"]) == .pass)
    #expect(readings[0].verdict == nil)
    #expect(readings[0].limit == nil)
  }

  @Test func `each judged reading carries its limit and its verdict`() {
    var readings = [good, near, bad, steady]
    _ = Judgement.apply([onset, drift], to: &readings, patterns: ["A"])
    #expect(readings.map(\.verdict) == [.pass, .marginal, .fail, .pass])
    #expect(readings.map(\.limit) == [onset.text, onset.text, onset.text, drift.text])
  }

  @Test func `a reading that was not measured stays so, with the limit it owed`() {
    var readings = [Reading(notMeasured: .latencyOnset, pattern: "A", because: "too weak"), good]
    let verdict = Judgement.apply([onset], to: &readings, patterns: ["A"])
    #expect(readings[0].verdict == .notMeasured)
    #expect(readings[0].limit == onset.text)
    #expect(verdict == .pass)
  }

  @Test func `every pattern owes a required reading`() {
    #expect(verdict([good, steady], patterns: ["A", "B"]) == .notMeasured)
  }

  @Test func `a reading that is not required may be absent`() {
    var readings = [steady]
    let optional = Limit(ReadingName(.latencyOnset), .below(0.01, marginal: nil), required: false)
    #expect(Judgement.apply([optional], to: &readings, patterns: ["A"]) == .pass)
  }

  @Test func `the first limit that applies is the one that judges`() {
    let narrow = Limit(ReadingName(.latencyOnset), .below(0.001, marginal: nil), patterns: ["A"])
    var readings = [good, Reading(.latencyOnset, pattern: "B", value: 0.005)]
    _ = Judgement.apply([narrow, onset], to: &readings, patterns: ["A", "B"])
    #expect(readings.map(\.verdict) == [.fail, .pass])
  }

  @Test func `a control is not judged by the product's limit`() {
    var control = bad
    control.name = ReadingName(.latencyOnset, isControl: true)
    var readings = [good, steady, control]
    #expect(Judgement.apply([onset, drift], to: &readings, patterns: ["A"]) == .pass)
    #expect(readings[2].verdict == nil)
  }

  @Test func `verdicts weigh fail, not measured, marginal, pass`() {
    #expect(
      Verdict.allCases.sorted { $0.weight > $1.weight } == [.fail, .notMeasured, .marginal, .pass])
    #expect(Verdict.worst([]) == .pass)
    #expect(Verdict.worst([.pass, .marginal, .notMeasured]) == .notMeasured)
  }
}
