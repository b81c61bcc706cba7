// SPDX-License-Identifier: Apache-2.0

import AHAP
public import JSONText

extension Batch {
  /// Reads a batch as pages send it: `{"label", "operations": [OP], "continues"?}`; other keys are left alone.
  public init(_ json: JSONValue) throws(OperationError) {
    guard let operations = json["operations"]?.elements else {
      throw OperationError(operation: nil, message: "'operations' must be an array")
    }
    self.init(
      label: json["label"]?.string ?? "Edit", operations: [],
      continues: json["continues"]?.bool == true)
    self.operations.reserveCapacity(operations.count)
    for (index, json) in operations.enumerated() {
      do throws(EntryFault) {
        self.operations.append(try Operation(OperationReader(json)))
      } catch {
        throw OperationError(operation: index, message: error.message)
      }
    }
  }
}

/// An object of an operation on its way in, with the path that messages name.
private struct OperationReader {
  let json: JSONValue
  let path: String

  init(_ json: JSONValue, path: String = "") {
    self.json = json
    self.path = path
  }

  func has(_ key: String) -> Bool { json[key] != nil }

  func checkKeys(_ known: [String]) throws(EntryFault) {
    guard let members = json.members else {
      throw EntryFault("\(path.isEmpty ? "an operation" : "'\(path)'") must be an object")
    }
    for member in members where !known.contains(member.key) {
      throw EntryFault(
        "'\(name(member.key).prefix(60))' is no key here: known are \(known.joined(separator: ", "))"
      )
    }
  }

  func integer(_ key: String) throws(EntryFault) -> Int {
    guard let value = json[key]?.integer else { throw wrong(key, "a whole number") }
    return value
  }

  func integers(_ key: String) throws(EntryFault) -> [Int] {
    guard let elements = json[key]?.elements else {
      throw wrong(key, "an array of whole numbers")
    }
    return try elements.map { element throws(EntryFault) in
      guard let value = element.integer else { throw wrong(key, "an array of whole numbers") }
      return value
    }
  }

  func number(_ key: String) throws(EntryFault) -> Double {
    guard let value = json[key]?.number else { throw wrong(key, "a number") }
    return value
  }

  func optionalNumber(_ key: String) throws(EntryFault) -> Double? {
    json[key] == nil || json[key] == .null ? nil : try number(key)
  }

  func string(_ key: String) throws(EntryFault) -> String {
    guard let value = json[key]?.string else { throw wrong(key, "a string") }
    return value
  }

  func value(_ key: String) throws(EntryFault) -> EntryValue? {
    switch json[key] {
    case .null?: nil
    case .bool(let value)?: .flag(value)
    case .integer(let value)?: .number(Double(value))
    case .number(let value)?: .number(value)
    case .string(let value)?: .text(value)
    default: throw wrong(key, "a number, true, false, a string or null")
    }
  }

  func entryKey(_ name: String) throws(EntryFault) -> EntryKey {
    guard let key = EntryKey(rawValue: name) else {
      let known = EntryKey.allCases.map(\.rawValue).joined(separator: ", ")
      throw EntryFault("'\(name.prefix(40))' is no property of an entry: known are \(known)")
    }
    return key
  }

  func object(_ key: String) -> OperationReader {
    OperationReader(json[key] ?? .null, path: name(key))
  }

  func objects(_ key: String) throws(EntryFault) -> [OperationReader] {
    guard let elements = json[key]?.elements else { throw wrong(key, "an array") }
    return elements.enumerated().map { OperationReader($1, path: "\(name(key))[\($0)]") }
  }

  func wrong(_ key: String, _ wanted: String) -> EntryFault {
    EntryFault("'\(name(key))' must be \(wanted)")
  }

  private func name(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }
}

extension Operation {
  /// The keys by which operations are told apart, in the order in which they are looked for.
  private static let words = [
    "set", "insert", "copy", "remove", "point", "addPoint", "removePoint", "metadata",
    "text",
  ]

  fileprivate init(_ json: OperationReader) throws(EntryFault) {
    let isCopy = json.has("copy")
    guard let word = isCopy ? "copy" : Self.words.first(where: json.has) else {
      throw EntryFault("an operation must have one of \(Self.words.joined(separator: ", "))")
    }
    switch word {
    case "set":
      try json.checkKeys(["set", "key", "value"])
      let key = try json.entryKey(try json.string("key"))
      self = .set(entry: try json.integer("set"), EntryChange(key, try json.value("value")))
    case "insert":
      try json.checkKeys(["insert", "entry"])
      self = .insert(at: try json.integer("insert"), try PatternEntry(json.object("entry")))
    case "copy":
      try json.checkKeys(["copy", "to", "set"])
      var changes: [EntryChange] = []
      if json.has("set") {
        let set = json.object("set")
        try set.checkKeys(EntryKey.allCases.map(\.rawValue))
        for member in set.json.members ?? [] {
          let key = try set.entryKey(member.key)
          changes.append(EntryChange(key, try set.value(member.key)))
        }
      }
      self = .copy(
        entry: try json.integer("copy"), to: try json.integer("to"), changes: changes)
    case "remove":
      try json.checkKeys(["remove"])
      self = .remove(try json.integers("remove"))
    case "point":
      try json.checkKeys(["point", "at", "time", "value"])
      self = .point(
        entry: try json.integer("point"), at: try json.integer("at"),
        time: try json.optionalNumber("time"), value: try json.optionalNumber("value"))
    case "addPoint":
      try json.checkKeys(["addPoint", "at", "time", "value"])
      self = .addPoint(
        entry: try json.integer("addPoint"), at: try json.integer("at"),
        ParameterCurve.Point(time: try json.number("time"), value: try json.number("value")))
    case "removePoint":
      try json.checkKeys(["removePoint", "at"])
      self = .removePoints(entry: try json.integer("removePoint"), at: try json.integers("at"))
    case "metadata":
      try json.checkKeys(["metadata", "value"])
      guard let value = json.json["value"] else { throw json.wrong("value", "a value or null") }
      // A nil literal would be the null of JSON.
      self = .metadata(
        key: try json.string("metadata"), value == .null ? JSONValue?.none : value)
    default:
      try json.checkKeys(["text"])
      self = .text(
        try json.objects("text").map { edit throws(EntryFault) in
          try edit.checkKeys(["from", "to", "insert"])
          return UTF16Edit(
            from: try edit.integer("from"), to: try edit.integer("to"),
            insert: try edit.string("insert"))
        })
    }
  }
}

extension PatternEntry {
  /// Reads an entry as pages send it: as they have got it, its place left out of account.
  public init(_ json: JSONValue) throws(OperationError) {
    do throws(EntryFault) {
      try self.init(OperationReader(json, path: "entry"))
    } catch {
      throw OperationError(operation: nil, message: error.message)
    }
  }

  fileprivate init(_ json: OperationReader) throws(EntryFault) {
    try json.checkKeys(EntryKey.allCases.map(\.rawValue) + ["points", "offset", "end"])
    let name = try json.string("kind")
    guard let kind = Kind(rawValue: name) else {
      let known = Kind.allCases.map(\.rawValue).joined(separator: ", ")
      throw EntryFault("'\(name.prefix(40))' is no kind of entry: known are \(known)")
    }
    self.init(kind: kind, time: 0)
    for key in EntryKey.allCases where key != .kind && json.has(key.rawValue) {
      guard let value = try json.value(key.rawValue) else { continue }
      try set(key, value)
    }
    guard json.has("points") else { return }
    points = try (json.json["points"]?.elements ?? []).map { point throws(EntryFault) in
      guard let pair = point.elements, pair.count == 2, let time = pair[0].number,
        let value = pair[1].number
      else { throw EntryFault("'entry.points' must be an array of [time, value]") }
      return ParameterCurve.Point(time: time, value: value)
    }
  }
}
