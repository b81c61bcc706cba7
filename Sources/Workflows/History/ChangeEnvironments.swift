import ChangeDetection
import Reporting
import RunArchive

/// What changes of series were made in, read once for all of them.
struct ChangeEnvironments {
  /// How many nights either side of a change are compared.
  private static let nights = 14
  private var environments: [String: [String: String]] = [:]

  /// Reads the environment of the nights around every change that a person will look into.
  init(_ own: [(SeriesHistory, [Alarm])], in archive: Archive) throws(ArchiveError) {
    var ids: Set<String> = []
    for (history, alarms) in own {
      for alarm in alarms where Self.isLookedInto(alarm) {
        let (good, bad) = Self.sides(of: alarm.point, in: history)
        ids.formUnion((good + bad).map(\.run))
      }
    }
    guard !ids.isEmpty else { return }
    for (run, environment) in try archive.environment(of: RunFilter(ids: ids.sorted())) {
      environments[run] = environment.filter { $0.key != ReadingSeries.rerunMark }
    }
  }

  /// A change with what else differs between its nights.
  func change(_ alarm: Alarm, in history: SeriesHistory) -> HistoryReport.Change {
    let (good, bad) = Self.sides(of: alarm.point, in: history)
    return HistoryReport.Change(
      alarm: alarm, unit: history.nightly.unit, runBefore: good.last?.run ?? "",
      runAfter: bad.first?.run ?? "",
      differences: Self.isLookedInto(alarm)
        ? EnvironmentDifference.between(
          good: good.compactMap { environments[$0.run] },
          bad: bad.compactMap { environments[$0.run] }) : [])
  }

  private static func isLookedInto(_ alarm: Alarm) -> Bool {
    [.raised, .heldBack, .rigMoved, .unconfirmed].contains(alarm.standing)
  }

  /// The nights of the level before and of that after, the nearest ones.
  private static func sides(
    of point: ChangePoint, in history: SeriesHistory
  ) -> (good: [Night], bad: [Night]) {
    let nights = history.nightly.nights
    let others = history.points.map(\.index)
    let start = others.last { $0 < point.index } ?? 0
    let end = others.first { $0 > point.index } ?? nights.count
    return (
      nights[start..<point.index].suffix(Self.nights).map(\.self),
      nights[point.index..<end].prefix(Self.nights).map(\.self)
    )
  }
}
