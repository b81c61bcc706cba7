// SPDX-License-Identifier: Apache-2.0

import Acceptance
import ChangeDetection
import Units

package struct HistoryPage {
  typealias Cell = PageTable.Cell

  let report: HistoryReport
  private let incidents: [HistoryReport.Incident]
  private let outcome: HistoryReport.Outcome
  private let sentences: [String]
  private let runs: [String: HistoryReport.Run]

  package init(_ report: HistoryReport) {
    self.report = report
    incidents = report.incidents
    outcome = report.outcome
    sentences = report.sentences
    runs = Dictionary(report.runs.map { ($0.id, $0) }) { first, _ in first }
  }

  /// The HTML document, without scripts: equal reports give equal bytes, in time linear in nights and runs.
  package var text: String {
    let span = span.isEmpty ? "" : " \(span)"
    return Markup.page(
      title: "\(outcome.rawValue): \(report.plan) on \(report.rig)\(span)",
      generator: "haprig",
      style: StyleSheet.page + StyleSheet.chart + StyleSheet.plot + StyleSheet.history,
      skip: (target: "changes", text: "Skip to what changed")
    ) { body in
      body.writePageHeader(
        eyebrow: "haprig history", of: report.plan, on: report.rig,
        verdict: outcome.verdict, word: outcome.rawValue,
        sentence: sentences.first ?? "", facts: facts)
      body.element("main") { main in
        writeChanges(to: &main)
        writeViolations(to: &main)
        writeImpulse(to: &main)
        writeSeries(to: &main)
        writeTemperature(to: &main)
        writeDecisions(to: &main)
        writeRuns(to: &main)
      }
    }
  }

  private var span: String {
    report.days.map {
      "\(CalendarDay(number: $0.lowerBound)) to \(CalendarDay(number: $0.upperBound))"
    } ?? ""
  }

  private var facts: [HeadFact] {
    let newest = report.runs.last
    let controls = report.series.count { $0.key.isControl }
    let alarms = Count.of(incidents.count { $0.standing == .raised }, "alarm")
    return [
      ("Nights", "\(report.nightCount)", span),
      ("Runs", "\(report.runs.count)", newest.map { "the newest began \($0.began)" } ?? ""),
      ("Series", "\(report.series.count)", "\(controls) of them of the control"),
      (
        "Incidents", "\(incidents.count)",
        "\(alarms); \(Count.of(incidents.reduce(0) { $0 + $1.changes.count }, "reading")) in all"
      ),
    ]
  }

  func writeRun(_ id: String, as words: String? = nil, to parent: inout Markup) {
    guard let link = runs[id]?.link else { return parent.write(words ?? id) }
    // A name can be no scheme behind this.
    let isRooted = link.hasPrefix("./") || link.hasPrefix("../") || link.hasPrefix("/")
    parent.element(
      "a", ["href": isRooted ? link : "./" + link, "title": words == nil ? nil : id],
      text: words ?? id)
  }

  func cell(run id: String) -> Cell { Cell { writeRun(id, to: &$0) } }

  /// The day of a run, or its name where the report does not have it.
  private func day(of run: String) -> String {
    runs[run].map { CalendarDay(number: $0.day).description } ?? run
  }

  func words(for key: SeriesKey) -> String { report.subject(of: key) }

  /// Writes what happened, what needs a person first, each incident by what leads it; older and
  /// good news folded below.
  private func writeChanges(to main: inout Markup) {
    main.writeSection("changes", "What changed") { section in
      section.writeList("findings", Array(sentences.dropFirst()))
      let settled: Set<Alarm.Standing> = [.improved, .recovered, .accepted]
      let open = incidents.filter { !settled.contains($0.standing) }
      let past = incidents.filter { settled.contains($0.standing) }
      if open.isEmpty {
        section.writeNote("No change asks for anything.")
      } else {
        write(
          open.map { ($0.lead, $0.reason) }, caption: "What asks for something, each thing once",
          to: &section)
        for incident in open where !incident.others.isEmpty { write(incident, to: &section) }
        writePictures(of: open.map(\.lead), to: &section)
      }
      writeDifferences(of: open.map(\.lead), to: &section)
      if !past.isEmpty {
        section.writeDetails("\(Count.of(past.count, "incident")) that ask for nothing") {
          write(
            past.flatMap(\.changes).map { ($0, $0.alarm.reason) },
            caption: "Improved, recovered, accepted", to: &$0)
        }
      }
      for note in report.notes { section.writeNote(note) }
    }
  }

  /// Writes what changed beside the change that leads an incident, folded.
  private func write(_ incident: HistoryReport.Incident, to section: inout Markup) {
    let lead = incident.lead
    let title =
      "\(Count.of(incident.others.count, "more reading")) with \(words(for: lead.alarm.key)) on "
      + CalendarDay(number: lead.point.day).description
    section.writeDetails(title) { details in
      details.writeTable(
        title, style: "changes", hidesCaption: true, hasLines: true,
        Self.changeColumns.map { $0 == "Why~" ? "With it~" : $0 },
        incident.others.map { other in
          cells(of: other.change, because: HistoryReport.words(of: other.tie, other.change))
        })
    }
  }

  private static let changeColumns = [
    "Reading", "Standing", "First night", "From#", "To#", "Change#", "p#", "Why~", "Runs",
  ]

  private func write(
    _ changes: [(HistoryReport.Change, because: String)], caption: String, to section: inout Markup
  ) {
    section.writeTable(
      caption, style: "changes", hasLines: true, Self.changeColumns,
      changes.map { cells(of: $0, because: $1) })
  }

  private func cells(of change: HistoryReport.Change, because reason: String) -> [Cell] {
    let (point, key) = (change.point, change.alarm.key)
    func size(_ value: Double) -> String {
      Shown.typeset(EngineeringFormat.text(value, change.unit))
    }
    // A chance as a reader takes it in: whether it is 1e-12 or 1e-13 says nothing.
    let chance =
      point.significance < 1e-6 ? "< 1e-6" : EngineeringFormat.significant(point.significance)
    let words = words(for: key)
    return [
      identifier(of: key).map { Cell(words, link: "#\($0)") } ?? Cell(words),
      Cell(change.standing.shown.verdict, as: change.standing.shown.word),
      Cell(CalendarDay(number: point.day).description), Cell(size(point.before)),
      Cell(size(point.after)),
      Cell(Shown.typeset(HistoryReport.effect(of: point, change.unit))), Cell(chance),
      Cell(reason),
      Cell { cell in
        for (word, run) in [("before", change.runBefore), ("after", change.runAfter)]
        where !run.isEmpty {
          cell.element("span", ["class": "detail"]) {
            writeRun(run, as: "\(word) \(day(of: run))", to: &$0)
          }
        }
      },
    ]
  }

  private func writePictures(of changes: [HistoryReport.Change], to section: inout Markup) {
    let keys = changes.map(\.alarm.key).uniqued()
    let shown = keys.prefix(24)
    section.writePictures(
      shown.enumerated().compactMap { index, key in
        report.series.first { $0.key == key }.map { series in
          SeriesPicture(
            series: series, title: words(for: key), identifier: "change-\(index + 1)"
          ).plot
        }
      })
    if shown.count < keys.count {
      section.writeNote(
        "\(keys.count - shown.count) more series changed: they stand in the table above.")
    }
  }

  private func writeDifferences(of changes: [HistoryReport.Change], to section: inout Markup) {
    let rows = changes.flatMap { change in change.differences.map { (change, $0) } }
    guard !rows.isEmpty else { return }
    section.writeTable(
      "What else differs between the nights before and after",
      label: "Environment before and after",
      ["Environment", "Before~", "After~", "Separates#", "Change of"],
      rows.map { change, difference in
        .texts(
          difference.key, difference.good.joined(separator: ", "),
          difference.bad.joined(separator: ", "),
          "\(EngineeringFormat.fixed(100 * difference.separation, 0)) %",
          words(for: change.alarm.key))
      })
  }

  private func writeViolations(to main: inout Markup) {
    main.writeSection("limits", "Limits on the newest night") { section in
      guard !report.violations.isEmpty else {
        let newest = report.runs.filter { $0.day == report.newestDay }
        let isOwn = newest.contains { $0.imported == nil }
        let outcome =
          isOwn || newest.isEmpty
          ? "Every reading of the newest night is inside the plan's limits."
          : "The newest night was imported, and nothing judged it."
        return section.element("p", text: report.days == nil ? "There is no night." : outcome)
      }
      section.writeTable(
        "Readings outside the plan's limits",
        ["Reading", "Pattern", "Take#", "Event#", "Value#", "Limit~", "Run"],
        report.violations.map { violation in
          let reading = violation.reading
          return [Cell].texts(
            reading.name.description, reading.pattern ?? "the run",
            reading.take.map(String.init) ?? "", reading.event.map(String.init) ?? "",
            violation.text.map(Shown.typeset) ?? Verdict.notMeasured.rawValue, violation.limit)
            + [cell(run: violation.run)]
        })
    }
  }

  private func writeImpulse(to main: inout Markup) {
    guard let comparison = report.impulse else { return }
    main.writeSection("actuator", "Actuator") { $0.writePictures([comparison.plot]) }
  }
}

extension HistoryReport.Outcome {
  fileprivate var verdict: Verdict {
    switch self {
    case .regression, .outsideLimits: .fail
    case .rigMoved, .unconfirmed: .marginal
    case .steady: .pass
    case .empty, .tooFew: .notMeasured
    }
  }
}

extension Alarm.Standing {
  var shown: (verdict: Verdict, word: String, colour: Verdict, terminalWord: String) {
    switch self {
    case .raised: (.fail, "alarm", .fail, "worse")
    case .heldBack: (.marginal, "held back", .notMeasured, "held back")
    case .rigMoved: (.marginal, "rig moved", .notMeasured, "rig moved")
    case .unconfirmed: (.marginal, "not confirmed", .marginal, "unconfirmed")
    case .suspected: (.marginal, "suspected", .marginal, "suspected")
    case .improved: (.pass, "improved", .pass, "better")
    case .accepted: (.pass, "accepted", .pass, "accepted")
    case .recovered: (.pass, "recovered", .pass, "made good")
    }
  }
}

extension HistoryPage {
  private static let openSeries = 60

  func identifier(of key: SeriesKey) -> String? {
    report.series.firstIndex { $0.key == key }.map { "series-\($0 + 1)" }
  }

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
      let groups = report.series.enumerated().grouped { Self.group(of: $0.element.key) }
      for (name, group) in groups {
        let changed = group.count { !$0.element.told.isEmpty }
        section.writeDetails(
          "\(name): \(Count.of(group.count, "series", "series"))",
          more: changed > 0 ? ("detail", " \(changed) changed") : nil,
          style: changed > 0 ? "changed" : "steady", isOpen: report.series.count <= Self.openSeries
        ) { details in
          details.writeTable(
            "Series of \(name)", style: "series", hidesCaption: true,
            identifiers: group.map { "series-\($0.offset + 1)" }, hasLines: true,
            ["Reading", "Nights", "Newest#", "Baseline#", "Trend a month#", "Limit~", "Changes"],
            group.map { cells(of: $0.element) })
        }
      }
    }
  }

  private static func group(of key: SeriesKey) -> String {
    if key.isControl { return "the control" }
    return key.pattern.isEmpty ? "the whole run" : key.pattern
  }

  private func cells(of series: HistoryReport.Series) -> [Cell] {
    let unit = series.nightly.unit
    func size(_ value: Double, _ uncertainty: Double?) -> String {
      Shown.typeset(EngineeringFormat.text(value, unit, uncertainty: uncertainty))
    }
    let words = words(for: series.key)
    let hasWords = words != series.key.reading && (series.key.isControl || words.contains(" on "))
    let baseline = series.baseline.map { baseline in
      let decision = baseline.decision.map { "\($0.run == nil ? "accepted" : "pinned"): \($0.why)" }
      return Cell(size(baseline.level, baseline.spread), detail: decision ?? "")
    }
    let trend = series.trend.map { trend in
      (trend.perMonth > 0 ? "+" : "") + size(trend.perMonth, trend.uncertainty)
    }
    return [
      Cell(series.key.reading, detail: hasWords ? words : ""),
      Cell(style: "spark") { Sparkline(series).write(to: &$0) },
      Cell { cell in
        if let last = series.nightly.nights.last { cell.write(size(last.value, last.uncertainty)) }
        if let verdict = series.verdict {
          cell.write(" ")
          cell.writeBadge(verdict)
        }
      },
      baseline ?? Cell(""), Cell(trend ?? ""), Cell(series.limit?.text ?? ""),
      Cell { cell in
        for change in series.told {
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
        details.writeTable(
          "Runs, the newest first", hidesCaption: true, hasLines: true,
          ["Run", "Began", "Ended", "Verdict", "Repeats"],
          report.runs.reversed().map { run in
            [
              cell(run: run.id), Cell(run.began), Cell(run.status.rawValue),
              run.imported == nil ? Cell(run.verdict) : Cell("imported"),
              run.reruns.map(cell) ?? Cell(""),
            ]
          })
      }
    }
  }

  func writeDecisions(to main: inout Markup) {
    main.writeSection("decisions", "Decisions about baselines") { section in
      guard !report.decisions.isEmpty else {
        return section.element("p", text: "Nobody has accepted or pinned a level.")
      }
      section.writeTable(
        "Decisions, the newest last", hidesCaption: true,
        ["Decision", "Actuator", "Pattern", "Reading", "Night", "Who", "When", "Why~"],
        report.decisions.map(cells))
    }
  }

  private func cells(of decision: BaselineDecision) -> [Cell] {
    let scope = decision.scope
    let head = Cell { cell in
      guard let run = decision.run else { return cell.write("accepted") }
      cell.write("pinned ")
      writeRun(run, to: &cell)
    }
    return [head]
      + [Cell].texts(
        scope.actuator ?? "all",
        scope.pattern.map { $0.isEmpty ? "the whole run" : $0 } ?? "all", scope.reading ?? "all",
        CalendarDay(number: decision.day).description, decision.who, decision.when, decision.why)
  }
}
