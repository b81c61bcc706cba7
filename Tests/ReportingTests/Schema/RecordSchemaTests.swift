// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Devices
import Foundation
import JSONText
import Reporting
import Testing
import Units

/// The published schema of `record.json` against the code, and against a validator that others wrote.
@Suite struct RecordSchemaTests {
  private static let path = #filePath.replacing(
    "Tests/ReportingTests/Schema/RecordSchemaTests.swift", with: "docs/schema/record.schema.json")

  private func schema() throws -> JSONValue {
    try JSONDocument(Array(Data(contentsOf: URL(fileURLWithPath: Self.path)))).root.value
  }

  @Test func `it knows every reading, and no other`() throws {
    let names = try #require(schema()["$defs"]?["readingName"]?["enum"]?.elements)
    let expected = ReadingKind.allCases.flatMap { [$0.rawValue, "control.\($0.rawValue)"] }
    #expect(Set(names.compactMap(\.string)) == Set(expected))
  }

  @Test func `it gives every reading its unit`() throws {
    let rules = try #require(schema()["$defs"]?["reading"]?["allOf"]?.elements)
    var units: [String: String] = [:]
    for rule in rules {
      let unit = rule["then"]?["properties"]?["unit"]?["const"]?.string
      for name in rule["if"]?["properties"]?["name"]?["enum"]?.elements ?? [] {
        units[try #require(name.string)] = unit
      }
    }
    for kind in ReadingKind.allCases {
      #expect(units[kind.rawValue] == kind.unit.rawValue, "\(kind.rawValue)")
      #expect(units["control.\(kind.rawValue)"] == kind.unit.rawValue, "\(kind.rawValue)")
    }
  }

  @Test func `it knows every unit, verdict, status and setup check`() throws {
    let definitions = try #require(schema()["$defs"])
    func words(_ value: JSONValue?) -> Set<String> {
      Set((value?["enum"]?.elements ?? []).compactMap(\.string))
    }
    #expect(words(definitions["unit"]) == Set(MeasurementUnit.allCases.map(\.rawValue)))
    #expect(words(definitions["verdict"]) == Set(Verdict.allCases.map(\.rawValue)))
    let aspect = definitions["aspectVerdict"]?["properties"]
    #expect(
      words(aspect?["verdict"])
        == Set(Verdict.allCases.map(\.rawValue) + [AspectVerdict.notJudged]))
    #expect(words(aspect?["reason"]) == Set(AspectVerdict.Absence.allCases.map(\.rawValue)))
    #expect(
      words(definitions["run"]?["properties"]?["status"])
        == Set(RunRecord.Status.allCases.map(\.rawValue)))
    #expect(
      words(try schema()["properties"]?["setup"]?["items"]?["properties"]?["check"])
        == Set(SetupChecks.Check.allCases.map(\.rawValue)))
  }

  /// Validates texts, one a line, and gives for each whether it holds and else where it does not.
  private static func verdicts(on records: [JSONValue]) throws -> [String] {
    let script = """
      import json, sys
      import jsonschema
      schema = json.load(open('\(path)'))
      jsonschema.Draft202012Validator.check_schema(schema)
      validator = jsonschema.Draft202012Validator(schema)
      for line in sys.stdin:
          error = jsonschema.exceptions.best_match(validator.iter_errors(json.loads(line)))
          print('holds' if error is None else '/'.join(map(str, error.absolute_path)) + ': ' + error.message[:200])
      """
    let lines = records.map { $0.text(indent: nil) }.joined(separator: "\n") + "\n"
    return try Python.run(script, input: lines).split(separator: "\n").map(String.init)
  }

  private static let hasValidator =
    Python.isAvailable && (try? Python.run("import jsonschema; print(1)", input: "")) == "1\n"

  @Test(.enabled(if: hasValidator, "python3-jsonschema is not installed"))
  func `records of every shape hold`() throws {
    #expect(try Self.verdicts(on: Self.shapes().map(\.json)).filter { $0 != "holds" } == [])
  }

  @Test(.enabled(if: hasValidator, "python3-jsonschema is not installed"))
  func `what --json prints holds, with a summary of every shape`() throws {
    var shapes = Self.shapes()
    var rich = SampleRecord(names: ["Boing", "Drums"])
    rich.takes = 3
    var record = rich.make()
    record.run.calibration = "lra-1, sha256 00"
    record.patterns[1].verdict = nil
    for (kind, value) in [
      (ReadingKind.sharpnessError, 0.4), (.latencyEvent, 0.7e-3), (.intensityError, -31),
    ] {
      record.readings.append(
        Reading(
          kind, pattern: "Boing", take: 2, event: 1, value: value, uncertainty: 0.1 * abs(value)))
    }
    record.readings.append(
      Reading(.harmony, pattern: "Boing", value: 80, uncertainty: 1, differencesUncertainty: 6))
    record.readings.append(Reading(.gamutOutside, pattern: "Boing", take: 1, value: 0.4))
    record.readings.append(Reading(.profileLimited, pattern: "Boing", take: 1, value: 480))
    record.readings.append(
      Reading(
        .intensityError, pattern: "Boing", take: 3, event: 2, value: -40,
        note: Reading.droppedNote))
    shapes.append(record)
    let texts = try shapes.map { record in
      let text = RunJSON.text(record: record)
      #expect(text.hasPrefix("{\n \"summary\": {"))
      return try JSONDocument(Array(text.utf8)).root.value
    }
    #expect(try Self.verdicts(on: texts).filter { $0 != "holds" } == [])
    let patterns = try #require(texts.last?["summary"]?["patterns"]?.elements?.first)
    for key in [
      "events", "latency", "sync", "levelMean", "levelError", "contrast", "sharpnessError",
      "outOfReach", "heldAtPeak", "warning", "harmony",
    ] { #expect(patterns[key] != nil, "\(key)") }
    #expect(patterns["harmony"]?["differencesUncertainty"] == .number(6))
    let meaning = texts.last?["meanings"]?["latency.event"]
    #expect(meaning?["from"]?.string == ReadingKind.latencyEvent.interval?.from)
    #expect(texts.last?["meanings"]?["harmony"]?["index"] == .bool(true))
    #expect(texts.last?["meanings"]?["control.drift"] == nil)
    let grades = patterns["worst"]?.elements?.compactMap { $0["grade"]?.string }
    #expect(grades?.prefix(2) == ["dropped", "bad"])
    var broken = try #require(texts.last)
    broken = try #require(broken.changing(["summary", "worst", 0, "grade"], to: "awful"))
    #expect(try Self.verdicts(on: [broken]) != ["holds"])
  }

  @Test func `a reader of the record passes over the summary`() throws {
    let record = SampleRecord().make()
    #expect(try RunRecord(parsing: Array(RunJSON.text(record: record).utf8)) == record)
    #expect(record.json["summary"] == nil)
  }

  /// A stream of devices that tell everything.
  private static let stream: StreamStatistics = {
    let histogram = JitterHistogram(
      counts: Array(0..<JitterHistogram.binCount), largest: 4.2)
    var stream = StreamStatistics()
    stream.negotiations = [
      Negotiation(
        direction: "playback", pcm: "hw:1", cardName: "Card", access: "mmap", format: .s32,
        channelCount: 3, rate: 48_000, periodFrames: 64, bufferFrames: 256)
    ]
    stream.start = .unlinked(offset: -1e-3, uncertainty: 1e-5, reason: "two cards")
    stream.duration = 2.5
    stream.scheduling = .fifo(priority: 75)
    stream.memoryLock = .locked
    stream.cpuShare = 0.02
    stream.jitter = histogram
    stream.transfers = .init(output: histogram, input: histogram, pollingInterval: 1e-3)
    stream.statements = [
      .init(
        device: "HR-0001", fullScaleVolts: 3.3, knowsFullScale: false, driveDelay: 20e-6,
        sensorDelay: 300e-6, sensorRate: 26_667)
    ]
    stream.restartUncertainty = 1e-6
    stream.driveRate = .init(ppm: 2, uncertainty: 0.1, pairCount: 40)
    stream.captureRate = .init(ppm: -12, uncertainty: 0.1, pairCount: 40)
    return stream
  }()

  /// Records that between them have every member.
  private static func shapes() -> [RunRecord] {
    let plain = SampleRecord().make()
    var full = plain
    full.header.environment = ["kernel": "6.1.0"]
    full.header.files = [
      .init(name: "inputs/rig/rig.yaml", bytes: 3, sha256: String(repeating: "0f", count: 32))
    ]
    full.run.seed = .max
    full.setup = [SetupFinding(.gravity, holds: true, "gravity is there")]
    full.plan.limits[1].isCalibratedOnly = true
    full.plan.restarts = 2
    full.plan.order = .shuffled
    full.plan.actuator = "lra-1"
    full.plan.profile = .byActuator(["lra-1": "none"])
    full.plan.setup = SetupChecks(
      noiseFloor: 1, gravity: 9.81, temperature: 20...30, reference: true, response: true,
      diskSpace: true)
    full.plan.control = ControlPlan(.rig("control.yaml"), patterns: ["a.ahap"], every: 3)
    full.plan.requirements = [Requirement(ReadingName(.noiseFloor), patterns: ["Boing"])]
    full.plan.expectedFailures = [
      ExpectedFailure(ReadingName(.drift), pattern: "Boing", why: "a cheap crystal")
    ]
    full.plan.notes = ["a note"]
    full.patterns[0].input = .init(
      file: "inputs/patterns/a.ahap", sounds: ["a.wav": "inputs/sounds/a.wav"])
    full.patterns[0].takes[0].place = 1
    full.patterns[0].takes[0].opening = 1
    full.patterns[0].takes[0].markers = [2_400, 90_000]
    full.patterns[0].takes[0].device = .init(
      frames: 96_000, driveFrames: 96_000,
      captureEvents: [.init(kind: .overload, frame: 12, length: 4, channel: "z")],
      driveEvents: [.init(kind: .underrun, frame: 12, length: 64)],
      expressible: .init(
        frequencies: .range(40...626), amplitudes: [0, 0.5, 1], updateInterval: 5e-3),
      fault: "the device was unplugged")
    full.patterns[0].takes[0].stream = stream
    full.control = .init(rig: full.rig, actuator: full.actuator, patterns: full.patterns)
    full.inputs = .init(
      rig: "inputs/rig/rig.yaml", plan: "inputs/plan.yaml",
      options: ["mixing": "soft", "strict": true])
    var loop = full
    loop.plan.control = ControlPlan(.loop)
    loop.plan.profile = .all("none")
    loop.control?.actuator = nil
    var stopped = plain
    stopped.run.status = .interrupted
    stopped.run.reason = "SIGTERM"
    stopped.patterns = []
    stopped.readings = []
    stopped.verdict = .notMeasured
    return [plain, full, loop, stopped]
  }

  @Test(.enabled(if: hasValidator, "python3-jsonschema is not installed"))
  func `a record that was tampered with does not hold`() throws {
    let whole = Self.shapes()[1].json
    let changes: [(String, [Step], JSONValue?)] = [
      ("an unknown member", ["more"], 1),
      ("an unknown member of a reading", ["readings", 0, "more"], 1),
      ("another schema", ["schema"], "haprig.run/2"),
      ("no readings", ["readings"], nil),
      ("a null", ["readings", 0, "value"], .null),
      ("a number as text", ["readings", 0, "value"], "0.1"),
      ("a unit that is not the reading's", ["readings", 0, "unit"], "ms"),
      ("a reading that nobody knows", ["readings", 0, "name"], "latency.guess"),
      ("a negative uncertainty", ["readings", 0, "uncertainty"], -1),
      ("a measured value that is judged not measured", ["readings", 0, "verdict"], "not measured"),
      ("a missing value without a reason", ["readings", 0, "value"], nil),
      ("a verdict of another kind", ["verdict"], "good"),
      ("a seed beyond what readers keep", ["plan", "seed"], 9_007_199_254_740_994),
      ("a path that leads out", ["header", "files", 0, "name"], "inputs/../../etc/passwd"),
      ("an absolute path", ["inputs", "rig"], "/etc/passwd"),
      ("a hash that is too short", ["header", "files", 0, "sha256"], "0f0f"),
      ("a date without a time", ["header", "date"], "2026-03-14"),
      ("a reason of a complete run", ["run", "reason"], "none"),
      ("no repeat at all", ["plan", "repeats"], 0),
      ("verdicts without one", ["verdicts", "feel"], nil),
      ("an aspect of another word", ["verdicts", "rig", "verdict"], "good"),
      ("no verdict without a reason", ["verdicts", "rig"], ["verdict": "not judged"]),
      (
        "a verdict with a reason", ["verdicts", "rig"], ["verdict": "pass", "reason": "no profile"]
      ),
      ("a limit with two bounds", ["plan", "limits", 0, "below"], 1),
      ("a limit without a bound", ["plan", "limits", 0, "within"], nil),
      ("a control of two kinds", ["plan", "control", "loop"], true),
      ("a fraction of an event", ["patterns", 0, "events"], 1.5),
      (
        "an event of a stream that is none",
        ["patterns", 0, "takes", 0, "device", "driveEvents", 0, "kind"], "hiccup"
      ),
      ("an event without a start", ["patterns", 0, "timeline", 0, "start"], nil),
      ("one marker", ["patterns", 0, "takes", 0, "markers"], [1]),
    ]
    let mutants = try changes.map { try #require(whole.changing($0.1[...], to: $0.2)) }
    for ((name, _, _), verdict) in zip(changes, try Self.verdicts(on: mutants)) {
      #expect(verdict != "holds", "\(name)")
    }
  }
}

/// One step down into a document.
private enum Step: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
  case key(String)
  case index(Int)

  init(stringLiteral key: String) { self = .key(key) }
  init(integerLiteral index: Int) { self = .index(index) }
}

extension JSONValue {
  /// The value with another, or nothing, at a place; nil where there is no such place.
  fileprivate func changing(_ path: ArraySlice<Step>, to value: JSONValue?) -> JSONValue? {
    guard let step = path.first else { return value }
    switch (self, step) {
    case (.object(var members), .key(let key)):
      let index = members.firstIndex { $0.key == key }
      let changed = (index.map { members[$0].value } ?? .null).changing(path.dropFirst(), to: value)
      if let index { members.remove(at: index) }
      if let changed { members.append(JSONMember(key, changed)) }
      return .object(members)
    case (.array(var elements), .index(let index)):
      guard elements.indices.contains(index),
        let changed = elements[index].changing(path.dropFirst(), to: value)
      else { return nil }
      elements[index] = changed
      return .array(elements)
    default: return nil
    }
  }
}
