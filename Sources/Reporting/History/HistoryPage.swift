import Acceptance
import ChangeDetection
import Units

/// The history of a plan on a rig as one page that opens without a network: what changed first.
public struct HistoryPage {
  let report: HistoryReport
  /// The runs by their ids.
  private let runs: [String: HistoryReport.Run]

  /// Takes what the page shows.
  public init(_ report: HistoryReport) {
    self.report = report
    runs = Dictionary(report.runs.map { ($0.id, $0) }) { first, _ in first }
  }

  /// The HTML document, `nightly.html`.
  ///
  /// It holds its style and its pictures and needs no script. Equal reports give equal bytes. Linear in
  /// nights and runs.
  public var text: String {
    var markup = Markup()
    let days = report.days.map {
      " \(CalendarDay(number: $0.lowerBound)) to \(CalendarDay(number: $0.upperBound))"
    }
    markup.writePage(
      title: "\(report.outcome.rawValue): \(report.plan) on \(report.rig)\(days ?? "")",
      generator: "haprig",
      style: StyleSheet.page + StyleSheet.chart + StyleSheet.plot + StyleSheet.history,
      skip: (target: "changes", text: "Skip to what changed")
    ) { body in
      writeHeader(to: &body)
      body.element("main") { main in
        writeChanges(to: &main)
        writeViolations(to: &main)
        writeImpulse(to: &main)
        writeSeries(to: &main)
        writeDecisions(to: &main)
        writeRuns(to: &main)
      }
    }
    return markup.text
  }

  private func writeHeader(to body: inout Markup) {
    let sentences = report.sentences
    body.writePageHeader(
      eyebrow: "haprig history", of: report.plan, on: report.rig,
      verdict: report.outcome.verdict, word: report.outcome.rawValue,
      sentence: sentences.first ?? "", facts: facts)
  }

  private var facts: [HeadFact] {
    let newest = report.runs.last
    return [
      (
        "Nights", "\(report.nightCount)",
        report.days.map {
          "\(CalendarDay(number: $0.lowerBound)) to \(CalendarDay(number: $0.upperBound))"
        } ?? ""
      ),
      ("Runs", "\(report.runs.count)", newest.map { "the newest began \($0.began)" } ?? ""),
      (
        "Series", "\(report.series.count)",
        "\(report.series.count { $0.key.isControl }) of them of the control"
      ),
      (
        "Changes", "\(report.changes.count)",
        "\(Count.of(report.changes(.raised).count, "alarm")), "
          + "\(report.changes(.heldBack).count) held back"
      ),
    ]
  }

  /// Writes a run by its id, as a link where its report is at hand.
  func writeRun(_ id: String, as words: String? = nil, to parent: inout Markup) {
    guard let link = runs[id]?.link else { return parent.write(words ?? id) }
    // A name can be no scheme behind this.
    let isRooted = link.hasPrefix("./") || link.hasPrefix("../") || link.hasPrefix("/")
    let address = isRooted ? link : "./" + link
    guard let words else { return parent.element("a", ["href": address], text: id) }
    parent.element("a", ["href": address, "title": id], text: words)
  }

  /// What makes a series, in words.
  static func words(for key: SeriesKey, of report: HistoryReport) -> String {
    let actuators = Set(report.series.map(\.key.actuator))
    return key.reading + (key.pattern.isEmpty ? "" : " of \(key.pattern)")
      + (actuators.count > 1 && !key.actuator.isEmpty ? " on \(key.actuator)" : "")
  }
}

extension HistoryReport.Outcome {
  /// How grave it is, as badges show it.
  var verdict: Verdict {
    switch self {
    case .regression, .outsideLimits: .fail
    case .rigMoved, .unconfirmed: .marginal
    case .steady: .pass
    case .empty: .notMeasured
    }
  }
}

extension Alarm.Standing {
  /// How grave it is, as badges show it.
  var verdict: Verdict {
    switch self {
    case .raised: .fail
    case .heldBack, .rigMoved, .unconfirmed: .marginal
    case .improved, .accepted, .recovered: .pass
    }
  }

  /// What it is called on a page.
  var word: String {
    switch self {
    case .raised: "alarm"
    case .heldBack: "held back"
    case .rigMoved: "rig moved"
    case .unconfirmed: "not confirmed"
    case .improved: "improved"
    case .accepted: "accepted"
    case .recovered: "recovered"
    }
  }
}
