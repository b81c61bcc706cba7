// SPDX-License-Identifier: Apache-2.0

import AHAP

/// Why a change of an entry is refused, as one sentence.
struct EntryFault: Error {
  var message: String

  init(_ message: String) { self.message = message }
}

extension PatternEntry {
  /// The longest time and duration that an edit writes, in seconds: a day.
  static let longestTime = 86_400.0

  /// Checks that the entry can have a property.
  func checkHas(_ key: EntryKey) throws(EntryFault) {
    guard kind != .other else {
      throw EntryFault("the entry is none that can be edited here; edit it in the text")
    }
    guard key.belongs(to: kind) else {
      throw EntryFault("\(kind.phrase) has no \(key.rawValue)")
    }
  }

  /// Sets a property, or leaves it to its default where the value is nil.
  mutating func set(_ key: EntryKey, _ new: EntryValue?) throws(EntryFault) {
    try checkHas(key)
    if let id = key.eventParameter {
      parameters[id] = try Self.level(new, of: key, in: id.range)
      return
    }
    switch key {
    case .kind: kind = try changedKind(new)
    case .time: time = try Self.seconds(try Self.needed(new, key), key)
    case .duration:
      duration = try new.map { value throws(EntryFault) in
        try Self.seconds(value, key)
      }
    case .path: path = try new.map { value throws(EntryFault) in try Self.text(value, key) }
    case .envelope: envelope = try new.map { value throws(EntryFault) in try Self.flag(value, key) }
    case .loop: loop = try new.map { value throws(EntryFault) in try Self.flag(value, key) }
    case .parameter: parameter = try Self.text(try Self.needed(new, key), key)
    case .value: value = try Self.number(try Self.needed(new, key), key)
    default: break
    }
  }

  private func changedKind(_ new: EntryValue?) throws(EntryFault) -> Kind {
    let name = try Self.text(try Self.needed(new, .kind), .kind)
    guard let kind = Kind(rawValue: name), kind.isEvent else {
      throw EntryFault(
        "the kind '\(name.prefix(40))' cannot be set; it must be transient, continuous or audio")
    }
    return kind
  }

  /// Checks what makes an entry one of its kind, after all that a batch changes of it.
  ///
  /// Of a curve's values those that are given, else all.
  func check(values: [Double]? = nil) throws(EntryFault) {
    switch kind {
    case .transient: break
    case .continuous:
      guard let duration, duration > 0 else {
        throw EntryFault("a continuous event needs a duration above 0 s")
      }
    case .audio:
      if let path {
        guard !path.isEmpty else { throw EntryFault("the path of a sound must not be empty") }
      } else {
        guard let duration, duration > 0 else {
          throw EntryFault("an audio event needs the path of its sound, or a duration above 0 s")
        }
      }
    case .parameter:
      guard let value else { throw EntryFault("a parameter needs a value") }
      try Self.check(value, of: try knownID().range)
    case .curve:
      guard let points, !points.isEmpty else {
        throw EntryFault("a curve needs a point; to be without any, remove the curve")
      }
      let values = values ?? points.map(\.value)
      guard !values.isEmpty else { return }
      let range = try knownID().range
      for value in values { try Self.check(value, of: range) }
    case .other:
      throw EntryFault("an entry of the kind 'other' cannot be made here; write it in the text")
    }
  }

  /// Gives a new entry with its values checked and as they are kept.
  func checked() throws(EntryFault) -> PatternEntry {
    var entry = self
    for key in EntryKey.allCases where key != .kind {
      guard let value = self[key] else { continue }
      try entry.set(key, value)
    }
    guard points == nil || kind == .curve else {
      throw EntryFault("\(kind.phrase) has no points")
    }
    entry.points = try points?.map { point throws(EntryFault) in try Self.checked(point) }
    try entry.check()
    return entry
  }

  /// Gives a point as it is kept; its value is checked with its curve.
  static func checked(_ point: ParameterCurve.Point) throws(EntryFault) -> ParameterCurve.Point {
    ParameterCurve.Point(
      time: try seconds(.number(point.time), .time), value: try number(.number(point.value), .value)
    )
  }

  /// A property as a value of its own.
  subscript(key: EntryKey) -> EntryValue? {
    if key == .sustained { return parameters.sustained.map { .flag($0 >= 0.5) } }
    if let id = key.eventParameter { return parameters[id].map(EntryValue.number) }
    switch key {
    case .kind: return .text(kind.rawValue)
    case .time: return .number(time)
    case .duration: return duration.map(EntryValue.number)
    case .path: return path.map(EntryValue.text)
    case .envelope: return envelope.map(EntryValue.flag)
    case .loop: return loop.map(EntryValue.flag)
    case .parameter: return parameter.map(EntryValue.text)
    case .value: return value.map(EntryValue.number)
    default: return nil
    }
  }

  private func knownID() throws(EntryFault) -> DynamicParameterID {
    guard let id = dynamicID else {
      let names = DynamicParameterID.allCases.map(\.rawValue).joined(separator: ", ")
      throw EntryFault(
        "'\((parameter ?? "").prefix(40))' is not a dynamic parameter; it must be one of \(names)")
    }
    return id
  }

  private static func check(
    _ value: Double, of range: ClosedRange<Double>, _ key: EntryKey = .value
  ) throws(EntryFault) {
    guard range.contains(value) else {
      throw EntryFault(
        "the \(key.rawValue) is \(value.written); it must be from \(range.lowerBound.written) to "
          + range.upperBound.written)
    }
  }

  private static func needed(
    _ value: EntryValue?, _ key: EntryKey
  ) throws(EntryFault) -> EntryValue {
    guard let value else { throw EntryFault("the \(key.rawValue) cannot be left out") }
    return value
  }

  private static func number(_ value: EntryValue, _ key: EntryKey) throws(EntryFault) -> Double {
    guard let number = value.number else {
      throw EntryFault("the \(key.rawValue) must be a number")
    }
    guard number.isFinite else { throw EntryFault("the \(key.rawValue) must be finite") }
    return number.kept
  }

  private static func text(_ value: EntryValue, _ key: EntryKey) throws(EntryFault) -> String {
    guard let text = value.text else { throw EntryFault("the \(key.rawValue) must be a string") }
    return text
  }

  private static func flag(_ value: EntryValue, _ key: EntryKey) throws(EntryFault) -> Bool {
    guard let flag = value.flag else {
      throw EntryFault("the \(key.rawValue) must be true or false")
    }
    return flag
  }

  private static func seconds(_ value: EntryValue, _ key: EntryKey) throws(EntryFault) -> Double {
    let seconds = try number(value, key)
    guard seconds >= 0 else {
      throw EntryFault("the \(key.rawValue) is \(seconds.written) s; it must not be negative")
    }
    guard seconds <= longestTime else {
      throw EntryFault(
        "the \(key.rawValue) is \(seconds.written) s; at most \(longestTime.written) s are written")
    }
    return seconds
  }

  private static func level(
    _ value: EntryValue?, of key: EntryKey, in range: ClosedRange<Double>
  ) throws(EntryFault) -> Double? {
    guard let value else { return nil }
    if key == .sustained { return try flag(value, key) ? 1 : 0 }
    let level = try number(value, key)
    try check(level, of: range, key)
    return level
  }
}

extension PatternEntry.Kind {
  /// The kind with its article, for messages.
  var phrase: String {
    switch self {
    case .transient: "a transient"
    case .continuous: "a continuous event"
    case .audio: "an audio event"
    case .parameter: "a parameter"
    case .curve: "a curve"
    case .other: "such an entry"
    }
  }
}
