// SPDX-License-Identifier: Apache-2.0

import Acceptance
import ChangeDetection

/// Puts runs into the tables and takes them out, inside a transaction.
struct RunInsertion {
  var memory: RunIndex.Memory
  let connection: any IndexConnection
  /// The nights that the runs are of, whose medians are no longer what they were.
  private(set) var nights = NightInsertion()

  mutating func insert(_ entry: RunEntry, in place: String) throws(IndexFault) {
    try remove(entry.id, in: place)
    let rig = try name(entry.rig)
    let actuator = try name(entry.actuator)
    let plan = try name(entry.plan)
    let revision: Int? = if let text = entry.revision { try name(text) } else { nil }
    let run = try connection.newIdentity(
      """
      insert into runs (place, folder, rig, actuator, plan, day, started, status, verdict,
        software, revision, readings, hash, takes, seconds, rig_verdict, timing_verdict,
        feel_verdict, recording)
      values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) returning id
      """,
      [
        .integer(try name(place)), .text(entry.id), .integer(rig), .integer(actuator),
        .integer(plan), .integer(entry.started.day.number), .integer(entry.started.seconds),
        .integer(entry.status.number), .integer(entry.verdict.weight),
        .integer(try name(entry.software)), .integer(revision), .integer(entry.rows.count),
        .text(entry.hash), .integer(entry.takes), .number(entry.seconds),
      ] + entry.aspects.map { .integer($0?.weight) } + [.text(entry.recording)])
    var environment: [[SQLValue]] = []
    for (key, value) in entry.environment {
      environment.append([
        .integer(run), .integer(try name(key)), .integer(try name(value)),
      ])
    }
    try connection.add(environment, to: "environments (run, key, value)")
    var series: [Int] = []
    for quantity in entry.quantities {
      series.append(
        try self.series(
          RunIndex.SeriesIdentity(rig: rig, plan: plan, actuator: actuator, quantity: quantity)))
    }
    var rows: [[SQLValue]] = []
    rows.reserveCapacity(entry.rows.count)
    for (ordinal, row) in entry.rows.enumerated() {
      let channel: Int? = if let text = row.channel { try name(text) } else { nil }
      let note: Int? =
        if let text = row.note { try memory.notes.number(of: text, in: connection) } else { nil }
      rows.append([
        .integer(run), .integer(ordinal), .integer(series[row.quantity]), .integer(row.take),
        .integer(row.event), .integer(channel), .number(row.value), .number(row.uncertainty),
        .integer(row.count), .integer(row.verdict?.weight), .integer(note),
      ])
    }
    try connection.add(
      rows,
      to:
        "readings (run, ordinal, series, take, event, channel, value, uncertainty, n, verdict, note)"
    )
    let points = entry.points.map { point -> [SQLValue] in
      [
        .integer(series[point.quantity]), .integer(entry.started.day.number), .integer(run),
        .number(point.value), .number(point.uncertainty), .integer(point.count),
      ]
    }
    try connection.add(points, to: "points (series, day, run, value, uncertainty, n)")
    nights.note(
      entry.points.map { series[$0.quantity] }, rig: rig, plan: plan,
      day: entry.started.day.number)
    try noteOthers(ofTheJobOf: run)
  }

  /// Notes the nights of other runs that were made for the same job: which of them counts may change.
  private mutating func noteOthers(ofTheJobOf run: Int) throws(IndexFault) {
    var others: [(run: Int, rig: Int, plan: Int, day: Int)] = []
    try connection.rows(
      """
      select r.id, r.rig, r.plan, r.day from environments own
        join environments e on e.key = own.key and e.value = own.value and e.run <> own.run
        join runs r on r.id = e.run
      where own.run = ? and own.key = (select id from names where text = ?)
      """, [.integer(run), .text(ReadingSeries.jobMark)]
    ) { row in
      if let run = row.integer(0), let rig = row.integer(1), let plan = row.integer(2),
        let day = row.integer(3)
      {
        others.append((run, rig, plan, day))
      }
    }
    for other in others {
      let series = try connection.list(
        "select distinct series from readings where run = ?", [.integer(other.run)]
      ) { $0.integer(0) }
      nights.note(series, rig: other.rig, plan: other.plan, day: other.day)
    }
  }

  /// Makes the medians of the nights anew, once for all runs that were put in or taken out.
  func finish() throws(IndexFault) { try nights.renew(in: connection) }

  mutating func remove(_ id: String, in place: String) throws(IndexFault) {
    var run: (number: Int, day: Int, rig: Int, plan: Int)?
    try connection.rows(
      "select id, day, rig, plan from runs where place = (select id from names where text = ?) and folder = ?",
      [.text(place), .text(id)]
    ) { row in
      if let number = row.integer(0), let day = row.integer(1), let rig = row.integer(2),
        let plan = row.integer(3)
      {
        run = (number, day, rig, plan)
      }
    }
    guard let run else { return }
    try noteOthers(ofTheJobOf: run.number)
    let series = try connection.list(
      "select distinct series from readings where run = ?", [.integer(run.number)]
    ) { $0.integer(0) }
    // One by one: each is a search by the key, and a planner cannot choose to read the whole table.
    for number in series {
      try connection.execute(
        "delete from points where series = ? and day = ? and run = ?",
        [.integer(number), .integer(run.day), .integer(run.number)])
    }
    for table in ["readings", "environments"] {
      try connection.execute("delete from \(table) where run = ?", [.integer(run.number)])
    }
    try connection.execute("delete from runs where id = ?", [.integer(run.number)])
    nights.note(series, rig: run.rig, plan: run.plan, day: run.day)
  }

  mutating func name(_ text: String) throws(IndexFault) -> Int {
    try memory.names.number(of: text, in: connection)
  }

  private mutating func series(_ identity: RunIndex.SeriesIdentity) throws(IndexFault) -> Int {
    if let known = memory.series[identity] { return known }
    let keys: [SQLValue] = [
      .integer(identity.rig), .integer(identity.plan), .integer(identity.actuator),
      .integer(try name(identity.quantity.pattern)), .integer(try name(identity.quantity.reading)),
    ]
    var number = try connection.integer(
      """
      select id from series where rig = ? and plan = ? and actuator = ? and pattern = ?
        and reading = ?
      """, keys)
    if number == nil {
      number = try connection.newIdentity(
        """
        insert into series (rig, plan, actuator, pattern, reading, unit)
        values (?, ?, ?, ?, ?, ?) returning id
        """, keys + [.integer(try name(identity.quantity.unit))])
    }
    memory.series[identity] = number
    return number ?? 0
  }
}

extension IndexConnection {
  /// Adds rows to the columns of a table, 64 a statement: PostgreSQL takes one round trip for them.
  func add(_ rows: [[SQLValue]], to target: String) throws(IndexFault) {
    let chunk = 64
    guard let width = rows.first?.count else { return }
    for start in stride(from: 0, to: rows.count, by: chunk) {
      let some = rows[start..<min(start + chunk, rows.count)]
      let places = repeatElement("(\(SQLValue.places(width)))", count: some.count)
      try execute(
        "insert into \(target) values \(places.joined(separator: ", "))", Array(some.joined()))
    }
  }
}

/// The nights whose points changed in a transaction, and their medians made anew.
///
/// A night is what all runs of a day that count say of a series: no re-runs, and of a job the earliest run alone. It is derived from `points` when
/// these change, so that both are always of one state.
struct NightInsertion {
  private struct PlanDay: Hashable {
    let rig: Int
    let plan: Int
    let day: Int
  }

  private struct RunOfDay {
    let id: String
    let counts: Bool
  }

  private var changed: [PlanDay: Set<Int>] = [:]

  /// Series that one statement is about.
  private static let chunk = 64

  /// Notes that the points of some series of a rig's plan changed on a day.
  mutating func note(_ series: [Int], rig: Int, plan: Int, day: Int) {
    guard !series.isEmpty else { return }
    changed[PlanDay(rig: rig, plan: plan, day: day), default: []].formUnion(series)
  }

  func renew(in connection: any IndexConnection) throws(IndexFault) {
    for night in changed.keys.sorted(by: { ($0.day, $0.rig, $0.plan) < ($1.day, $1.rig, $1.plan) })
    {
      let runs = try runs(of: night, in: connection)
      let series = (changed[night] ?? []).sorted()
      for start in stride(from: 0, to: series.count, by: Self.chunk) {
        let some = series[start..<min(start + Self.chunk, series.count)]
        try renew(Array(some), on: night.day, runs, in: connection)
      }
    }
  }

  private func runs(
    of night: PlanDay, in connection: any IndexConnection
  ) throws(IndexFault) -> [Int: RunOfDay] {
    var runs: [Int: RunOfDay] = [:]
    try connection.rows(
      """
      select r.id, r.folder, (select 1 from environments e where e.run = r.id
          and e.key = (select id from names where text = ?)),
        (select 1 from environments own
          join environments e on e.key = own.key and e.value = own.value
          join runs o on o.id = e.run
          where own.run = r.id and own.key = (select id from names where text = ?)
            and o.rig = r.rig and o.plan = r.plan and o.status = ?
            and (o.started < r.started or o.started = r.started and o.folder < r.folder) limit 1)
      from runs r where r.rig = ? and r.plan = ? and r.started between ? and ?
      """,
      [
        .text(ReadingSeries.rerunMark), .text(ReadingSeries.jobMark),
        .integer(RunRecord.Status.complete.number), .integer(night.rig), .integer(night.plan),
        .integer(night.day * 86_400), .integer(night.day * 86_400 + 86_399),
      ]
    ) { row in
      guard let number = row.integer(0), let id = row.text(1) else { return }
      let isRepeated = row.integer(2) != nil || row.integer(3) != nil
      runs[number] = RunOfDay(id: id, counts: !isRepeated)
    }
    return runs
  }

  private func renew(
    _ series: [Int], on day: Int, _ runs: [Int: RunOfDay], in connection: any IndexConnection
  ) throws(IndexFault) {
    let condition = "series in (\(SQLValue.places(series.count))) and day = ?"
    let values = series.map { SQLValue.integer($0) } + [.integer(day)]
    var repeats: [Int: [Repeat]] = [:]
    var numbers: [String: Int] = [:]
    try connection.rows(
      "select series, run, value, uncertainty from points where \(condition)", values
    ) { row in
      guard let series = row.integer(0), let number = row.integer(1), let value = row.number(2),
        let run = runs[number], run.counts
      else { return }
      numbers[run.id] = number
      repeats[series, default: []].append(
        Repeat(run: run.id, value: value, uncertainty: row.number(3) ?? 0))
    }
    try connection.execute("delete from nights where \(condition)", values)
    let rows = series.compactMap { series -> [SQLValue]? in
      guard let night = Night(day: day, repeats: repeats[series] ?? []),
        let run = numbers[night.run]
      else { return nil }
      return [
        .integer(series), .integer(day), .number(night.value), .number(night.uncertainty),
        .integer(night.count), .integer(run),
      ]
    }
    try connection.add(rows, to: "nights (series, day, value, uncertainty, n, run)")
  }
}

/// The numbers of words of one table, `names` or `notes`, as far as they were asked for.
struct WordNumbers {
  let table: String
  private var numbers: [String: Int] = [:]
  /// How many are remembered; beyond, the memory begins anew.
  private static let capacity = 100_000

  init(table: String) { self.table = table }

  /// The number of a word that the index has; `nil` of any other.
  mutating func known(
    _ text: String, in connection: any IndexConnection
  ) throws(IndexFault) -> Int? {
    if let number = numbers[text] { return number }
    let number = try connection.integer("select id from \(table) where text = ?", [.text(text)])
    if let number { remember(text, number) }
    return number
  }

  /// The number of a word, which is added where it is new.
  mutating func number(
    of text: String, in connection: any IndexConnection
  ) throws(IndexFault) -> Int {
    if let number = try known(text, in: connection) { return number }
    let number = try connection.newIdentity(
      "insert into \(table) (text) values (?) returning id", [.text(text)])
    remember(text, number)
    return number
  }

  private mutating func remember(_ text: String, _ number: Int) {
    if numbers.count >= Self.capacity { numbers = [:] }
    numbers[text] = number
  }
}

/// The words of the table `names` by number, for answers.
struct WordTexts {
  private var texts: [Int: String] = [:]
  private var loaded = 0

  /// Reads the words that were added since the last time: numbers only grow.
  mutating func load(in connection: any IndexConnection) throws(IndexFault) {
    var found: [(Int, String)] = []
    try connection.rows("select id, text from names where id > ?", [.integer(loaded)]) { row in
      if let number = row.integer(0), let text = row.text(1) { found.append((number, text)) }
    }
    for (number, text) in found {
      texts[number] = text
      loaded = max(loaded, number)
    }
  }

  /// The word of a number; a question mark where nothing stands for it.
  subscript(number: Int?) -> String { number.flatMap { texts[$0] } ?? "?" }
}

extension IndexConnection {
  /// Runs a statement that adds a row and answers with its number.
  func newIdentity(_ sql: String, _ values: [SQLValue]) throws(IndexFault) -> Int {
    guard let number = try integer(sql, values) else {
      throw .failed("the database gave no number to a new row")
    }
    return number
  }
}
