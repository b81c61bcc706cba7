// SPDX-License-Identifier: Apache-2.0

import Acceptance
import ChangeDetection
import Units

package struct HistoryPage {
  typealias Cell = PageTable.Cell

  let report: HistoryReport
  let incidents: [HistoryReport.Incident]
  let drifts: [Drift]
  private let outcome: HistoryReport.Outcome
  private let sentences: [String]
  private let runs: [String: HistoryReport.Run]
  /// The rows of the series.
  let identifiers: [SeriesKey: String]

  package init(_ report: HistoryReport) {
    self.report = report
    incidents = report.incidents
    drifts = report.drifts
    outcome = report.outcome
    sentences = report.sentences
    identifiers = Dictionary(
      report.series.enumerated().map { ($1.key, "series-\($0 + 1)") }
    ) { first, _ in first }
    runs = Dictionary(report.runs.map { ($0.id, $0) }) { first, _ in first }
  }

  /// The HTML document, whose one script finds series in it: equal reports give equal bytes, in time linear in
  /// nights and runs.
  package var text: String {
    let span = span.isEmpty ? "" : " \(span)"
    return Markup.page(
      title: "\(outcome.rawValue): \(report.plan) on \(report.rig)\(span)",
      generator: "haprig",
      style: StyleSheet.page + StyleSheet.chart + StyleSheet.plot + StyleSheet.history,
      skip: (target: "changes", text: "Skip to what changed"), hasScripts: true
    ) { body in
      body.writePageHeader(
        eyebrow: "haprig history", of: report.plan, on: report.rig,
        verdict: outcome.verdict, word: outcome.rawValue,
        sentence: sentences.first ?? "", facts: facts)
      body.element("main") { main in
        writeChanges(to: &main)
        writeViolations(to: &main)
        writeSeries(to: &main)
        writeTemperature(to: &main)
        writeImpulse(to: &main)
        writeDecisions(to: &main)
        writeRuns(to: &main)
        main.writeWords(of: Set(report.series.compactMap(\.key.kind)))
      }
      body.breakLine()
      body.element("script") { $0.writeVerbatim(EmbeddedText.of("history.js")) }
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
        "\(alarms); \(Count.of(incidents.reduce(0) { $0 + $1.changes.count }, "reading")) in all; "
          + Count.of(drifts.count, "drift")
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
  func day(of run: String) -> String {
    runs[run].map { CalendarDay(number: $0.day).description } ?? run
  }

  func words(for key: SeriesKey) -> String { report.subject(of: key) }

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
          return [Cell(reading.name.title, detail: reading.name.description)]
            + [Cell].texts(
              reading.pattern ?? "the run", reading.take.map(String.init) ?? "",
              reading.event.map(String.init) ?? "",
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

extension SeriesKey {
  /// The quantity that it follows; `nil` where this version does not know it.
  var kind: ReadingKind? { ReadingKind(rawValue: quantity) }
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
    let reading = scope.reading.map { name in
      ReadingName(name).map { Cell($0.title, detail: name) } ?? Cell(name)
    }
    return [head]
      + [Cell].texts(
        scope.actuator ?? "all",
        scope.pattern.map { $0.isEmpty ? "the whole run" : $0 } ?? "all")
      + [reading ?? Cell("all")]
      + [Cell].texts(
        CalendarDay(number: decision.day).description, decision.who, decision.when, decision.why)
  }
}
