// SPDX-License-Identifier: Apache-2.0

import Acceptance
import JSONText
import Testing

@testable import Reporting

@Suite struct AspectSummaryTests {
  private func record(_ readings: [Reading], _ limits: [Limit]) -> RunRecord {
    var record = SampleRecord().make()
    record.run.calibration = "lra-1, sha256 00"
    record.plan.limits = limits
    record.readings = readings
    record.judge()
    return record
  }

  private let levels = Limit(
    ReadingName(.harmonyIntensity), .above(6.25, marginal: 50), required: false,
    isCalibratedOnly: true)

  @Test func `the readings of a name are one cause, with the first three patterns`() {
    let names = SampleRecord.names.prefix(5)
    let readings = names.flatMap { name in
      (1...2).map {
        Reading(.harmonyIntensity, pattern: name, take: $0, value: 2, uncertainty: 0.1)
      }
    }
    let summary = RunSummary(record(readings, [levels]))
    #expect(
      summary.verdicts[2].reason
        == "harmony of level of Boing, Drums, Gravel and 2 more patterns")
  }

  @Test func `one reading is told with its place and value`() {
    let reading = Reading(.harmonyIntensity, pattern: "Boing", take: 2, value: 20, uncertainty: 1)
    let verdicts = RunSummary(record([reading], [levels])).verdicts
    #expect(verdicts[2].verdict.verdict == .marginal)
    #expect(verdicts[2].reason == "harmony of level of Boing, take 2: 20.0 ± 1.0")
  }

  @Test func `three causes are named, the others counted`() {
    let kinds: [ReadingKind] = [
      .harmonyIntensity, .harmonySharpness, .harmonyDecay, .harmonyEnvelope, .harmonyOutside,
    ]
    let summary = RunSummary(
      record(
        kinds.map { Reading($0, pattern: "Boing", value: 1) },
        kinds.map { Limit(ReadingName($0), .above(50, marginal: nil)) }))
    #expect(summary.verdicts[2].causes.count == 5)
    #expect(
      summary.verdicts[2].reason
        == "harmony of level of Boing: 1; harmony of sharpness of Boing: 1; harmony of endings of Boing: 1; "
        + "and 2 more")
  }

  @Test func `a share that is itself too small is told like any reading`() {
    let readings = ["Boing", "Drums"].map {
      Reading(.eventsScored, pattern: $0, take: 1, value: 0.8, count: 40)
    }
    let limit = Limit(ReadingName(.eventsScored), .above(0, marginal: 0.9))
    let summary = RunSummary(record(readings, [limit]))
    #expect(summary.verdicts[0].verdict.verdict == .notMeasured)
    var loose = limit
    loose.required = false
    #expect(
      RunSummary(record(readings, [loose])).verdicts[0].reason == "events scored of Boing, Drums")
  }

  @Test func `too few scored events are told with their share`() {
    let few = Reading(.eventsScored, pattern: "Gravel", take: 1, value: 0.3, count: 40)
    #expect(
      RunSummary(record([few], [levels])).verdicts[2].reason
        == "fewer than half of the driven events scored in Gravel (30 %)")
  }

  @Test func `a setup check, a fault and what is missing are told in words`() {
    var record = record(
      [], [Limit(ReadingName(.latencyTransport), .below(1, marginal: nil), patterns: ["Boing"])])
    record.setup = [SetupFinding(.actuator, holds: false, "what is mounted is another")]
    record.run.status = .fault
    record.judge()
    let summary = RunSummary(record)
    #expect(
      summary.verdicts.map(\.reason) == [
        "setup check actuator: what is mounted is another",
        "delay to motion of Boing not measured", "the plan has no limits of it",
      ])
    record.setup = nil
    #expect(RunSummary(record).verdicts[0].reason == "a device fault ended the run")
  }

  @Test func `the terminal's first line has the three, coloured where they are judged`() {
    var plain = record([], [levels])
    plain.run.calibration = "uncalibrated"
    plain.readings = [Reading(.xruns, value: 0)]
    plain.plan.limits.append(Limit(ReadingName(.xruns), .below(0, marginal: nil)))
    plain.judge()
    #expect(
      TextReport.table(record: plain).hasPrefix(
        "Rig pass   Timing not judged (no limits)   Feel not judged (no profile)\n\n"))
    #expect(
      TextReport.table(record: plain, color: true).hasPrefix(
        "Rig \u{1B}[32mpass\u{1B}[0m   Timing not judged (no limits)   Feel not judged"))
    // No limits at all is the widest line.
    plain.plan.limits = []
    for index in plain.readings.indices { plain.readings[index].limit = nil }
    plain.judge()
    let text = TextReport.table(record: plain, color: true)
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 })
    #expect(text.contains("\npass: 8 patterns"), "a pass without Feel is coloured")
  }

  @Test func `the sentence says what a profile would have judged`() {
    var uncalibrated = record([], [levels])
    uncalibrated.run.calibration = "uncalibrated"
    uncalibrated.judge()
    #expect(
      RunSummary(uncalibrated).sentence
        == "8 patterns, 8 takes: marginal. No reading is outside its limits. "
        + "Feel is not judged: no profile.")
  }

  @Test func `the summary for programs has them with their causes`() throws {
    let reading = Reading(.harmonyIntensity, pattern: "Boing", value: 2)
    let verdicts = RunJSON.summary(of: record([reading], [levels]))["verdicts"]
    #expect(
      verdicts?.text(indent: nil)
        == #"{"rig":{"verdict":"not judged","reason":"no limits"},"#
        + #""timing":{"verdict":"not judged","reason":"no limits"},"#
        + #""feel":{"verdict":"fail","causes":["harmony.intensity of Boing: 2"]}}"#)
  }
}
