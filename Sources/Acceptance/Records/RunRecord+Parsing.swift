import Actuators
import Devices
public import JSONText
import Units

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
    let patterns = try Pattern.list(field["patterns"])
    var setup: [SetupFinding]?
    if let findings = try field.member("setup") {
      var list: [SetupFinding] = []
      for finding in try findings.elements() { list.append(try SetupFinding(finding)) }
      setup = list
    }
    var readings: [Reading] = []
    for reading in try field["readings"].elements() { readings.append(try Reading(reading)) }
    self.init(
      header: try Header(try field["header"]), run: try Run(try field["run"]),
      rig: try Rig(try field["rig"]), actuator: try Actuator(try field["actuator"]),
      plan: try Plan(try field["plan"]), patterns: patterns, readings: readings,
      verdict: try field["verdict"].word(Verdict.self), setup: setup,
      control: try field.member("control").map { value throws(RunRecordError) in
        try Control(value)
      },
      inputs: try field.member("inputs").map { value throws(RunRecordError) in
        try Inputs(value)
      },
      impulse: try field.member("impulse").map { value throws(RunRecordError) in
        try Impulse(value)
      })
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
    var environment: [String: String] = [:]
    for (key, value) in try field.member("environment")?.members() ?? [] {
      environment[key] = try value.string()
    }
    var files: [RunRecord.File] = []
    for file in try field.member("files")?.elements() ?? [] {
      files.append(try RunRecord.File(file))
    }
    self.init(
      date: try field["date"].string(), host: try field["host"].string(),
      duration: try field["duration"].number(), folder: try field["folder"].string(),
      environment: environment, files: files)
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
    var laws: [String: String] = [:]
    for (key, law) in try field["laws"].members() { laws[key] = try law.string() }
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
    var channels: [String: Int] = [:]
    for (role, channel) in try field["driveChannels"].members() {
      channels[role] = try channel.integer()
    }
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
      actuator: try field.member("actuator").map { value throws(RunRecordError) in
        try Actuator(value)
      },
      patterns: try RunRecord.Pattern.list(field["patterns"]))
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
  static func list(_ field: RecordField) throws(RunRecordError) -> [RunRecord.Pattern] {
    var patterns: [RunRecord.Pattern] = []
    for pattern in try field.elements() { patterns.append(try RunRecord.Pattern(pattern)) }
    return patterns
  }

  init(_ field: RecordField) throws(RunRecordError) {
    var takes: [RunRecord.Take] = []
    for take in try field["takes"].elements() { takes.append(try RunRecord.Take(take)) }
    var timeline: [RunRecord.Event] = []
    for event in try field.member("timeline")?.elements() ?? [] {
      timeline.append(
        RunRecord.Event(
          kind: try event["kind"].string(), start: try event["start"].number()))
    }
    self.init(
      name: try field["name"].string(), file: try field["file"].string(),
      duration: try field["duration"].number(), events: try field["events"].integer(),
      diagnostics: try field["diagnostics"].strings(), takes: takes,
      verdict: try field.member("verdict")?.word(Verdict.self),
      input: try field.member("input").map { value throws(RunRecordError) in
        try RunRecord.PatternInput(value)
      }, timeline: timeline)
  }
}

extension RunRecord.Take {
  init(_ field: RecordField) throws(RunRecordError) {
    var rejected: [RunRecord.Rejection] = []
    for entry in try field["rejected"].elements() {
      rejected.append(
        RunRecord.Rejection(
          event: try entry["event"].integer(), reason: try entry["reason"].string()))
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
      stream: try field.member("stream").map { field throws(RunRecordError) in
        try StreamStatistics(field)
      },
      place: try field.member("place")?.integer(), opening: try field.member("start")?.integer(),
      markers: try field.member("markers").map { field throws(RunRecordError) in
        try field.integers()
      },
      device: try field.member("device").map { field throws(RunRecordError) in
        try RunRecord.TakeDevice(field)
      })
  }

  private static func channels(
    _ file: RecordField?
  ) throws(RunRecordError) -> [RunRecord.FileChannel] {
    var channels: [RunRecord.FileChannel] = []
    for channel in try file?["channels"].elements() ?? [] {
      channels.append(
        RunRecord.FileChannel(
          name: try channel["name"].string(),
          unit: try channel["unit"].word(MeasurementUnit.self)))
    }
    return channels
  }
}
