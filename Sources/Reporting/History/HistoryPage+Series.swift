import Acceptance
import ChangeDetection
import Units

extension HistoryPage {
  /// Up to how many series stand open.
  private static let openSeries = 60

  /// The place of a series on the page; nil where there is none.
  func identifier(of key: SeriesKey) -> String? {
    report.series.firstIndex { $0.key == key }.map { "series-\($0 + 1)" }
  }

  /// Writes every series as a row with its sparkline, a table a pattern.
  func writeSeries(to main: inout Markup) {
    main.writeSection("series", "All series") { section in
      guard !report.series.isEmpty else {
        section.element("p", text: "There is no series.")
        return
      }
      section.element("p", ["class": "note"], text: Self.key)
      var order: [String] = []
      var groups: [String: [(index: Int, series: HistoryReport.Series)]] = [:]
      for (index, series) in report.series.enumerated() {
        let name = Self.group(of: series.key)
        if groups[name] == nil { order.append(name) }
        groups[name, default: []].append((index, series))
      }
      for name in order {
        let group = groups[name] ?? []
        let isOpen = report.series.count <= Self.openSeries
        let changed = group.count { !$0.series.changes.isEmpty }
        let kind = changed > 0 ? "changed" : "steady"
        section.element("details", isOpen ? ["class": kind, "open": ""] : ["class": kind]) {
          details in
          details.element("summary") { summary in
            summary.write("\(name): \(Count.of(group.count, "series", "series"))")
            if changed > 0 {
              summary.element("span", ["class": "detail"], text: " \(changed) changed")
            }
          }
          write(group, caption: "Series of \(name)", to: &details)
        }
      }
    }
  }

  private static let key =
    "A sparkline shows the median of each night over its band of one standard uncertainty; dashed the "
    + "baseline, dotted a limit of the plan where it is near, a mark with a triangle a change, the dot the "
    + "newest night."

  private static func group(of key: SeriesKey) -> String {
    if key.isControl { return "the control" }
    return key.pattern.isEmpty ? "the whole run" : key.pattern
  }

  private func write(
    _ group: [(index: Int, series: HistoryReport.Series)], caption: String,
    to section: inout Markup
  ) {
    section.writeScroller(caption) { scroller in
      scroller.element("table", ["class": "series"]) { table in
        table.element("caption", ["class": "hidden"], text: caption)
        table.writeTableHead(
          ["Reading", "Nights", "Newest", "Baseline", "Trend a month", "Limit", "Changes"],
          numbers: ["Newest", "Baseline", "Trend a month"])
        table.element("tbody") { body in
          for (index, series) in group { write(series, "series-\(index + 1)", to: &body) }
        }
      }
    }
  }

  private func write(
    _ series: HistoryReport.Series, _ identifier: String, to body: inout Markup
  ) {
    let unit = series.nightly.unit
    func size(_ value: Double, _ uncertainty: Double?) -> String {
      Shown.typeset(EngineeringFormat.text(value, unit, uncertainty: uncertainty))
    }
    let last = series.nightly.nights.last
    body.element("tr", ["id": identifier]) { row in
      row.element("th", ["scope": "row"]) { cell in
        cell.write(series.key.reading)
        let words = Self.words(for: series.key, of: report)
        if words != series.key.reading, series.key.isControl || words.contains(" on ") {
          cell.element("span", ["class": "detail"], text: words)
        }
      }
      row.element("td", ["class": "spark"]) { Sparkline(series).write(to: &$0) }
      row.element("td", ["class": "number"]) { cell in
        if let last { cell.write(size(last.value, last.uncertainty)) }
        if let verdict = series.verdict {
          cell.write(" ")
          cell.writeBadge(verdict)
        }
      }
      row.element("td", ["class": "number"]) { cell in
        guard let baseline = series.baseline else { return }
        cell.write(size(baseline.level, baseline.spread))
        if let decision = baseline.decision {
          cell.element(
            "span", ["class": "detail"],
            text: decision.run == nil ? "accepted: \(decision.why)" : "pinned: \(decision.why)")
        }
      }
      row.element("td", ["class": "number"]) { cell in
        guard let trend = series.trend else { return }
        cell.write((trend.perMonth > 0 ? "+" : "") + size(trend.perMonth, trend.uncertainty))
      }
      row.element("td", ["class": "words"], text: series.limit?.text ?? "")
      row.element("td") { cell in
        for change in series.changes {
          cell.element("span", ["class": "change"]) { item in
            item.writeBadge(change.standing.verdict, word: change.standing.word)
            item.element(
              "span", ["class": "detail"],
              text: "\(CalendarDay(number: change.point.day)), "
                + Shown.typeset(HistoryReport.effect(of: change.point, unit)))
          }
        }
      }
    }
    body.breakLine()
  }

  /// Writes the runs, the newest first.
  func writeRuns(to main: inout Markup) {
    main.writeSection("runs", "Runs") { section in
      guard !report.runs.isEmpty else {
        section.element("p", text: "There is no run.")
        return
      }
      section.element("details", report.runs.count <= 14 ? ["open": ""] : [:]) { details in
        details.element("summary", text: Count.of(report.runs.count, "run"))
        details.writeScroller("Runs, the newest first") { scroller in
          scroller.element("table") { table in
            table.element("caption", ["class": "hidden"], text: "Runs, the newest first")
            table.writeTableHead(["Run", "Began", "Ended", "Verdict", "Repeats"])
            table.element("tbody") { body in
              for run in report.runs.reversed() {
                body.element("tr") { row in
                  row.element("th", ["scope": "row"]) { writeRun(run.id, to: &$0) }
                  row.element("td", text: run.began)
                  row.element("td", text: run.status.rawValue)
                  row.element("td") { $0.writeBadge(run.verdict) }
                  row.element("td") { cell in
                    if let first = run.reruns { writeRun(first, to: &cell) }
                  }
                }
                body.breakLine()
              }
            }
          }
        }
      }
    }
  }

  /// Writes who said what of which level, and why.
  func writeDecisions(to main: inout Markup) {
    main.writeSection("decisions", "Decisions about baselines") { section in
      guard !report.decisions.isEmpty else {
        section.element("p", text: "Nobody has accepted or pinned a level.")
        return
      }
      section.writeScroller("Decisions, the newest last") { scroller in
        scroller.element("table") { table in
          table.element("caption", ["class": "hidden"], text: "Decisions, the newest last")
          table.writeTableHead(
            ["Decision", "Actuator", "Pattern", "Reading", "Night", "Who", "When", "Why"])
          table.element("tbody") { body in
            for decision in report.decisions { write(decision, to: &body) }
          }
        }
      }
    }
  }

  private func write(_ decision: BaselineDecision, to body: inout Markup) {
    let scope = decision.scope
    body.element("tr") { row in
      row.element("th", ["scope": "row"]) { cell in
        guard let run = decision.run else { return cell.write("accepted") }
        cell.write("pinned ")
        writeRun(run, to: &cell)
      }
      row.element("td", text: scope.actuator ?? "all")
      row.element("td", text: scope.pattern.map { $0.isEmpty ? "the whole run" : $0 } ?? "all")
      row.element("td", text: scope.reading ?? "all")
      row.element("td", text: CalendarDay(number: decision.day).description)
      row.element("td", text: decision.who)
      row.element("td", text: decision.when)
      row.element("td", ["class": "words"], text: decision.why)
    }
  }
}
