public import JSONText
import Units

extension Reading {
  /// The reading as records and scripts see it; what it does not say is absent.
  public var json: JSONValue {
    .object(present: [
      "name": .string(name.description),
      "pattern": pattern.map(JSONValue.string),
      "repeat": take.map(JSONValue.integer),
      "event": event.map(JSONValue.integer),
      "channel": channel.map(JSONValue.string),
      "value": value.flatMap(JSONValue.finite),
      "unit": .string(unit.rawValue),
      "uncertainty": uncertainty.flatMap(JSONValue.finite),
      "n": count.map(JSONValue.integer),
      "limit": limit.map(JSONValue.string),
      "verdict": (verdict?.rawValue).map(JSONValue.string),
      "note": note.map(JSONValue.string),
    ])
  }

  init(_ field: RecordField) throws(RunRecordError) {
    let name = try field["name"].readingName()
    // The reason is replaced below by what the record says.
    self.init(notMeasured: name.kind, because: "")
    self.name = name
    let unitField = try field["unit"]
    let found = try unitField.string()
    guard found == unit.rawValue else {
      throw unitField.error(
        "\(unitField.path) is '\(found)', but \(name) is kept in '\(unit.rawValue)'")
    }
    pattern = try field.member("pattern")?.string()
    take = try field.member("repeat")?.integer()
    event = try field.member("event")?.integer()
    channel = try field.member("channel")?.string()
    value = try field.member("value")?.number()
    uncertainty = try field.member("uncertainty")?.number()
    count = try field.member("n")?.integer()
    limit = try field.member("limit")?.string()
    verdict = try field.member("verdict")?.word(Verdict.self)
    note = try field.member("note")?.string()
  }
}
