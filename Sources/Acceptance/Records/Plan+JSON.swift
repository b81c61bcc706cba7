public import JSONText
import Units

extension Plan {
  /// The plan as a record keeps it: enough to judge the readings again.
  public var json: JSONValue {
    .object(present: [
      "name": .string(name),
      "patterns": .array(patterns.map(JSONValue.string)),
      "repeats": .integer(repeats),
      "restarts": restarts > 0 ? .integer(restarts) : nil,
      "order": order == .asWritten ? nil : .string(order.rawValue),
      "seed": .seed(seed),
      "actuator": actuator.map(JSONValue.string),
      "profile": profile?.json,
      "setup": setup?.json,
      "control": control?.json,
      "probe": .bool(probe),
      "recordings": .bool(keepsRecordings),
      "limits": .array(limits.map(\.json)),
      "required": requirements.isEmpty ? nil : .array(requirements.map(\.json)),
      "expectFailure": expectedFailures.isEmpty ? nil : .array(expectedFailures.map(\.json)),
      "notes": notes.isEmpty ? nil : .array(notes.map(JSONValue.string)),
    ])
  }

  init(_ field: RecordField) throws(RunRecordError) {
    let repeats = try field["repeats"]
    guard try repeats.integer() > 0 else {
      throw repeats.error("\(repeats.path) must be at least 1")
    }
    let restarts = try field.member("restarts")
    if let restarts, try restarts.integer() < 0 {
      throw restarts.error("\(restarts.path) must be at least 0")
    }
    var limits: [Limit] = []
    for limit in try field["limits"].elements() { limits.append(try Limit(limit)) }
    var requirements: [Requirement] = []
    for item in try field.member("required")?.elements() ?? [] {
      requirements.append(try Requirement(item))
    }
    var expected: [ExpectedFailure] = []
    for item in try field.member("expectFailure")?.elements() ?? [] {
      expected.append(try ExpectedFailure(item))
    }
    self.init(
      name: try field["name"].string(), patterns: try field["patterns"].strings(),
      repeats: try repeats.integer(), restarts: try restarts?.integer() ?? 0,
      order: try field.member("order")?.word(Order.self) ?? .asWritten,
      seed: try field["seed"].seed(), actuator: try field.member("actuator")?.string(),
      profile: try field.member("profile").map { value throws(RunRecordError) in
        try PlanProfile(value)
      },
      setup: try field.member("setup").map { value throws(RunRecordError) in
        try SetupChecks(value)
      },
      control: try field.member("control").map { value throws(RunRecordError) in
        try ControlPlan(value)
      },
      limits: limits, requirements: requirements, expectedFailures: expected,
      notes: try field.member("notes")?.strings() ?? [], probe: try field["probe"].bool(),
      keepsRecordings: try field.member("recordings")?.bool() ?? true)
  }
}

extension Limit {
  /// The limit in numbers: `below`, `above` or `within` with `marginal` and `unit`, or `bands`; `calibrated` where it
  /// holds of calibrated runs alone.
  public var json: JSONValue {
    let (shape, value, marginal): (String, JSONValue?, Double?) =
      switch bound {
      case .below(let value, let marginal): ("below", .finite(value), marginal)
      case .above(let value, let marginal): ("above", .finite(value), marginal)
      case .within(let value, let marginal): ("within", .finite(value), marginal)
      case .syncBands: ("bands", .string(Self.syncBandsName), nil)
      }
    return .object(present: [
      "reading": .string(reading.description),
      shape: value,
      "marginal": marginal.flatMap(JSONValue.finite),
      "unit": .string(reading.kind.unit.rawValue),
      "required": .bool(required),
      "patterns": patterns.isEmpty ? nil : .array(patterns.map(JSONValue.string)),
      "calibrated": isCalibratedOnly ? .bool(true) : nil,
    ])
  }

  init(_ field: RecordField) throws(RunRecordError) {
    self.init(
      try field["reading"].readingName(), try Self.bound(field),
      required: try field["required"].bool(),
      patterns: try field.member("patterns")?.strings() ?? [],
      isCalibratedOnly: try field.member("calibrated")?.bool() ?? false)
  }

  private static let syncBandsName = "sync"

  private static func bound(_ field: RecordField) throws(RunRecordError) -> Bound {
    let marginal = try field.member("marginal")?.number()
    if let limit = try field.member("below") {
      return .below(try limit.number(), marginal: marginal)
    }
    if let limit = try field.member("above") {
      return .above(try limit.number(), marginal: marginal)
    }
    if let limit = try field.member("within") {
      return .within(try limit.number(), marginal: marginal)
    }
    guard let bands = try field.member("bands"), try bands.string() == syncBandsName else {
      throw field.error(
        "\(field.path) has no bound: give it one of 'below', 'above', 'within' or 'bands': 'sync'")
    }
    return .syncBands
  }
}
