// SPDX-License-Identifier: Apache-2.0

public import Acceptance
public import ChangeDetection
import Glibc
import Units

extension Archive {
  private func read<Value>(
    _ question: (RunIndex, any IndexConnection) throws(IndexFault) -> Value
  ) throws(ArchiveError) -> Value {
    try ask { index throws(IndexFault) in
      try index.database.read { connection throws(IndexFault) in try question(index, connection) }
    }
  }

  /// The runs that match, the latest first.
  public func runs(matching filter: RunFilter = RunFilter()) throws(ArchiveError) -> [ArchivedRun] {
    try read { index, connection throws(IndexFault) in
      let condition = RunCondition(filter)
      return try index.runs(
        "from runs r\(condition.text) order by r.started desc, r.id desc\(condition.limit)",
        condition.values, in: connection)
    }
  }

  /// The calibrations of a rig, or of all, the latest first.
  public func calibrations(
    rig: String? = nil, limit: Int? = nil
  ) throws(ArchiveError) -> [ArchivedCalibration] {
    try ask { index throws(IndexFault) in try index.calibrations(rig: rig, limit: limit) }
  }

  /// The latest run of each rig and plan, in the order of their names.
  public func latestRuns() throws(ArchiveError) -> [ArchivedRun] {
    let latest = try read { index, connection throws(IndexFault) in
      try index.runs(
        """
        from (select distinct rig, plan from runs) k join runs r on r.id = (
          select x.id from runs x where x.rig = k.rig and x.plan = k.plan
          order by x.started desc, x.id desc limit 1)
        """, [], in: connection)
    }
    return latest.sorted { ($0.rig, $0.plan) < ($1.rig, $1.plan) }
  }

  /// What is measured on a rig: the series that have at least one value, by plan, pattern and reading.
  public func seriesKeys(rig: String) throws(ArchiveError) -> [SeriesListing] {
    try read { index, connection throws(IndexFault) in
      try index.listings(
        where: """
          s.rig = (select id from names where text = ?)
            and exists (select 1 from points p where p.series = s.id)
          """, [.text(rig)], in: connection
      ).map(\.listing)
    }
  }

  /// One series, night by night on UTC days, with the value of every run that was complete; of each plan apart
  /// where none is given, by the plans' names.
  public func series(
    for key: SeriesKey, plan: String? = nil, days: ClosedRange<CalendarDay>? = nil
  ) throws(ArchiveError) -> [ReadingSeries] {
    try read { index, connection throws(IndexFault) in
      var terms = ["rig", "actuator", "pattern", "reading"]
      var values: [SQLValue] = [key.rig, key.actuator, key.pattern, key.reading].map { .text($0) }
      if let plan {
        terms.append("plan")
        values.append(.text(plan))
      }
      let conditions = terms.map { "s.\($0) = (select id from names where text = ?)" }
      let listings = try index.listings(
        where: conditions.joined(separator: " and "), values, in: connection)
      return try index.nights(of: listings, days: days, in: connection)
    }
  }

  /// The wanted series of a rig and plan that have values on some UTC days, by pattern and reading.
  public func series(
    rig: String, plan: String, days: ClosedRange<CalendarDay>? = nil,
    where isWanted: (SeriesKey) -> Bool = { _ in true }
  ) throws(ArchiveError) -> [ReadingSeries] {
    try read { index, connection throws(IndexFault) in
      let listings = try index.listings(rig: rig, plan: plan, where: isWanted, in: connection)
      return try index.nights(of: listings, days: days, in: connection)
    }
  }

  /// The series of a rig and plan as change detection takes them: a median a night, by pattern and reading.
  ///
  /// What `series` and `ReadingSeries.nightly` come to for runs that are no re-runs, and a fifth of the
  /// reading: the medians are kept. 276 series of a year take some 50 ms. A unit that no version knows counts
  /// as 1.
  public func nights(
    rig: String, plan: String, days: ClosedRange<CalendarDay>? = nil,
    where isWanted: (SeriesKey) -> Bool = { _ in true }
  ) throws(ArchiveError) -> [NightlySeries] {
    try read { index, connection throws(IndexFault) in
      let listings = try index.listings(rig: rig, plan: plan, where: isWanted, in: connection)
      guard !listings.isEmpty else { return [] }
      let runs = try index.runs(ofRig: rig, days: days, in: connection)
      var nights: [Int: [Night]] = [:]
      try index.rows(
        of: "nights", columns: "day, value, uncertainty, n, run", order: "day",
        series: listings.map(\.number), days: days, in: connection
      ) { row in
        guard let series = row.integer(0), let day = row.integer(1), let value = row.number(2),
          let run = row.integer(5).flatMap({ runs[$0] })
        else { return }
        nights[series, default: []].append(
          Night(
            day: day, value: value, uncertainty: row.number(3) ?? 0, count: row.integer(4) ?? 0,
            run: run.id))
      }
      return listings.compactMap { number, listing in
        nights[number].map {
          NightlySeries(
            key: listing.key, unit: MeasurementUnit(rawValue: listing.unit) ?? .one, nights: $0)
        }
      }
    }
  }

  /// What the runs that match were made in, the latest first: `kernel`, `alsa-lib`, `revision`, `profile`, ...
  public func environment(
    of filter: RunFilter
  ) throws(ArchiveError) -> [(run: String, environment: [String: String])] {
    try read { index, connection throws(IndexFault) in
      try index.texts.load(in: connection)
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
        answer[place].environment[index.texts[row.integer(1)]] = index.texts[row.integer(2)]
      }
      return answer.filter { !$0.environment.isEmpty }
    }
  }

  /// What one property of the environment was in the runs that match and had it, by their ids.
  public func environment(
    _ property: String, of filter: RunFilter
  ) throws(ArchiveError) -> [String: String] {
    try read { index, connection throws(IndexFault) in
      try index.texts.load(in: connection)
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
        if let run = row.text(0) { answer[run] = index.texts[row.integer(1)] }
      }
      return answer
    }
  }

  /// Every reading of a run, measured or not, in the order of its record; none of an unknown run.
  public func readings(of run: String) throws(ArchiveError) -> [ArchivedReading] {
    try read { index, connection throws(IndexFault) in
      try index.texts.load(in: connection)
      return try connection.list(
        """
        select \(RunIndex.readingColumns)
        from readings d join series s on s.id = d.series left join notes o on o.id = d.note
        where d.run = (select id from runs where place = (select id from names where text = ?)
          and folder = ?)
        order by d.ordinal
        """, [.text(place), .text(run)], index.reading)
    }
  }

  /// The record of a run; `nil` where its folder is on another machine, or gone.
  public func record(of run: ArchivedRun) throws(ArchiveError) -> RunRecord? {
    guard run.place == place, StoredRun.isName(run.id) else { return nil }
    return try StoredRun(run.id, in: location.folder)?.record
  }

  /// The path of a file in a run's folder; `nil` where the run is on another machine, or the file gone.
  public func path(of file: String, in run: ArchivedRun) -> String? {
    guard run.place == place, StoredRun.isName(run.id) else { return nil }
    let path = "\(location.folder)/\(run.id)/\(file)"
    return access(path, F_OK) == 0 ? path : nil
  }
}
