import Acceptance
import ChangeDetection
import Units

extension HistoryPage {
  private static let openSeries = 60

  /// The place of a series on the page; nil where there is none.
  func identifier(of key: SeriesKey) -> String? {
    report.series.firstIndex { $0.key == key }.map { "series-\($0 + 1)" }
  }

  /// Writes every series as a row with its sparkline, a table a pattern.
  func writeSeries(to main: inout Markup) {
    main.writeSection("series", "All series") { section in
      guard !report.series.isEmpty else {
        return section.element("p", text: "There is no series.")
      }
      section.writeNote(
        """
        A sparkline shows the median of each night over its band of one standard uncertainty; dashed the \
        baseline, dotted a limit of the plan where it is near, a mark with a triangle a change, the dot \
        the newest night.
        """)
      var order: [String] = []
      var groups: [String: [(index: Int, series: HistoryReport.Series)]] = [:]
      for (index, series) in report.series.enumerated() {
        let name = Self.group(of: series.key)
        if groups[name] == nil { order.append(name) }
        groups[name, default: []].append((index, series))
      }
      for name in order {
        let group = groups[name] ?? []
        let changed = group.count { !$0.series.changes.isEmpty }
        section.writeDetails(
          "\(name): \(Count.of(group.count, "series", "series"))",
          more: changed > 0 ? ("detail", " \(changed) changed") : nil,
          style: changed > 0 ? "changed" : "steady", isOpen: report.series.count <= Self.openSeries
        ) { details in
          var table = PageTable(
            "Series of \(name)", style: "series",
            [
              "Reading", "Nights", "Newest#", "Baseline#", "Trend a month#", "Limit~", "Changes",
            ],
            group.map { cells(of: $0.series) })
          table.hidesCaption = true
          table.hasLines = true
          table.identifiers = group.map { "series-\($0.index + 1)" }
          table.write(to: &details)
        }
      }
    }
  }

  private static func group(of key: SeriesKey) -> String {
    if key.isControl { return "the control" }
    return key.pattern.isEmpty ? "the whole run" : key.pattern
  }

  private func cells(of series: HistoryReport.Series) -> [PageTable.Cell] {
    let unit = series.nightly.unit
    func size(_ value: Double, _ uncertainty: Double?) -> String {
      Shown.typeset(EngineeringFormat.text(value, unit, uncertainty: uncertainty))
    }
    let words = words(for: series.key)
    let hasWords =
      words != series.key.reading && (series.key.isControl || words.contains(" on "))
    let baseline = series.baseline.map { baseline in
      let decision = baseline.decision.map { "\($0.run == nil ? "accepted" : "pinned"): \($0.why)" }
      return PageTable.Cell(size(baseline.level, baseline.spread), detail: decision ?? "")
    }
    let trend = series.trend.map { trend in
      (trend.perMonth > 0 ? "+" : "") + size(trend.perMonth, trend.uncertainty)
    }
    return [
      PageTable.Cell(series.key.reading, detail: hasWords ? words : ""),
      PageTable.Cell(style: "spark") { Sparkline(series).write(to: &$0) },
      PageTable.Cell { cell in
        if let last = series.nightly.nights.last { cell.write(size(last.value, last.uncertainty)) }
        if let verdict = series.verdict {
          cell.write(" ")
          cell.writeBadge(verdict)
        }
      },
      baseline ?? PageTable.Cell(""), PageTable.Cell(trend ?? ""),
      PageTable.Cell(series.limit?.text ?? ""),
      PageTable.Cell { cell in
        for change in series.changes {
          cell.element("span", ["class": "change"]) { item in
            item.writeBadge(change.standing.shown.verdict, as: change.standing.shown.word)
            let effect = Shown.typeset(HistoryReport.effect(of: change.point, unit))
            item.writeDetail("\(CalendarDay(number: change.point.day)), \(effect)")
          }
        }
      },
    ]
  }

  func writeRuns(to main: inout Markup) {
    main.writeSection("runs", "Runs") { section in
      guard !report.runs.isEmpty else { return section.element("p", text: "There is no run.") }
      section.writeDetails(
        Count.of(report.runs.count, "run"), isOpen: report.runs.count <= 14
      ) { details in
        var table = PageTable(
          "Runs, the newest first", ["Run", "Began", "Ended", "Verdict", "Repeats"],
          report.runs.reversed().map { run in
            [
              cell(run: run.id), PageTable.Cell(run.began), PageTable.Cell(run.status.rawValue),
              PageTable.Cell(run.verdict), run.reruns.map(cell) ?? PageTable.Cell(""),
            ]
          })
        table.hidesCaption = true
        table.hasLines = true
        table.write(to: &details)
      }
    }
  }

  func writeDecisions(to main: inout Markup) {
    main.writeSection("decisions", "Decisions about baselines") { section in
      guard !report.decisions.isEmpty else {
        return section.element("p", text: "Nobody has accepted or pinned a level.")
      }
      var table = PageTable(
        "Decisions, the newest last",
        ["Decision", "Actuator", "Pattern", "Reading", "Night", "Who", "When", "Why~"],
        report.decisions.map(cells))
      table.hidesCaption = true
      table.write(to: &section)
    }
  }

  private func cells(of decision: BaselineDecision) -> [PageTable.Cell] {
    let scope = decision.scope
    let head = PageTable.Cell { cell in
      guard let run = decision.run else { return cell.write("accepted") }
      cell.write("pinned ")
      writeRun(run, to: &cell)
    }
    return [head]
      + [
        scope.actuator ?? "all",
        scope.pattern.map { $0.isEmpty ? "the whole run" : $0 } ?? "all", scope.reading ?? "all",
        CalendarDay(number: decision.day).description, decision.who, decision.when, decision.why,
      ].map { PageTable.Cell($0) }
  }
}
