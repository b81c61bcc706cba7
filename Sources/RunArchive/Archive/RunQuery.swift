// SPDX-License-Identifier: Apache-2.0

public import Acceptance
public import ChangeDetection

/// Which runs a page of a list shows, in which order, and how many.
public struct RunQuery: Sendable, Equatable {
  /// What runs can be ordered by.
  public enum Sort: String, Sendable, CaseIterable {
    /// When they began.
    case started
    /// The folder's name.
    case id
    /// The rig's name.
    case rig
    /// The plan's name.
    case plan
    /// The actuator's id.
    case actuator
    /// The verdict, from pass to fail.
    case verdict
    /// How many takes they have.
    case takes
    /// How long they took.
    case seconds
  }

  /// Runs of these rigs alone; of all where it is empty.
  public var rigs: [String] = []
  /// Runs of these plans alone.
  public var plans: [String] = []
  /// Runs of these actuators alone.
  public var actuators: [String] = []
  /// Runs with these verdicts alone.
  public var verdicts: [Verdict] = []
  /// The first UTC day.
  public var from: CalendarDay?
  /// The last UTC day.
  public var to: CalendarDay?
  /// What has to stand in the id, the names or the note, whatever the letters' case.
  public var text: String?
  /// Runs alone whose environment has this name.
  public var mark: String?
  /// Runs of these jobs of a fleet alone.
  public var jobs: [String] = []
  /// What they are ordered by.
  public var sort = Sort.started
  /// Whether the largest come first.
  public var isDescending = true
  /// How many are passed over.
  public var offset = 0
  /// How many are shown at most.
  public var limit = 50

  /// Asks for the latest runs.
  public init() {}
}

/// A run as a list shows it.
public struct RunRow: Sendable, Equatable {
  /// The run as the index has it.
  public let run: ArchivedRun
  /// The verdicts on rig, timing and feel; `nil` for what was not judged.
  public let aspects: [Verdict?]
  /// How many takes it has.
  public let takes: Int
  /// How long it took, in seconds.
  public let seconds: Double
  /// What was noted when it was made (`--environment note=...`).
  public let note: String?
  /// The job of a fleet that it was made for.
  public let job: String?
  /// A sound file of it, whether it is still there or not.
  public let recording: String?
}

/// One page of a list of runs, and what the runs of the list can be narrowed to.
public struct RunPage: Sendable {
  /// A value of a property and how many runs have it.
  public struct Facet: Sendable, Equatable {
    /// The value.
    public let value: String
    /// How many runs of the list have it; what the property itself is narrowed to does not count.
    public let count: Int
  }

  /// How many runs the list has, on all pages.
  public let total: Int
  /// The runs of the page.
  public let rows: [RunRow]
  /// The rigs.
  public let rigs: [Facet]
  /// The plans.
  public let plans: [Facet]
  /// The actuators.
  public let actuators: [Facet]
  /// The verdicts.
  public let verdicts: [Facet]
}

extension Archive {
  /// One page of the runs that a query asks for; the index alone is asked, no folder.
  public func page(_ query: RunQuery) throws(ArchiveError) -> RunPage {
    try ask { index throws(IndexFault) in
      try index.database.read { connection throws(IndexFault) in
        try index.texts.load(in: connection)
        let condition = RunPageCondition(query, without: nil)
        let counts = try index.counts(condition, in: connection)
        return RunPage(
          total: counts.reduce(0) { $0 + $1.count },
          rows: try index.rows(of: query, condition, in: connection),
          rigs: try index.facet(.rig, of: query, counts, in: connection),
          plans: try index.facet(.plan, of: query, counts, in: connection),
          actuators: try index.facet(.actuator, of: query, counts, in: connection),
          verdicts: try index.facet(.verdict, of: query, counts, in: connection))
      }
    }
  }

  /// The rows of such a page alone: what is not counted costs nothing.
  public func rows(_ query: RunQuery) throws(ArchiveError) -> [RunRow] {
    try ask { index throws(IndexFault) in
      try index.database.read { connection throws(IndexFault) in
        try index.texts.load(in: connection)
        return try index.rows(of: query, RunPageCondition(query, without: nil), in: connection)
      }
    }
  }
}

extension RunIndex {
  fileprivate func rows(
    of query: RunQuery, _ condition: RunPageCondition, in connection: any IndexConnection
  ) throws(IndexFault) -> [RunRow] {
    try connection.list(
      """
      select \(RunIndex.runColumns), \(RunPageCondition.columns) from runs r\(condition.text)
      order by \(RunPageCondition.order(query)) limit ? offset ?
      """,
      [.text("note"), .text(ReadingSeries.jobMark)] + condition.values
        + [.integer(max(0, query.limit)), .integer(max(0, query.offset))]
    ) { row in listed(row) }
  }

  /// A row with the columns of a list after those of a run.
  fileprivate func listed(_ row: any IndexRow) -> RunRow {
    RunRow(
      run: run(row),
      aspects: (14...16).map { row.integer($0).flatMap(Verdict.init(weight:)) },
      takes: row.integer(12) ?? 0, seconds: row.number(13) ?? 0,
      note: row.integer(18).map { texts[$0] }, job: row.integer(19).map { texts[$0] },
      recording: row.text(17))
  }

  /// How many runs of a list have the same properties: one pass over the list, for its length and its facets.
  fileprivate func counts(
    _ condition: RunPageCondition, in connection: any IndexConnection
  ) throws(IndexFault) -> [RunCount] {
    let columns = RunPageCondition.Column.allCases.map { "r.\($0.rawValue)" }
      .joined(separator: ", ")
    return try connection.list(
      "select count(*), \(columns) from runs r\(condition.text) group by \(columns)",
      condition.values
    ) { row in
      RunCount(
        count: row.integer(0) ?? 0,
        numbers: RunPageCondition.Column.allCases.indices.map { row.integer(1 + $0) })
    }
  }

  /// The values of a property; asked for by itself where the list is narrowed to some of them.
  fileprivate func facet(
    _ column: RunPageCondition.Column, of query: RunQuery, _ counts: [RunCount],
    in connection: any IndexConnection
  ) throws(IndexFault) -> [RunPage.Facet] {
    let all =
      column.isNarrowed(by: query)
      ? try self.counts(RunPageCondition(query, without: column), in: connection) : counts
    var found: [Int: Int] = [:]
    for count in all {
      guard let number = count.numbers[column.place] else { continue }
      found[number, default: 0] += count.count
    }
    let facets = found.map { number, count in
      let value =
        column == .verdict ? Verdict(weight: number)?.rawValue ?? "?" : texts[number]
      return RunPage.Facet(value: value, count: count)
    }
    return facets.sorted { ($1.count, $0.value) < ($0.count, $1.value) }
  }
}

/// So many runs with the same properties, in the order of `RunPageCondition.Column`.
private struct RunCount {
  let count: Int
  let numbers: [Int?]
}

/// A query of a list as the end of a statement on the table `runs r`.
private struct RunPageCondition {
  enum Column: String, CaseIterable {
    case rig
    case plan
    case actuator
    case verdict

    var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    func isNarrowed(by query: RunQuery) -> Bool {
      switch self {
      case .rig: !query.rigs.isEmpty
      case .plan: !query.plans.isEmpty
      case .actuator: !query.actuators.isEmpty
      case .verdict: !query.verdicts.isEmpty
      }
    }
  }

  /// Begins with a space, or is empty.
  let text: String
  let values: [SQLValue]

  /// The columns after those of a run; the two places are for names of the environment: of the note and of the job.
  static let columns = """
    r.takes, r.seconds, r.rig_verdict, r.timing_verdict, r.feel_verdict, r.recording,
    \(environment), \(environment)
    """

  private static let environment = """
    (select e.value from environments e where e.run = r.id
      and e.key = (select id from names where text = ?))
    """

  init(_ query: RunQuery, without column: Column?) {
    var terms: [String] = []
    var values: [SQLValue] = []
    for (name, words) in [
      (Column.rig, query.rigs), (.plan, query.plans), (.actuator, query.actuators),
    ] where name != column && !words.isEmpty {
      terms.append(
        "r.\(name.rawValue) in (select id from names where text in (\(SQLValue.places(words.count))))"
      )
      values += words.map { .text($0) }
    }
    if column != .verdict, !query.verdicts.isEmpty {
      terms.append("r.verdict in (\(SQLValue.places(query.verdicts.count)))")
      values += query.verdicts.map { .integer($0.weight) }
    }
    if let from = query.from {
      terms.append("r.started >= ?")
      values.append(.integer(from.number * 86_400))
    }
    if let to = query.to {
      terms.append("r.started < ?")
      values.append(.integer((to.number + 1) * 86_400))
    }
    if let text = query.text, !text.isEmpty {
      let named = "(select id from names where lower(text) like lower(?) escape '!')"
      terms.append(
        """
        (lower(r.folder) like lower(?) escape '!' or r.rig in \(named) or r.plan in \(named)
          or r.actuator in \(named) or exists (select 1 from environments e where e.run = r.id
            and e.key = (select id from names where text = ?) and e.value in \(named)))
        """)
      let pattern = SQLValue.text("%\(Self.plain(text))%")
      values += [pattern, pattern, pattern, pattern, .text("note"), pattern]
    }
    if let mark = query.mark {
      terms.append(
        """
        exists (select 1 from environments e where e.run = r.id
          and e.key = (select id from names where text = ?))
        """)
      values.append(.text(mark))
    }
    if !query.jobs.isEmpty {
      terms.append(
        """
        exists (select 1 from environments e where e.run = r.id
          and e.key = (select id from names where text = ?)
          and e.value in (select id from names where text in (\(SQLValue.places(query.jobs.count)))))
        """)
      values += [.text(ReadingSeries.jobMark)] + query.jobs.map { .text($0) }
    }
    self.text = terms.isEmpty ? "" : " where " + terms.joined(separator: " and ")
    self.values = values
  }

  static func order(_ query: RunQuery) -> String {
    let direction = query.isDescending ? "desc" : "asc"
    let key =
      switch query.sort {
      case .started: "r.started"
      case .id: "r.folder"
      case .rig: "(select text from names where id = r.rig)"
      case .plan: "(select text from names where id = r.plan)"
      case .actuator: "(select text from names where id = r.actuator)"
      case .verdict: "r.verdict"
      case .takes: "r.takes"
      case .seconds: "r.seconds"
      }
    return "\(key) \(direction), r.started \(direction), r.id \(direction)"
  }

  /// A text that stands for itself in a pattern of SQL.
  private static func plain(_ text: String) -> String {
    var plain = ""
    for character in text.prefix(200) where character != "\0" {
      if "!%_".contains(character) { plain.append("!") }
      plain.append(character)
    }
    return plain
  }
}
