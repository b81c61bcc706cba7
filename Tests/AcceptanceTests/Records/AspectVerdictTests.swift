// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Actuators
import JSONText
import Testing
import Units

@Suite struct AspectVerdictTests {
  private let latency = Limit(
    ReadingName(.latencyTransport), .below(10e-3, marginal: 5e-3), required: false)
  private let drops = Limit(ReadingName(.dropouts), .below(0, marginal: nil))
  private let levels = Limit(
    ReadingName(.harmonyIntensity), .above(6.25, marginal: 50), required: false,
    isCalibratedOnly: true)

  /// A run of one pattern, `A`, with a good reading of each aspect.
  private func record(
    _ limits: [Limit]? = nil, profile: Bool = true, _ more: [Reading] = []
  ) -> RunRecord {
    RunRecord(
      header: .init(date: "", host: "", duration: 0, folder: ""),
      run: .init(
        status: .complete, software: "haprig", seed: 1, laws: [:], referenceLevel: 30,
        calibration: profile ? "lra-1, sha256 00" : "uncalibrated"),
      rig: .init(
        name: "rig", device: "simulated", rate: 48_000, fullScaleVolts: 4, driveChannels: [:]),
      actuator: .init(
        id: "lra-1", model: "", kind: .lra, limits: .init(continuousVolts: 2, peakVolts: 4)),
      plan: Plan(name: "x", limits: limits ?? [latency, drops, levels]),
      patterns: [
        .init(
          name: "A", file: "A.ahap", duration: 1, events: 4, diagnostics: [],
          takes: [
            .init(
              number: 1, drive: nil, driveChannels: [], response: nil, responseChannels: [],
              patternFrame: 0, rejected: [])
          ])
      ],
      readings: more + [
        Reading(.latencyTransport, pattern: "A", take: 1, value: 1e-3),
        Reading(.dropouts, pattern: "A", take: 1, value: 0),
        Reading(.harmonyIntensity, pattern: "A", take: 1, value: 90),
        Reading(.eventsScored, pattern: "A", take: 1, value: 1, count: 4),
      ], verdict: .pass)
  }

  private func words(_ record: RunRecord) -> [String] {
    record.verdicts.map { $0.word + ($0.absence.map { " (\($0.rawValue))" } ?? "") }
  }

  /// The words for rig, timing and feel, and the run's, after judging.
  private func judged(_ record: RunRecord) -> [String] {
    var record = record
    record.judge()
    return words(record) + [record.verdict.rawValue]
  }

  @Test func `a good run with a profile passes in all three`() {
    #expect(judged(record()) == ["pass", "pass", "pass", "pass"])
  }

  @Test func `without a profile nobody judges how it feels, and the run is marginal at best`() {
    #expect(
      judged(record(profile: false)) == ["pass", "pass", "not judged (no profile)", "marginal"])
    var record = record(profile: false)
    record.judge()
    let level = record.readings.first { $0.name.kind == .harmonyIntensity }
    #expect(level?.verdict == nil && level?.limit == nil)
  }

  @Test func `a required limit of calibrated runs owes nothing without a profile`() {
    var level = levels
    level.required = true
    level.reading = ReadingName(.harmonyDecay)
    #expect(judged(record([level], profile: false))[3] == "marginal")
    #expect(record([level], profile: false).missingReadings.isEmpty)
    #expect(
      judged(record([level])) == [
        "not judged (no limits)",
        "not judged (no limits)", "not measured", "not measured",
      ])
  }

  @Test func `a limit of all runs behind one of calibrated runs judges those without a profile`() {
    let loose = Limit(ReadingName(.harmonyIntensity), .above(95, marginal: nil))
    #expect(judged(record([levels, loose])).suffix(2) == ["pass", "pass"])
    #expect(judged(record([levels, loose], profile: false)).suffix(2) == ["fail", "fail"])
  }

  @Test func `a plan that states latencies alone passes as before, and says so of the rest`() {
    for profile in [false, true] {
      #expect(
        judged(record([latency], profile: profile)) == [
          "not judged (no limits)", "pass",
          "not judged (no limits)", "pass",
        ])
    }
  }

  @Test(arguments: [
    (Reading(.latencyTransport, pattern: "A", value: 7e-3), 1, Verdict.marginal),
    (Reading(.latencyTransport, pattern: "A", value: 60e-3), 1, .fail),
    (Reading(.dropouts, pattern: "A", value: 1), 0, .fail),
    (Reading(.harmonyIntensity, pattern: "A", value: 20), 2, .marginal),
    (Reading(.harmonyIntensity, pattern: "A", value: 2), 2, .fail),
  ])
  func `a reading weighs in its own aspect and in the run`(
    reading: Reading, place: Int, verdict: Verdict
  ) throws {
    var record = record(nil, [reading])
    record.judge()
    var expected = [Verdict.pass, .pass, .pass]
    expected[place] = verdict
    #expect(record.verdicts.map(\.verdict) == expected)
    #expect(record.verdict == verdict)
    var judged = reading
    judged.limit = record.readings[0].limit
    judged.verdict = verdict
    #expect(record.verdicts[place].causes == [.reading(judged)])
  }

  @Test func `what is required and was not measured makes its aspect not measured`() {
    var record = record([drops, Limit(ReadingName(.latencyElectrical), .below(1, marginal: nil))])
    record.judge()
    #expect(record.verdicts.map(\.verdict) == [.pass, .notMeasured, nil])
    #expect(record.verdicts[1].causes == record.missingReadings.map { .missing($0) })
    record.plan.requirements = [Requirement(ReadingName(.harmony))]
    record.judge()
    #expect(record.verdicts.map(\.verdict) == [.pass, .notMeasured, .notMeasured])
  }

  @Test func `a requirement that was met is a pass of its aspect`() {
    var record = record([])
    record.plan.requirements = [Requirement(ReadingName(.harmonyIntensity))]
    #expect(judged(record)[2] == "pass")
  }

  @Test func `limits without a reading judge nothing`() {
    let sync = Limit(ReadingName(.syncAudioHaptic), .syncBands, required: false)
    #expect(judged(record([sync]))[1] == "not judged (no readings)")
  }

  @Test func `a setup check that does not hold fails the rig`() {
    var record = record()
    let found = SetupFinding(.actuator, holds: false, "what is mounted is another")
    record.setup = [SetupFinding(.reference, holds: true, "it is there"), found]
    record.run.status = .fault
    record.judge()
    #expect(record.verdicts.map(\.verdict) == [.fail, .pass, .pass])
    #expect(record.verdicts[0].causes == [.setup(found)])
    #expect(record.verdict == .fail)
  }

  @Test func `setup checks that hold are a pass of the rig`() {
    var record = record([])
    record.setup = [SetupFinding(.reference, holds: true, "it is there")]
    #expect(judged(record)[0] == "pass")
  }

  @Test(arguments: [RunRecord.Status.interrupted, .fault])
  func `a run that was cut short has not measured the rig`(status: RunRecord.Status) {
    var record = record()
    record.run.status = status
    record.judge()
    #expect(record.verdicts.map(\.verdict) == [.notMeasured, .pass, .pass])
    #expect(record.verdicts[0].causes == [.ending(status)])
    #expect(record.verdict == .notMeasured)
  }

  @Test func `with fewer than half of the driven events scored nobody knows how a pattern feels`() {
    func take(_ number: Int, _ share: Double?) -> Reading {
      var reading = Reading(.eventsScored, pattern: "A", take: number, value: 0, count: 10)
      reading.value = share
      return reading
    }
    // The pattern's take of four events counts with these.
    #expect(judged(record(nil, [take(2, 0.3)]))[2] == "pass")
    #expect(
      judged(record(nil, [take(2, 0.2)])) == ["pass", "pass", "not measured", "not measured"])
    #expect(judged(record(nil, [take(2, nil)]))[2] == "not measured")
    var few = record(nil, [take(2, 0.2)])
    few.judge()
    #expect(few.verdicts[2].causes == [.unscored(pattern: "A", share: 6.0 / 14)])
    // It is a rule of calibrated feel, and no limit that an older plan did not state.
    var plan = few
    plan.plan.limits[2].isCalibratedOnly = false
    #expect(judged(plan)[2] == "pass")
    #expect(judged(record(nil, profile: false, [take(2, 0.2)]))[2] == "not judged (no profile)")
  }

  @Test func `a pattern of which a sensor scored nothing is never a pass`() {
    func verdicts(_ share: Double, channel: String?) -> (run: Verdict, pattern: Verdict?) {
      var record = record([latency, drops], profile: false)
      record.readings.removeAll { $0.name == ReadingName(.eventsScored) }
      record.readings.append(
        Reading(
          .eventsScored, pattern: "A", take: 1, channel: channel, value: share, count: 8))
      record.judge()
      return (record.verdict, record.patterns[0].verdict)
    }
    #expect(verdicts(0, channel: "z") == (.notMeasured, .notMeasured))
    #expect(verdicts(0.125, channel: "z") == (.pass, .pass))
    // Without a sensor nothing is to be scored.
    #expect(verdicts(0, channel: nil) == (.pass, .pass))
  }

  @Test func `what a control tells is of the rig`() {
    var control = Reading(.latencyElectrical, pattern: "C", value: 1)
    control.name = ReadingName(.latencyElectrical, isControl: true)
    let limit = Limit(control.name, .below(0.1, marginal: nil))
    #expect(judged(record([limit], [control]))[0] == "fail")
    #expect(limit.aspect == .rig)
  }

  @Test func `an expected failure that fails is a pass of its aspect`() {
    var record = record(nil, [Reading(.harmonyIntensity, pattern: "A", value: 2)])
    record.plan.expectedFailures = [
      ExpectedFailure(ReadingName(.harmonyIntensity), why: "too weak an actuator")
    ]
    #expect(judged(record) == ["pass", "pass", "pass", "pass"])
    record.run.calibration = "uncalibrated"
    record.judge()
    #expect(record.expectations.map(\.outcome) == [.notMeasured])
  }

  @Test func `the record carries them, and a reader takes it with and without`() throws {
    var record = record(profile: false)
    record.judge()
    #expect(
      record.json["verdicts"]?.text(indent: nil)
        == #"{"rig":{"verdict":"pass"},"timing":{"verdict":"pass"},"#
        + #""feel":{"verdict":"not judged","reason":"no profile"}}"#)
    let read = try RunRecord(parsing: Array(record.text.utf8))
    #expect(read == record && read.verdicts == record.verdicts)
    guard case .object(var members) = record.json else { return }
    members.removeAll { $0.key == "verdicts" }
    let old = JSONValue.object(members).text(indent: 1)
    #expect(try RunRecord(parsing: Array(old.utf8)) == record)
  }

  @Test func `every reading has an aspect of its own`() {
    let kinds = Dictionary(grouping: ReadingKind.allCases, by: \.aspect)
    #expect(Set(kinds.keys) == Set(Aspect.allCases))
    for kind in kinds[.timing] ?? [] {
      #expect(
        kind.rawValue.hasPrefix("latency.") || kind.unit == .second
          || [.eventsLate, .harmonySync].contains(kind), "\(kind)")
    }
    for kind in ReadingKind.allCases where kind.rawValue.hasPrefix("latency.") {
      #expect(kind.aspect == .timing)
    }
  }
}
