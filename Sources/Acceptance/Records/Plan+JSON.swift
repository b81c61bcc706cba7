public import JSONText
import Units

extension Plan {
  /// The plan as a record keeps it: enough to judge the readings again.
  public var json: JSONValue {
    .object(present: [
      "name": .string(name),
      "patterns": .array(patterns.map(JSONValue.string)),
      "repeats": .integer(repeats),
      "seed": .seed(seed),
      "probe": .bool(probe),
      "recordings": .bool(keepsRecordings),
      "limits": .array(limits.map(\.json)),
    ])
  }

  init(_ field: RecordField) throws(RunRecordError) {
    let repeats = try field["repeats"]
    guard try repeats.integer() > 0 else {
      throw repeats.error("\(repeats.path) must be at least 1")
    }
    var limits: [Limit] = []
    for limit in try field["limits"].elements() { limits.append(try Limit(limit)) }
    self.init(
      name: try field["name"].string(), patterns: try field["patterns"].strings(),
      repeats: try repeats.integer(), seed: try field["seed"].seed(), limits: limits,
      probe: try field["probe"].bool(),
      keepsRecordings: try field.member("recordings")?.bool() ?? true)
  }
}

extension Limit {
  /// The limit in numbers: `below`, `above` or `within` with `marginal` and `unit`, or `bands`.
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
    ])
  }

  init(_ field: RecordField) throws(RunRecordError) {
    let nameField = try field["reading"]
    let text = try nameField.string()
    guard let reading = ReadingName(text) else {
      throw nameField.error(
        "\(nameField.path) is '\(text)', which is no reading that this version of haprig knows")
    }
    self.init(
      reading, try Self.bound(field), required: try field["required"].bool(),
      patterns: try field.member("patterns")?.strings() ?? [])
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
