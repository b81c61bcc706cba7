// SPDX-License-Identifier: Apache-2.0

public import JSONText
public import Units

/// One measured quantity: what, where, how much, how sure, and how it was judged.
public struct Reading: Sendable, Equatable {
  /// The quantity.
  public var name: ReadingName
  /// The pattern it belongs to; `nil` for one of the whole run.
  public var pattern: String?
  /// The repeat of the pattern, from 1.
  public var take: Int?
  /// The event's index in the order of the pattern's times, from 0.
  public var event: Int?
  /// The capture channel it was read from.
  public var channel: String?
  /// The value in the unit of `name`; `nil` where it could not be measured.
  public var value: Double?
  /// The standard uncertainty, in the same unit.
  public var uncertainty: Double?
  /// Of an index, the standard uncertainty that the published differences give it, in the same unit: the
  /// same for every rig, so that it does not count between runs.
  public var differencesUncertainty: Double?
  /// How many samples, events or takes the value rests on.
  public var count: Int?
  /// What it had to satisfy, in words.
  public var limit: String?
  /// How it was judged; `nil` where nothing was asked of it and it was measured.
  public var verdict: Verdict?
  /// Why it was not measured, or what a reader must know.
  public var note: String?

  /// Makes a measured reading.
  public init(
    _ kind: ReadingKind, pattern: String? = nil, take: Int? = nil, event: Int? = nil,
    channel: String? = nil, value: Double, uncertainty: Double? = nil,
    differencesUncertainty: Double? = nil, count: Int? = nil, note: String? = nil
  ) {
    name = ReadingName(kind)
    self.pattern = pattern
    self.take = take
    self.event = event
    self.channel = channel
    self.value = value.isFinite ? value : nil
    self.uncertainty = uncertainty.flatMap { $0.isFinite ? $0 : nil }
    self.differencesUncertainty = differencesUncertainty.flatMap { $0.isFinite ? $0 : nil }
    self.count = count
    self.note = value.isFinite ? note : "the estimate is not a finite number"
    verdict = value.isFinite ? nil : .notMeasured
  }

  /// Makes a reading that could not be taken.
  public init(
    notMeasured kind: ReadingKind, pattern: String? = nil, take: Int? = nil, event: Int? = nil,
    channel: String? = nil, because reason: String
  ) {
    name = ReadingName(kind)
    self.pattern = pattern
    self.take = take
    self.event = event
    self.channel = channel
    note = reason
    verdict = .notMeasured
  }

  /// The unit of value and uncertainty.
  public var unit: MeasurementUnit { name.kind.unit }
}

extension Sequence<Reading> {
  /// What a reader must know of them, each note once and in their order; `nil` of readings without a note.
  public var notes: String? {
    var notes: [String] = []
    for note in compactMap(\.note) where !notes.contains(note) { notes.append(note) }
    return notes.isEmpty ? nil : notes.joined(separator: "; ")
  }
}

/// How a reading or a run was judged.
public enum Verdict: String, Sendable, Hashable, CaseIterable {
  /// Inside its limits.
  case pass
  /// Inside its limits, but near them or not surely so.
  case marginal
  /// Not taken; never a pass.
  case notMeasured = "not measured"
  /// Outside its limits.
  case fail

  /// How much it weighs: of several, the heaviest is the whole's.
  public var weight: Int {
    switch self {
    case .pass: 0
    case .marginal: 1
    case .notMeasured: 2
    case .fail: 3
    }
  }

  /// The heaviest of several verdicts; `pass` of none.
  public static func worst(_ verdicts: some Sequence<Verdict>) -> Verdict {
    verdicts.max { $0.weight < $1.weight } ?? .pass
  }
}

extension Reading {
  /// What a reading of an event says of which nothing came, though it was driven.
  public static let droppedNote = "dropped: nothing came of it"

  /// How the note of a reading begins that has no meaning for what is measured: the ring of a motor, which has none.
  public static let inapplicableNote = "does not apply: "

  /// Whether it is missing because it has no meaning for what is measured, and not because it was not found.
  public var isInapplicable: Bool {
    value == nil && note?.hasPrefix(Self.inapplicableNote) == true
  }

  /// Whether it says that nothing came of its event.
  public var isOfDropped: Bool { note?.hasPrefix(Self.droppedNote) == true }

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
      "differencesUncertainty": differencesUncertainty.flatMap(JSONValue.finite),
      "n": count.map(JSONValue.integer),
      "limit": limit.map(JSONValue.string),
      "verdict": (verdict?.rawValue).map(JSONValue.string),
      "note": note.map(JSONValue.string),
    ])
  }

  package static let form = JSONForm<Reading>(
    { field throws(RunRecordError) in try Reading(field) }, \.json)

  private init(_ field: JSONField) throws(RunRecordError) {
    let name = try ReadingName.form.member("name", of: field)
    // The reason is replaced below by what the record says.
    self.init(notMeasured: name.kind, because: "")
    self.name = name
    let unitField = try field["unit"]
    let found = try unitField.string()
    try unitField.check(
      found == unit.rawValue, "is '\(found)', but \(name) is kept in '\(unit.rawValue)'")
    pattern = try field.member("pattern")?.string()
    take = try field.member("repeat")?.integer()
    event = try field.member("event")?.integer()
    channel = try field.member("channel")?.string()
    value = try field.member("value")?.number()
    uncertainty = try field.member("uncertainty")?.number()
    differencesUncertainty = try field.member("differencesUncertainty")?.number()
    count = try field.member("n")?.integer()
    limit = try field.member("limit")?.string()
    verdict = try field.member("verdict")?.word(Verdict.self)
    note = try field.member("note")?.string()
  }
}

extension Sequence<Reading> {
  /// The kinds of the readings, each once, in the table's order.
  package var kinds: [ReadingKind] {
    let own = Set(map(\.name.kind))
    return ReadingKind.allCases.filter(own.contains)
  }
}
