// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Actuators
import JSONText
import Testing
import Units

@Suite struct RunRecordJSONTests {
  @Test func `a record written and read back is the same record`() throws {
    for seed in UInt64(1)...200 {
      var random = RandomRecord(seed: seed)
      let record = random.record()
      let text = record.text
      let read = try RunRecord(parsing: Array(text.utf8))
      #expect(read == record, "seed \(seed)")
      #expect(read.text == text, "seed \(seed)")
    }
  }

  @Test func `the top level holds the promised keys, sorted`() throws {
    var random = RandomRecord(seed: 3)
    var record = random.record()
    record.setup = nil
    record.control = nil
    record.inputs = nil
    record.impulse = nil
    let value = try JSONValue(parsing: Array(record.text.utf8))
    let keys = try #require(value.members).map(\.key)
    #expect(
      keys == [
        "actuator", "header", "patterns", "plan", "readings", "rig", "run", "schema", "verdict",
        "verdicts",
      ])
    #expect(value["schema"] == "haprig.run/1.1")
    record.setup = []
    record.control = RunRecord.Control(rig: record.rig, actuator: nil, patterns: [])
    let more = try JSONValue(parsing: Array(record.text.utf8))
    #expect(
      try #require(more.members).map(\.key).filter { !keys.contains($0) } == ["control", "setup"])
  }

  @Test func `keys are sorted at every level`() throws {
    var random = RandomRecord(seed: 4)
    func check(_ value: JSONValue, _ path: String) {
      for (index, element) in (value.elements ?? []).enumerated() {
        check(element, "\(path)[\(index)]")
      }
      let keys = (value.members ?? []).map { Array($0.key.utf8) }
      #expect(
        zip(keys, keys.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) }, "in \(path)")
      for member in value.members ?? [] { check(member.value, "\(path).\(member.key)") }
    }
    check(try JSONValue(parsing: Array(random.record().text.utf8)), "record")
  }

  @Test func `the order in which a dictionary was filled does not show`() {
    var first = Self.smallest
    var second = Self.smallest
    for number in 0..<50 { first.run.laws["law\(number)"] = "square" }
    for number in (0..<50).reversed() { second.run.laws["law\(number)"] = "square" }
    #expect(first.text == second.text)
  }

  @Test func `a reading has the keys that other programs rely on`() throws {
    var reading = Reading(
      .latencyOnset, pattern: "Boing", take: 2, event: 3, channel: "z", value: 0.0051,
      uncertainty: 0.00002, count: 4, note: "near the noise")
    reading.limit = "at most 10 ms"
    reading.verdict = .pass
    let keys = try #require(reading.json.members).map(\.key)
    #expect(
      keys == [
        "name", "pattern", "repeat", "event", "channel", "value", "unit", "uncertainty", "n",
        "limit", "verdict", "note",
      ])
    #expect(reading.json["value"] == 0.0051)
    #expect(reading.json["unit"] == "s")
  }

  @Test func `what a reading does not say is absent, not zero`() throws {
    let reading = Reading(notMeasured: .syncAudioHaptic, because: "no sound")
    let keys = try #require(reading.json.members).map(\.key)
    #expect(keys == ["name", "unit", "verdict", "note"])
  }

  @Test func `no record holds a null`() {
    for seed in UInt64(500)...520 {
      var random = RandomRecord(seed: seed)
      func hasNull(_ value: JSONValue) -> Bool {
        value == .null || (value.elements ?? []).contains(where: hasNull)
          || (value.members ?? []).contains { hasNull($0.value) }
      }
      #expect(!hasNull(random.record().json), "seed \(seed)")
    }
  }

  @Test func `a number that JSON cannot say is left out instead of stopping the run`() throws {
    var record = Self.smallest
    record.readings = [Reading(.drift, value: 1)]
    record.readings[0].value = .nan
    record.readings[0].uncertainty = .infinity
    let read = try RunRecord(parsing: Array(record.text.utf8))
    #expect(read.readings[0].value == nil)
    #expect(read.readings[0].uncertainty == nil)
  }

  @Test(arguments: [0, 1, 1 << 53, (1 << 53) + 1, .max] as [UInt64])
  func `a seed keeps every digit`(seed: UInt64) throws {
    var record = Self.smallest
    record.run.seed = seed
    record.plan.seed = seed
    let read = try RunRecord(parsing: Array(record.text.utf8))
    #expect(read.run.seed == seed)
    #expect(read.plan.seed == seed)
    let kept = try #require(record.json["run"]?["seed"])
    #expect((kept.integer != nil) == (seed <= 1 << 53))
  }

  @Test func `limits keep their shape, their unit and their patterns`() throws {
    var record = Self.smallest
    record.plan.limits = [
      Limit(
        ReadingName(.latencyOnset), .below(0.01, marginal: 0.008), required: false,
        patterns: ["Boing"]),
      Limit(
        ReadingName(.syncAudioHaptic, isControl: true), .syncBands, isCalibratedOnly: true),
    ]
    let limits = try #require(record.json["plan"]?["limits"]?.elements)
    #expect(
      limits[0].text(indent: nil, sortedKeys: true)
        == #"{"below":0.01,"marginal":0.008,"patterns":["Boing"],"reading":"latency.onset","#
        + #""required":false,"unit":"s"}"#)
    #expect(
      limits[1].text(indent: nil, sortedKeys: true)
        == #"{"bands":"sync","calibrated":true,"reading":"control.sync.audioHaptic","required":true,"unit":"s"}"#
    )
  }

  @Test func `a member of a later version is passed over`() throws {
    let text = Self.smallest.text.replacing(
      "\"schema\": \"haprig.run/1.1\"",
      with: "\"schema\": \"haprig.run/1.2\", \"later\": {\"a\": [1]}")
    #expect(try RunRecord(parsing: Array(text.utf8)) == Self.smallest)
  }

  @Test func `a record keeps the edition that it was written in`() throws {
    let text = Self.smallest.text.replacing(
      "\"schema\": \"haprig.run/1.1\"", with: "\"schema\": \"haprig.run/1\"")
    let old = try RunRecord(parsing: Array(text.utf8))
    #expect(old.edition == 0)
    #expect(old.text == text)
    for wrong in ["haprig.run/1.", "haprig.run/1.-1", "haprig.run/1.x", "haprig.run/11"] {
      let bytes = Array(text.replacing("haprig.run/1", with: wrong).utf8)
      #expect(throws: RunRecordError.self, "\(wrong)") { try RunRecord(parsing: bytes) }
    }
  }

  static let smallest = RunRecord(
    header: .init(date: "2026-01-02T03:04:05Z", host: "bench", duration: 1.5, folder: "run-1"),
    run: .init(
      status: .complete, software: "1.0", seed: 1, laws: ["intensity": "square"],
      referenceLevel: 30, calibration: "uncalibrated"),
    rig: .init(
      name: "sim", device: "simulated", rate: 48_000, fullScaleVolts: 4,
      driveChannels: ["haptic": 1]),
    actuator: .init(
      id: "a", model: "lra", kind: .lra, limits: .init(continuousVolts: 2, peakVolts: 4)),
    plan: Plan(name: "none"),
    patterns: [
      .init(
        name: "Boing", file: "Boing.ahap", duration: 1, events: 1, diagnostics: [],
        takes: [
          .init(
            number: 1, drive: "d.wav", driveChannels: [.init(name: "haptic", unit: .volt)],
            response: nil, responseChannels: [], patternFrame: 4800, rejected: [])
        ])
    ],
    readings: [Reading(.drift, value: 1.5)], verdict: .pass)
}
