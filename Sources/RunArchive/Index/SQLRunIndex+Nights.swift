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
      let first = days?.lowerBound.number ?? Int(Int32.min)
      let last = days?.upperBound.number ?? Int(Int32.max)
      var answer: [NightlySeries] = []
      answer.reserveCapacity(listings.count)
      for (number, listing) in listings {
        var nights: [Night] = []
        try connection.rows(
          """
          select day, value, uncertainty, n, run from nights
          where series = ? and day between ? and ? order by day
          """, [.integer(number), .integer(first), .integer(last)]
        ) { row in
          guard let day = row.integer(0), let value = row.number(1),
            let run = row.integer(4).flatMap({ runs[$0] })
          else { return }
          nights.append(
            Night(
              day: day, value: value, uncertainty: row.number(2) ?? 0, count: row.integer(3) ?? 0,
              run: run.id))
        }
        guard !nights.isEmpty else { continue }
        answer.append(
          NightlySeries(
            key: listing.key, unit: MeasurementUnit(rawValue: listing.unit) ?? .one, nights: nights)
        )
      }
      return answer
    }
  }
}
