// SPDX-License-Identifier: Apache-2.0

import Acceptance
import ChangeDetection

/// The index in a database of SQL: one text for SQLite and PostgreSQL.
final class RunIndex {
  let database: any IndexDatabase
  var texts = WordTexts()
  var memory = Memory()

  /// The numbers that were looked up, valid as long as what was added with them is.
  struct Memory {
    var names = WordNumbers(table: "names")
    var notes = WordNumbers(table: "notes")
    var series: [SeriesIdentity: Int] = [:]
  }

  struct SeriesIdentity: Hashable {
    let rig: Int
    let plan: Int
    let actuator: Int
    let quantity: RunEntry.Quantity
  }

  init(database: any IndexDatabase) { self.database = database }

  func finishRebuild() throws(IndexFault) { try database.analyze() }

  func selfCheck() throws(IndexFault) -> [String] { try database.selfCheck() }

  func insert(_ entries: [RunEntry], in place: String) throws(IndexFault) {
    try change { insertion throws(IndexFault) in
      for entry in entries { try insertion.insert(entry, in: place) }
    }
  }

  func remove(_ ids: [String], in place: String) throws(IndexFault) {
    try change { insertion throws(IndexFault) in
      for id in ids { try insertion.remove(id, in: place) }
    }
  }

  func change(
    _ body: (inout RunInsertion) throws(IndexFault) -> Void
  ) throws(IndexFault) {
    let before = memory
    memory = try database.write { connection throws(IndexFault) in
      // Numbers of a transaction that is run again were never given.
      var insertion = RunInsertion(memory: before, connection: connection)
      try body(&insertion)
      try insertion.finish()
      return insertion.memory
    }
  }

  func ids(in place: String) throws(IndexFault) -> Set<String> {
    try database.read { connection throws(IndexFault) in
      Set(
        try connection.list(
          "select folder from runs where place = (select id from names where text = ?)",
          [.text(place)]
        ) { $0.text(0) })
    }
  }

  func hashes(in place: String) throws(IndexFault) -> [String: String] {
    try database.read { connection throws(IndexFault) in
      var hashes: [String: String] = [:]
      try connection.rows(
        "select folder, hash from runs where place = (select id from names where text = ?)",
        [.text(place)]
      ) { row in
        if let folder = row.text(0) { hashes[folder] = row.text(1) ?? "" }
      }
      return hashes
    }
  }
}

/// Rows as values, each beside the columns that it is made of: both are in one order.
///
/// Words stand in the tables as numbers, whose `texts` are loaded before a row is read.
extension RunIndex {
  static let runColumns = """
    r.folder, r.rig, r.actuator, r.plan, r.started, r.status, r.verdict, r.software, r.revision,
    r.readings, r.hash, r.place
    """

  func run(_ row: any IndexRow) -> ArchivedRun {
    ArchivedRun(
      id: row.text(0) ?? "", rig: texts[row.integer(1)], actuator: texts[row.integer(2)],
      plan: texts[row.integer(3)], started: Moment(seconds: row.integer(4) ?? 0),
      status: row.integer(5).flatMap(RunRecord.Status.init(number:)) ?? .fault,
      verdict: row.integer(6).flatMap(Verdict.init(weight:)) ?? .notMeasured,
      software: texts[row.integer(7)], revision: row.integer(8).map { texts[$0] },
      readings: row.integer(9) ?? 0, recordHash: row.text(10) ?? "", place: texts[row.integer(11)])
  }

  static let readingColumns = """
    s.reading, s.pattern, d.take, d.event, d.channel, d.value, s.unit, d.uncertainty, d.n, d.verdict,
    o.text
    """

  func reading(_ row: any IndexRow) -> ArchivedReading {
    ArchivedReading(
      name: texts[row.integer(0)], pattern: texts[row.integer(1)], take: row.integer(2),
      event: row.integer(3), channel: row.integer(4).map { texts[$0] }, value: row.number(5),
      unit: texts[row.integer(6)], uncertainty: row.number(7), count: row.integer(8),
      verdict: row.integer(9).flatMap(Verdict.init(weight:)), note: row.text(10))
  }

  static let listingColumns = "s.id, s.rig, s.actuator, s.pattern, s.reading, s.plan, s.unit"

  func listing(_ row: any IndexRow) -> (number: Int, listing: SeriesListing) {
    let key = SeriesKey(
      rig: texts[row.integer(1)], actuator: texts[row.integer(2)], pattern: texts[row.integer(3)],
      reading: texts[row.integer(4)])
    return (
      row.integer(0) ?? 0,
      SeriesListing(key: key, plan: texts[row.integer(5)], unit: texts[row.integer(6)])
    )
  }

  func runs(
    _ clause: String, _ values: [SQLValue], in connection: any IndexConnection
  ) throws(IndexFault) -> [ArchivedRun] {
    try texts.load(in: connection)
    return try connection.list("select \(Self.runColumns) \(clause)", values, run)
  }
}

/// A filter as the end of a query on the table `runs r`.
struct RunCondition {
  /// Begins with a space, or is empty.
  let text: String
  /// Begins with a space, or is empty.
  let limit: String
  let values: [SQLValue]

  init(_ filter: RunFilter) {
    var terms: [String] = []
    var values: [SQLValue] = []
    for (column, word) in [
      ("rig", filter.rig), ("actuator", filter.actuator), ("plan", filter.plan),
    ] {
      guard let word else { continue }
      terms.append("r.\(column) = (select id from names where text = ?)")
      values.append(.text(word))
    }
    if let verdict = filter.verdict {
      terms.append("r.verdict = ?")
      values.append(.integer(verdict.weight))
    }
    if let days = filter.days {
      // By the second, since that is what the tables are ordered by.
      terms.append("r.started between ? and ?")
      values.append(.integer(days.lowerBound.number * 86_400))
      values.append(.integer(days.upperBound.number * 86_400 + 86_399))
    }
    if !filter.ids.isEmpty {
      terms.append("r.folder in (\(SQLValue.places(filter.ids.count)))")
      values += filter.ids.map { .text($0) }
    }
    if let limit = filter.limit {
      self.limit = " limit ?"
      values.append(.integer(max(0, limit)))
    } else {
      limit = ""
    }
    text = terms.isEmpty ? "" : " where " + terms.joined(separator: " and ")
    self.values = values
  }
}
