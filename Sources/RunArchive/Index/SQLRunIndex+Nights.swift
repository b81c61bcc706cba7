import ChangeDetection
import Units

extension SQLRunIndex {
  func nights(
    rig: String, plan: String, days: ClosedRange<CalendarDay>?, where isWanted: (SeriesKey) -> Bool
  ) throws(IndexFault) -> [NightlySeries] {
    try database.read { connection throws(IndexFault) in
      let listings = try listings(rig: rig, plan: plan, where: isWanted, in: connection)
      guard !listings.isEmpty else { return [] }
      let runs = try runs(ofRig: rig, days: days, in: connection)
      var nights: [Int: [Night]] = [:]
      try rows(
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

  /// How many series one question asks for: a database on another machine answers each at its distance.
  private static let seriesPerQuestion = 64

  /// Asks for the rows of many series, of some at once, and hands them over series by series.
  ///
  /// - Parameters:
  ///   - table: A table with the columns `series` and `day`.
  ///   - columns: What is asked for; `series` stands before it as column 0.
  ///   - order: How the rows of one series follow each other.
  ///   - series: The numbers of the series.
  ///   - days: The days; `nil` asks for all.
  ///   - connection: Where to ask.
  ///   - body: Takes a row.
  /// - Throws: What the database says.
  func rows(
    of table: String, columns: String, order: String, series: [Int],
    days: ClosedRange<CalendarDay>?, in connection: any IndexConnection,
    _ body: (any IndexRow) -> Void
  ) throws(IndexFault) {
    let first = days?.lowerBound.number ?? Int(Int32.min)
    let last = days?.upperBound.number ?? Int(Int32.max)
    for start in stride(from: 0, to: series.count, by: Self.seriesPerQuestion) {
      let some = series[start..<min(start + Self.seriesPerQuestion, series.count)]
      let marks = repeatElement("?", count: some.count).joined(separator: ", ")
      try connection.rows(
        """
        select series, \(columns) from \(table)
        where series in (\(marks)) and day between ? and ? order by series, \(order)
        """, some.map { .integer($0) } + [.integer(first), .integer(last)], body)
    }
  }
}
