import Actuators
import Devices
public import JSONText
import Units

extension RunRecord {
  /// The record as it is kept: JSON with sorted keys, and a line feed at the end.
  ///
  /// Equal records give equal text. A field that says nothing is absent, and so is a number that is
  /// not finite, for which JSON has no word.
  public var text: String { json.text(indent: 1, sortedKeys: true) + "\n" }

  /// The record as a JSON value, in the form that `docs/FILE-FORMATS.md` describes.
  public var json: JSONValue {
    .object(present: [
      "schema": .string(edition == 0 ? Self.schema : "\(Self.schema).\(edition)"),
      "header": header.json,
      "run": run.json,
      "rig": rig.json,
      "actuator": actuator.json,
      "plan": plan.json,
      "setup": setup.map { .array($0.map(\.json)) },
      "patterns": .array(patterns.map(\.json)),
      "control": control?.json,
      "impulse": impulse?.json,
      "readings": .array(readings.map(\.json)),
      "verdict": .string(verdict.rawValue),
      "verdicts": .object(verdicts.map { JSONMember($0.aspect.rawValue, $0.json) }),
      "inputs": inputs?.json,
    ])
  }
}

extension AspectVerdict {
  /// Its word and, where it is not judged, the reason.
  public var json: JSONValue {
    .object(present: [
      "verdict": .string(word), "reason": (absence?.rawValue).map(JSONValue.string),
    ])
  }
}

extension RunRecord.Header {
  var json: JSONValue {
    .object(present: [
      "date": .string(date), "host": .string(host), "duration": .finite(duration),
      "folder": .string(folder),
      "environment": environment.isEmpty ? nil : .strings(environment),
      "files": files.isEmpty
        ? nil
        : .array(
          files.map {
            [
              "name": .string($0.name), "bytes": .integer($0.bytes), "sha256": .string($0.sha256),
            ]
          }),
    ])
  }
}

extension RunRecord.Run {
  var json: JSONValue {
    .object(present: [
      "status": .string(status.rawValue),
      "reason": reason.map(JSONValue.string),
      "software": .string(software),
      "seed": .seed(seed),
      "laws": .strings(laws),
      "referenceLevel": .finite(referenceLevel),
      "calibration": .string(calibration),
      "arbitraryDelay": hasArbitraryDelay ? .bool(true) : nil,
    ])
  }
}

extension RunRecord.Rig {
  var json: JSONValue {
    .object(present: [
      "name": .string(name), "device": .string(device), "rate": .finite(rate),
      "fullScaleVolts": .finite(fullScaleVolts),
      "driveChannels": .object(
        driveChannels.sorted { $0.key < $1.key }.map { JSONMember($0.key, .integer($0.value)) }),
    ])
  }
}

extension Actuator {
  var json: JSONValue {
    .object(present: [
      "id": .string(id), "model": .string(model), "kind": .string(kind.rawValue),
      "continuousVolts": .finite(limits.continuousVolts), "peakVolts": .finite(limits.peakVolts),
    ])
  }
}

extension RunRecord.Control {
  var json: JSONValue {
    .object(present: [
      "rig": rig.json, "actuator": actuator?.json, "patterns": .array(patterns.map(\.json)),
    ])
  }
}

extension SetupFinding {
  var json: JSONValue {
    ["check": .string(check.rawValue), "holds": .bool(holds), "sentence": .string(sentence)]
  }
}

extension RunRecord.Pattern {
  var json: JSONValue {
    .object(present: [
      "name": .string(name), "file": .string(file), "duration": .finite(duration),
      "events": .integer(events),
      "timeline": timeline.isEmpty ? nil : .array(timeline.map(\.json)),
      "diagnostics": .array(diagnostics.map(JSONValue.string)),
      "takes": .array(takes.map(\.json)),
      "verdict": (verdict?.rawValue).map(JSONValue.string),
      "input": input?.json,
    ])
  }
}

extension RunRecord.Event {
  var json: JSONValue { .object(present: ["kind": .string(kind), "start": .finite(start)]) }
}

extension RunRecord.Take {
  var json: JSONValue {
    .object(present: [
      "repeat": .integer(number),
      "place": place.map(JSONValue.integer),
      "start": opening.map(JSONValue.integer),
      "drive": Self.file(drive, driveChannels),
      "response": Self.file(response, responseChannels),
      "patternFrame": .integer(patternFrame),
      "markers": markers.map { .array($0.map(JSONValue.integer)) },
      "rejected": .array(
        rejected.map { ["event": .integer($0.event), "reason": .string($0.reason)] }),
      "stream": stream?.json,
      "device": device?.json,
    ])
  }

  private static func file(_ name: String?, _ channels: [RunRecord.FileChannel]) -> JSONValue? {
    guard name != nil || !channels.isEmpty else { return nil }
    return .object(present: [
      "file": name.map(JSONValue.string),
      "channels": .array(
        channels.map { ["name": .string($0.name), "unit": .string($0.unit.rawValue)] }),
    ])
  }
}

extension RunRecord {
  /// Reads a record from its text.
  ///
  /// Members that this version does not know are passed over, so that a later version of the same
  /// schema may add some. Linear in the text.
  ///
  /// - Parameter bytes: The UTF-8 text of a `record.json`.
  /// - Throws: A ``RunRecordError`` at the first thing that is no record of this schema.
  public init(parsing bytes: [UInt8]) throws(RunRecordError) {
    let root: JSONNode
    do throws(JSONError) {
      root = try JSONDocument(bytes).root
    } catch {
      throw RunRecordError(position: error.position, path: "", message: error.message)
    }
    try self.init(root)
  }

  /// Reads a record from a parsed document.
  ///
  /// - Parameter node: The object that holds the record.
  /// - Throws: A ``RunRecordError`` at the first thing that is no record of this schema.
  public init(_ node: JSONNode) throws(RunRecordError) {
    let field = RecordField(root: node, of: .record)
    let edition = try Self.edition(try field["schema"])
    let patterns = try field["patterns"].list(Pattern.init)
    let setup = try field.member("setup")?.list(SetupFinding.init)
    let readings = try field["readings"].list(Reading.init)
    self.init(
      header: try Header(try field["header"]), run: try Run(try field["run"]),
      rig: try Rig(try field["rig"]), actuator: try Actuator(try field["actuator"]),
      plan: try Plan(try field["plan"]), patterns: patterns, readings: readings,
      verdict: try field["verdict"].word(Verdict.self), setup: setup,
      control: try field.member("control", Control.init),
      inputs: try field.member("inputs", Inputs.init),
      impulse: try field.member("impulse", Impulse.init))
    self.edition = edition
  }

  /// Accepts the same name and first number: `haprig.run/1` and `haprig.run/1.4`.
  private static func edition(_ field: RecordField) throws(RunRecordError) -> Int {
    let found = try field.string()
    if found == schema { return 0 }
    guard found.hasPrefix(schema + "."), let number = Int(found.dropFirst(schema.count + 1)),
      number > 0
    else {
      throw field.error(
        "schema is '\(found)', but this version of haprig reads '\(schema)': use the version of "
          + "haprig that wrote the record")
    }
    return min(number, Self.edition)
  }
}

extension RunRecord.Header {
  init(_ field: RecordField) throws(RunRecordError) {
    let environment = try field.member("environment")?.dictionary(of: JSONField.string)
    let files = try field.member("files")?.list(RunRecord.File.init)
    self.init(
      date: try field["date"].string(), host: try field["host"].string(),
      duration: try field["duration"].number(), folder: try field["folder"].string(),
      environment: environment ?? [:], files: files ?? [])
  }
}

extension RunRecord.File {
  init(_ field: RecordField) throws(RunRecordError) {
    let nameField = try field["name"]
    let name = try nameField.string()
    // Parts that lead up, or an absolute path, would lead out of the run's folder.
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard !name.utf8.contains(0), parts.allSatisfy({ !["", ".", ".."].contains($0) }) else {
      throw nameField.error(
        "\(nameField.path) is '\(RecordField.shortened(name))', but must be the path of a file below the "
          + "run's folder, counted from there")
    }
    let bytesField = try field["bytes"]
    let bytes = try bytesField.integer()
    guard bytes >= 0 else { throw bytesField.error("\(bytesField.path) must be at least 0") }
    let hashField = try field["sha256"]
    let hash = try hashField.string()
    guard hash.utf8.count == 64,
      hash.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
    else {
      throw hashField.error("\(hashField.path) must be 64 hexadecimal digits in lower case")
    }
    self.init(name: name, bytes: bytes, sha256: hash)
  }
}

extension RunRecord.Run {
  init(_ field: RecordField) throws(RunRecordError) {
    let laws = try field["laws"].dictionary(of: JSONField.string)
    self.init(
      status: try field["status"].word(RunRecord.Status.self),
      reason: try field.member("reason")?.string(), software: try field["software"].string(),
      seed: try field["seed"].seed(), laws: laws,
      referenceLevel: try field["referenceLevel"].number(),
      calibration: try field["calibration"].string(),
      hasArbitraryDelay: try field.member("arbitraryDelay")?.bool() ?? false)
  }
}

extension RunRecord.Rig {
  init(_ field: RecordField) throws(RunRecordError) {
    let channels = try field["driveChannels"].dictionary(of: JSONField.integer)
    self.init(
      name: try field["name"].string(), device: try field["device"].string(),
      rate: try field["rate"].number(), fullScaleVolts: try field["fullScaleVolts"].number(),
      driveChannels: channels)
  }
}

extension Actuator {
  init(_ field: RecordField) throws(RunRecordError) {
    self.init(
      id: try field["id"].string(), model: try field["model"].string(),
      kind: try field["kind"].word(ActuatorKind.self),
      limits: DriveLimits(
        continuousVolts: try field["continuousVolts"].number(),
        peakVolts: try field["peakVolts"].number()))
  }
}

extension RunRecord.Control {
  init(_ field: RecordField) throws(RunRecordError) {
    self.init(
      rig: try RunRecord.Rig(try field["rig"]),
      actuator: try field.member("actuator", Actuator.init),
      patterns: try field["patterns"].list(RunRecord.Pattern.init))
  }
}

extension SetupFinding {
  init(_ field: RecordField) throws(RunRecordError) {
    self.init(
      try field["check"].word(SetupChecks.Check.self), holds: try field["holds"].bool(),
      try field["sentence"].string())
  }
}

extension RunRecord.Pattern {
  init(_ field: RecordField) throws(RunRecordError) {
    let takes = try field["takes"].list(RunRecord.Take.init)
    let timeline = try field.member("timeline")?.list { item throws(RunRecordError) in
      RunRecord.Event(kind: try item["kind"].string(), start: try item["start"].number())
    }
    self.init(
      name: try field["name"].string(), file: try field["file"].string(),
      duration: try field["duration"].number(), events: try field["events"].integer(),
      diagnostics: try field["diagnostics"].strings(), takes: takes,
      verdict: try field.member("verdict")?.word(Verdict.self),
      input: try field.member("input", RunRecord.PatternInput.init), timeline: timeline ?? [])
  }
}

extension RunRecord.Take {
  init(_ field: RecordField) throws(RunRecordError) {
    let rejected = try field["rejected"].list { item throws(RunRecordError) in
      RunRecord.Rejection(event: try item["event"].integer(), reason: try item["reason"].string())
    }
    let drive = try field.member("drive")
    let response = try field.member("response")
    self.init(
      number: try field["repeat"].integer(),
      drive: try drive?.member("file")?.string(),
      driveChannels: try Self.channels(drive),
      response: try response?.member("file")?.string(),
      responseChannels: try Self.channels(response),
      patternFrame: try field["patternFrame"].integer(), rejected: rejected,
      stream: try field.member("stream", StreamStatistics.init),
      place: try field.member("place")?.integer(), opening: try field.member("start")?.integer(),
      markers: try field.member("markers")?.values(JSONField.integer),
      device: try field.member("device", RunRecord.TakeDevice.init))
  }

  private static func channels(
    _ file: RecordField?
  ) throws(RunRecordError) -> [RunRecord.FileChannel] {
    try file?["channels"].list { item throws(RunRecordError) in
      RunRecord.FileChannel(
        name: try item["name"].string(), unit: try item["unit"].word(MeasurementUnit.self))
    } ?? []
  }
}
