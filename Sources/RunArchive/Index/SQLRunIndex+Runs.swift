import Acceptance
import ChangeDetection

extension SQLRunIndex {
  func runs(matching filter: RunFilter) throws(IndexFault) -> [ArchivedRun] {
    try database.read { connection throws(IndexFault) in
      let condition = RunCondition(filter)
      return try runs(
        "from runs r\(condition.text) order by r.started desc, r.id desc\(condition.limit)",
        condition.values, in: connection)
    }
  }

  func latestRuns() throws(IndexFault) -> [ArchivedRun] {
    let latest = try database.read { connection throws(IndexFault) in
      try runs(
        """
        from (select distinct rig, plan from runs) k join runs r on r.id = (
          select x.id from runs x where x.rig = k.rig and x.plan = k.plan
          order by x.started desc, x.id desc limit 1)
        """, [], in: connection)
    }
    return latest.sorted { ($0.rig, $0.plan) < ($1.rig, $1.plan) }
  }

  func environment(
    of filter: RunFilter
  ) throws(IndexFault) -> [(run: String, environment: [String: String])] {
    try database.read { connection throws(IndexFault) in
      try texts.load(in: connection)
      let condition = RunCondition(filter)
      let runs =
        "from runs r\(condition.text) order by r.started desc, r.id desc\(condition.limit)"
      var answer: [(run: String, environment: [String: String])] = []
      var places: [Int: Int] = [:]
      try connection.rows("select r.id, r.folder \(runs)", condition.values) { row in
        if let number = row.integer(0) { places[number] = answer.count }
        answer.append((row.text(1) ?? "", [:]))
      }
      // Ordered by run as the table is: words are looked up for thousands of runs, and none is sorted.
      try connection.rows(
        """
        select e.run, e.key, e.value from environments e
        where e.run in (select n.id from (select r.id \(runs)) n)
        """, condition.values
      ) { row in
        guard let place = row.integer(0).flatMap({ places[$0] }) else { return }
        answer[place].environment[texts[row.integer(1)]] = texts[row.integer(2)]
      }
      return answer.filter { !$0.environment.isEmpty }
    }
  }

  func environment(
    _ property: String, of filter: RunFilter
  ) throws(IndexFault) -> [String: String] {
    try database.read { connection throws(IndexFault) in
      try texts.load(in: connection)
      let condition = RunCondition(filter)
      var answer: [String: String] = [:]
      try connection.rows(
        """
        select r.folder, e.value from
          (select r.id, r.folder from runs r\(condition.text)
            order by r.started desc, r.id desc\(condition.limit)) r
          join environments e on e.run = r.id
            and e.key = (select id from names where text = ?)
        """, condition.values + [.text(property)]
      ) { row in
        if let run = row.text(0) { answer[run] = texts[row.integer(1)] }
      }
      return answer
    }
  }

  private func runs(
    _ clause: String, _ values: [SQLValue], in connection: any IndexConnection
  ) throws(IndexFault) -> [ArchivedRun] {
    try texts.load(in: connection)
    var runs: [ArchivedRun] = []
    try connection.rows("select \(Self.runColumns) \(clause)", values) { runs.append(run($0)) }
    return runs
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
      let places = Array(repeating: "?", count: filter.ids.count).joined(separator: ", ")
      terms.append("r.folder in (\(places))")
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
