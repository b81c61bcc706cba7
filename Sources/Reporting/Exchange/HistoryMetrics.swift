import ChangeDetection
import Units

extension OpenMetricsReport {
  /// Writes what the nights of a plan come to, for alerts and dashboards.
  ///
  /// `haprig_history_outcome` is 1 for the outcome that holds; `haprig_history_changes` counts changes by
  /// their standing, and `haprig_history_change_sigmas` has the size of each that needs a person, in its own
  /// standard uncertainties. Equal histories give equal bytes.
  ///
  /// - Parameter history: The history.
  /// - Returns: The text, ended by `# EOF`.
  public static func text(history: HistoryReport) -> String {
    var page = OpenMetricsPage()
    write(history, to: &page)
    return page.finish()
  }

  static func write(_ history: HistoryReport, to page: inout OpenMetricsPage) {
    let plan = [("rig", history.rig), ("plan", history.plan)]
    page.begin("haprig_history_outcome", .gauge, "1 for what the nights come to, else 0")
    for outcome in HistoryReport.Outcome.allCases {
      page.sample(
        "haprig_history_outcome", plan + [("outcome", outcome.rawValue)],
        history.outcome == outcome ? 1 : 0)
    }
    page.begin("haprig_history_nights", .gauge, "how many nights were looked at")
    page.sample("haprig_history_nights", plan, Double(history.nightCount))
    if let newest = history.newestDay {
      let family = "haprig_history_newest_night_timestamp_seconds"
      page.begin(family, .gauge, "the beginning of the newest night's day", unit: "seconds")
      page.sample(family, plan, Double(newest) * 86_400)
    }
    page.begin("haprig_history_changes", .gauge, "changes of all series, by what they lead to")
    for standing in Alarm.Standing.allCases {
      page.sample(
        "haprig_history_changes", plan + [("standing", standing.rawValue)],
        Double(history.changes(standing).count))
    }
    page.begin(
      "haprig_history_violations", .gauge,
      "readings of the newest night outside the plan's limits, or required and not measured")
    page.sample("haprig_history_violations", plan, Double(history.violations.count))
    writeSizes(history, plan, to: &page)
  }

  private static func writeSizes(
    _ history: HistoryReport, _ plan: [(String, String)], to page: inout OpenMetricsPage
  ) {
    // Of two changes of a series with one standing the later is told: labels name a sample once.
    var sizes: [[String]: (labels: [(String, String)], day: Int, size: Double)] = [:]
    for change in history.changes
    where [.raised, .heldBack, .rigMoved, .unconfirmed].contains(change.standing) {
      let key = change.alarm.key
      let labels = [
        ("actuator", key.actuator), ("pattern", key.pattern), ("reading", key.reading),
        ("standing", change.standing.rawValue),
      ]
      let point = change.point
      guard point.uncertainty > 0 else { continue }
      let words = labels.map(\.1)
      if let known = sizes[words], known.day > point.day { continue }
      sizes[words] = (
        labels.filter { !$0.1.isEmpty }, point.day, point.effect / point.uncertainty
      )
    }
    guard !sizes.isEmpty else { return }
    page.begin(
      "haprig_history_change_sigmas", .gauge,
      "the size of a change that needs a person, in its standard uncertainties")
    for (_, sample) in sizes.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      page.sample("haprig_history_change_sigmas", plan + sample.labels, sample.size)
    }
  }
}
