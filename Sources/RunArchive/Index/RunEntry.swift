// SPDX-License-Identifier: Apache-2.0

public import Acceptance
import Actuators
import ChangeDetection
import Units

/// What the index keeps of one run: its record, flattened.
public struct RunEntry: Sendable {
  struct Quantity: Hashable {
    let pattern: String
    let reading: String
    let unit: String
  }

  struct Row: Sendable {
    /// The place of its quantity in `quantities`.
    let quantity: Int
    let take: Int?
    let event: Int?
    let channel: String?
    let value: Double?
    let uncertainty: Double?
    let count: Int?
    let verdict: Verdict?
    let note: String?
  }

  struct Point: Sendable {
    /// The place of its quantity in `quantities`.
    let quantity: Int
    let value: Double
    let uncertainty: Double?
    let count: Int
  }

  let id: String
  let hash: String
  let rig: String
  let actuator: String
  let plan: String
  let started: Moment
  let status: RunRecord.Status
  let verdict: Verdict
  let software: String
  let revision: String?
  let environment: [(key: String, value: String)]
  let takes: Int
  /// How long the run took.
  let seconds: Double
  /// The verdicts on rig, timing and feel; `nil` for what was not judged.
  let aspects: [Verdict?]
  /// A sound file of the first take that has one.
  let recording: String?
  /// What was measured, or was to be, each once.
  let quantities: [Quantity]
  let rows: [Row]
  /// One value a quantity; none of a run that did not end well.
  let points: [Point]

  /// Makes an entry of a record in the folder of a name; fails where the record's date is none.
  public init(record: RunRecord, id: String, hash: ContentHash) throws(ArchiveError) {
    guard let started = Moment(record.header.date) else {
      throw ArchiveError(
        path: id,
        message:
          "header.date is '\(String(record.header.date.prefix(40)))', but must be a moment in "
          + "UTC such as 2026-11-21T09:51:50Z")
    }
    self.id = id
    self.hash = hash.description
    self.started = started
    rig = Self.word(record.rig.name)
    actuator = Self.word(record.actuator.id)
    plan = Self.word(record.plan.name)
    status = record.run.status
    verdict = record.verdict
    software = Self.word(record.run.software)
    revision = record.header.environment["revision"].map(Self.word)
    takes = record.patterns.reduce(0) { $0 + $1.takes.count }
    seconds = record.header.duration.isFinite ? record.header.duration : 0
    let verdicts = record.verdicts
    aspects = Aspect.allCases.map { aspect in
      verdicts.first { $0.aspect == aspect }.flatMap(\.verdict)
    }
    recording = record.patterns.lazy.flatMap(\.takes).compactMap { $0.response ?? $0.drive }.first
      .map(Self.word)
    environment = record.surroundings.sorted { $0.key < $1.key }
      .map { (Self.word($0.key), Self.word($0.value)) }
    var quantities: [Quantity] = []
    var places: [Quantity: Int] = [:]
    rows = record.readings.map { reading in
      let quantity = Quantity(
        pattern: Self.word(reading.pattern ?? ""),
        reading: Self.seriesName(reading.name, edition: record.edition),
        unit: reading.unit.rawValue)
      let place = places[quantity] ?? quantities.count
      if place == quantities.count {
        places[quantity] = place
        quantities.append(quantity)
      }
      return Self.row(reading, quantity: place)
    }
    self.quantities = quantities
    points =
      record.run.status == .complete ? Self.points(of: rows, quantities: quantities.count) : []
  }

  /// A reading's name, by which a series is known; what was taken under an older definition has a series of
  /// its own, so that neither a baseline nor a change lies across two definitions.
  private static func seriesName(_ name: ReadingName, edition: Int) -> String {
    edition < name.kind.definedSince ? "\(name)@1.\(edition)" : name.description
  }

  private static func row(_ reading: Reading, quantity: Int) -> Row {
    Row(
      quantity: quantity, take: small(reading.take), event: small(reading.event),
      channel: reading.channel.map(word), value: finite(reading.value),
      uncertainty: finite(reading.uncertainty), count: small(reading.count),
      verdict: reading.verdict, note: reading.note.map(word))
  }

  /// The median of each quantity's values, and of their uncertainties.
  private static func points(of rows: [Row], quantities: Int) -> [Point] {
    var values = [[Double]](repeating: [], count: quantities)
    var uncertainties = values
    for row in rows {
      guard let value = row.value else { continue }
      values[row.quantity].append(value)
      if let uncertainty = row.uncertainty { uncertainties[row.quantity].append(uncertainty) }
    }
    return values.indices.compactMap { quantity in
      let own = values[quantity]
      guard !own.isEmpty else { return nil }
      let uncertain = uncertainties[quantity]
      return Point(
        quantity: quantity, value: Statistics.median(own),
        uncertainty: uncertain.isEmpty ? nil : Statistics.median(uncertain), count: own.count)
    }
  }

  /// A text without what no database takes, and no longer than an index bears.
  static func word(_ text: String) -> String {
    let limit = 500
    guard text.utf8.count > limit || text.utf8.contains(0) else { return text }
    var short = ""
    for scalar in text.unicodeScalars {
      guard short.utf8.count < limit else { break }
      short.unicodeScalars.append(scalar == "\0" ? "\u{FFFD}" : scalar)
    }
    return short
  }

  private static func finite(_ value: Double?) -> Double? {
    value.flatMap { $0.isFinite ? $0 : nil }
  }

  /// A count as the tables hold it, 32 bits.
  private static func small(_ value: Int?) -> Int? { value.map { Int(Int32(clamping: $0)) } }
}

extension RunRecord {
  /// What a run was made in, by name, with program, profile and machine; of an imported run what its tables say.
  public var surroundings: [String: String] {
    var environment = header.environment
    guard imported == nil else { return environment }
    environment["software"] = run.software
    environment["profile"] = run.calibration
    environment["host"] = header.host
    return environment
  }
}

extension Verdict {
  /// The number by which the index keeps a verdict.
  init?(weight: Int) {
    guard let verdict = Self.allCases.first(where: { $0.weight == weight }) else { return nil }
    self = verdict
  }
}

extension RunRecord.Status {
  /// The number by which the index keeps how a run ended.
  var number: Int {
    switch self {
    case .complete: 0
    case .interrupted: 1
    case .fault: 2
    }
  }

  init?(number: Int) {
    guard let status = Self.allCases.first(where: { $0.number == number }) else { return nil }
    self = status
  }
}
