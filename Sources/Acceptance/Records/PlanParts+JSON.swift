import JSONText

extension PlanProfile {
  var json: JSONValue {
    switch self {
    case .all(let path): .string(path)
    case .byActuator(let paths):
      .object(paths.sorted { $0.key < $1.key }.map { JSONMember($0.key, .string($0.value)) })
    }
  }

  init(_ field: RecordField) throws(RunRecordError) {
    if let path = field.node.string {
      self = .all(path)
      return
    }
    var paths: [String: String] = [:]
    for (actuator, path) in try field.members() { paths[actuator] = try path.string() }
    self = .byActuator(paths)
  }
}

extension SetupChecks {
  var json: JSONValue {
    .object(present: [
      "noiseFloor": noiseFloor.flatMap(JSONValue.finite),
      "gravity": gravity.flatMap(JSONValue.finite),
      "temperature": temperature.map { [.number($0.lowerBound), .number($0.upperBound)] },
      "reference": reference ? .bool(true) : nil,
      "response": response ? .bool(true) : nil,
      "diskSpace": diskSpace ? .bool(true) : nil,
    ])
  }

  init(_ field: RecordField) throws(RunRecordError) {
    self.init(
      noiseFloor: try field.member("noiseFloor")?.number(),
      gravity: try field.member("gravity")?.number(),
      temperature: try field.member("temperature").map { value throws(RunRecordError) in
        try Self.range(value)
      },
      reference: try field.member("reference")?.bool() ?? false,
      response: try field.member("response")?.bool() ?? false,
      diskSpace: try field.member("diskSpace")?.bool() ?? false)
  }

  private static func range(_ field: RecordField) throws(RunRecordError) -> ClosedRange<Double> {
    var ends: [Double] = []
    for end in try field.elements() { ends.append(try end.number()) }
    guard ends.count == 2, ends[0] <= ends[1] else {
      throw field.error("\(field.path) must be two numbers, the smaller first")
    }
    return ends[0]...ends[1]
  }
}

extension ControlPlan {
  var json: JSONValue {
    var rig: String?
    if case .rig(let path) = subject { rig = path }
    return .object(present: [
      "rig": rig.map(JSONValue.string),
      "loop": subject == .loop ? .bool(true) : nil,
      "patterns": patterns.isEmpty ? nil : .array(patterns.map(JSONValue.string)),
      "every": every.map(JSONValue.integer),
    ])
  }

  init(_ field: RecordField) throws(RunRecordError) {
    let every = try field.member("every")
    if let every, try every.integer() < 1 {
      throw every.error("\(every.path) must be at least 1")
    }
    self.init(
      try field.member("rig").map { rig throws(RunRecordError) in .rig(try rig.string()) }
        ?? .loop,
      patterns: try field.member("patterns")?.strings() ?? [], every: try every?.integer())
  }
}

extension Requirement {
  var json: JSONValue {
    .object(present: [
      "reading": .string(reading.description),
      "patterns": patterns.isEmpty ? nil : .array(patterns.map(JSONValue.string)),
    ])
  }

  init(_ field: RecordField) throws(RunRecordError) {
    self.init(
      try field["reading"].readingName(), patterns: try field.member("patterns")?.strings() ?? [])
  }
}

extension ExpectedFailure {
  var json: JSONValue {
    .object(present: [
      "reading": .string(reading.description),
      "pattern": pattern.map(JSONValue.string),
      "why": .string(why),
    ])
  }

  init(_ field: RecordField) throws(RunRecordError) {
    self.init(
      try field["reading"].readingName(), pattern: try field.member("pattern")?.string(),
      why: try field["why"].string())
  }
}
