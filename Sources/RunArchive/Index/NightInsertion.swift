import ChangeDetection

/// The nights whose points changed in a transaction, and their medians made anew.
///
/// A night is what all runs of a day that are no re-runs say of a series. It is derived from `points` when
/// these change, so that both are always of one state.
struct NightInsertion {
  private struct PlanDay: Hashable {
    let rig: Int
    let plan: Int
    let day: Int
  }

  private struct RunOfDay {
    let id: String
    let isRerun: Bool
  }

  private var changed: [PlanDay: Set<Int>] = [:]

  /// Series that one statement is about.
  private static let chunk = 64

  /// Notes that the points of some series of a rig's plan changed on a day.
  mutating func note(_ series: [Int], rig: Int, plan: Int, day: Int) {
    guard !series.isEmpty else { return }
    changed[PlanDay(rig: rig, plan: plan, day: day), default: []].formUnion(series)
  }

  /// Makes what was noted anew.
  func renew(in connection: any IndexConnection) throws(IndexFault) {
    for night in changed.keys.sorted(by: { ($0.day, $0.rig, $0.plan) < ($1.day, $1.rig, $1.plan) })
    {
      let runs = try runs(of: night, in: connection)
      let series = (changed[night] ?? []).sorted()
      var start = 0
      while start < series.count {
        let end = min(start + Self.chunk, series.count)
        try renew(Array(series[start..<end]), on: night.day, runs, in: connection)
        start = end
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
        and e.key = (select id from names where text = ?))
      from runs r where r.rig = ? and r.plan = ? and r.started between ? and ?
      """,
      [
        .text(ReadingSeries.rerunMark), .integer(night.rig), .integer(night.plan),
        .integer(night.day * 86_400), .integer(night.day * 86_400 + 86_399),
      ]
    ) { row in
      guard let number = row.integer(0), let id = row.text(1) else { return }
      runs[number] = RunOfDay(id: id, isRerun: row.integer(2) != nil)
    }
    return runs
  }

  private func renew(
    _ series: [Int], on day: Int, _ runs: [Int: RunOfDay], in connection: any IndexConnection
  ) throws(IndexFault) {
    let places = Array(repeating: "?", count: series.count).joined(separator: ", ")
    let condition = "series in (\(places)) and day = ?"
    let values = series.map { SQLValue.integer($0) } + [.integer(day)]
    var repeats: [Int: [Repeat]] = [:]
    var numbers: [String: Int] = [:]
    try connection.rows(
      "select series, run, value, uncertainty from points where \(condition)", values
    ) { row in
      guard let series = row.integer(0), let number = row.integer(1), let value = row.number(2),
        let run = runs[number], !run.isRerun
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
