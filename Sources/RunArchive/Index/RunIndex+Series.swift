// SPDX-License-Identifier: Apache-2.0

import ChangeDetection

extension RunIndex {
  /// The series of a rig's plan whose keys are wanted, by pattern, reading and actuator.
  func listings(
    rig: String, plan: String, where isWanted: (SeriesKey) -> Bool,
    in connection: any IndexConnection
  ) throws(IndexFault) -> [(number: Int, listing: SeriesListing)] {
    try listings(
      where: """
          s.rig = (select id from names where text = ?)
            and s.plan = (select id from names where text = ?)
        """, [.text(rig), .text(plan)], in: connection
    ).filter { isWanted($0.listing.key) }
  }

  /// The series that a condition on `series s` selects, by plan, pattern, reading and actuator.
  func listings(
    where condition: String, _ values: [SQLValue], in connection: any IndexConnection
  ) throws(IndexFault) -> [(number: Int, listing: SeriesListing)] {
    try texts.load(in: connection)
    return try connection.list(
      "select \(Self.listingColumns) from series s where \(condition)", values, listing
    ).sorted { Self.order($0.listing) < Self.order($1.listing) }
  }

  private static func order(_ listing: SeriesListing) -> (String, String, String, String) {
    (listing.plan, listing.key.pattern, listing.key.reading, listing.key.actuator)
  }

  func nights(
    of listings: [(number: Int, listing: SeriesListing)], days: ClosedRange<CalendarDay>?,
    in connection: any IndexConnection
  ) throws(IndexFault) -> [ReadingSeries] {
    guard let first = listings.first else { return [] }
    let runs = try runs(ofRig: first.listing.key.rig, days: days, in: connection)
    var found: [Int: [ReadingSeries.RunsOfNight]] = [:]
    try rows(
      of: "points", columns: "run, value, uncertainty, n", order: "day, run",
      series: listings.map(\.number), days: days, in: connection
    ) { row in
      guard let series = row.integer(0), let run = row.integer(1).flatMap({ runs[$0] }),
        let value = row.number(2)
      else { return }
      let point = ReadingSeries.RunValue(
        run: run.id, began: run.started, value: value, uncertainty: row.number(3),
        count: row.integer(4) ?? 0)
      found[series, default: []].add(point, on: run.day)
    }
    return listings.compactMap { number, listing in
      guard var nights = found[number] else { return nil }
      // The index numbers runs as they came in, which need not be how they began.
      for index in nights.indices { nights[index].values.sort { $0.began < $1.began } }
      return ReadingSeries(listing: listing, nights: nights)
    }
  }

  struct RunName {
    let id: String
    let started: Moment
    let day: CalendarDay
  }

  /// The runs of a rig by their numbers: read once for all of its series.
  func runs(
    ofRig rig: String, days: ClosedRange<CalendarDay>?, in connection: any IndexConnection
  ) throws(IndexFault) -> [Int: RunName] {
    let condition = RunCondition(RunFilter(rig: rig, days: days))
    var runs: [Int: RunName] = [:]
    try connection.rows(
      "select r.id, r.folder, r.started from runs r\(condition.text)", condition.values
    ) { row in
      guard let number = row.integer(0), let id = row.text(1), let seconds = row.integer(2) else {
        return
      }
      let started = Moment(seconds: seconds)
      runs[number] = RunName(id: id, started: started, day: started.day)
    }
    return runs
  }
}

extension [ReadingSeries.RunsOfNight] {
  /// Adds a value to the last night, or to a new one where the day is another.
  fileprivate mutating func add(_ value: ReadingSeries.RunValue, on day: CalendarDay) {
    if last?.day != day { append(ReadingSeries.RunsOfNight(day: day, values: [])) }
    self[count - 1].values.append(value)
  }
}

extension RunIndex {
  /// How many series one question asks for: a database on another machine answers each at its distance.
  private static let seriesPerQuestion = 64

  /// Asks a table with the columns `series` and `day` for the rows of many series, of some at once, and hands
  /// them over series by series; `series` stands as column 0 before the columns that are asked for.
  func rows(
    of table: String, columns: String, order: String, series: [Int],
    days: ClosedRange<CalendarDay>?, in connection: any IndexConnection,
    _ body: (any IndexRow) -> Void
  ) throws(IndexFault) {
    let first = days?.lowerBound.number ?? Int(Int32.min)
    let last = days?.upperBound.number ?? Int(Int32.max)
    for start in stride(from: 0, to: series.count, by: Self.seriesPerQuestion) {
      let some = series[start..<min(start + Self.seriesPerQuestion, series.count)]
      try connection.rows(
        """
        select series, \(columns) from \(table)
        where series in (\(SQLValue.places(some.count))) and day between ? and ? order by series, \(order)
        """, some.map { .integer($0) } + [.integer(first), .integer(last)], body)
    }
  }
}
