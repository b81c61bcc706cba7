import Acceptance
import ChangeDetection
import Units

/// The history of a plan on a rig as one page that opens without a network: what changed first.
package struct HistoryPage {
  let report: HistoryReport
  private let runs: [String: HistoryReport.Run]

  package init(_ report: HistoryReport) {
    self.report = report
    runs = Dictionary(report.runs.map { ($0.id, $0) }) { first, _ in first }
  }

  /// The HTML document, `nightly.html`.
  ///
  /// It holds its style and its pictures and needs no script. Equal reports give equal bytes. Linear in
  /// nights and runs.
  package var text: String {
    let span = span.isEmpty ? "" : " \(span)"
    return Markup.page(
      title: "\(report.outcome.rawValue): \(report.plan) on \(report.rig)\(span)",
      generator: "haprig",
      style: StyleSheet.page + StyleSheet.chart + StyleSheet.plot + StyleSheet.history,
      skip: (target: "changes", text: "Skip to what changed")
    ) { body in
      body.writePageHeader(
        eyebrow: "haprig history", of: report.plan, on: report.rig,
        verdict: report.outcome.verdict, word: report.outcome.rawValue,
        sentence: report.sentences.first ?? "", facts: facts)
      body.element("main") { main in
        writeChanges(to: &main)
        writeViolations(to: &main)
        writeImpulse(to: &main)
        writeSeries(to: &main)
        writeDecisions(to: &main)
        writeRuns(to: &main)
      }
    }
  }

  /// The first and the last day; empty where there is no night.
  private var span: String {
    report.days.map {
      "\(CalendarDay(number: $0.lowerBound)) to \(CalendarDay(number: $0.upperBound))"
    } ?? ""
  }

  private var facts: [HeadFact] {
    let newest = report.runs.last
    let controls = report.series.count { $0.key.isControl }
    let alarms = Count.of(report.changes(.raised).count, "alarm")
    return [
      ("Nights", "\(report.nightCount)", span),
      ("Runs", "\(report.runs.count)", newest.map { "the newest began \($0.began)" } ?? ""),
      ("Series", "\(report.series.count)", "\(controls) of them of the control"),
      (
        "Changes", "\(report.changes.count)",
        "\(alarms), \(report.changes(.heldBack).count) held back"
      ),
    ]
  }

  /// Writes a run by its id, as a link where its report is at hand.
  func writeRun(_ id: String, as words: String? = nil, to parent: inout Markup) {
    guard let link = runs[id]?.link else { return parent.write(words ?? id) }
    // A name can be no scheme behind this.
    let isRooted = link.hasPrefix("./") || link.hasPrefix("../") || link.hasPrefix("/")
    parent.element(
      "a", ["href": isRooted ? link : "./" + link, "title": words == nil ? nil : id],
      text: words ?? id)
  }

  /// The same as a cell of a table.
  func cell(run id: String) -> PageTable.Cell { PageTable.Cell { writeRun(id, to: &$0) } }

  /// The day of a run, or its name where the report does not have it.
  private func day(of run: String) -> String {
    runs[run].map { CalendarDay(number: $0.day).description } ?? run
  }

  func words(for key: SeriesKey) -> String {
    let actuators = Set(report.series.map(\.key.actuator))
    return key.reading + (key.pattern.isEmpty ? "" : " of \(key.pattern)")
      + (actuators.count > 1 && !key.actuator.isEmpty ? " on \(key.actuator)" : "")
  }

  /// Writes what changed, what needs a person first; older and good news folded below.
  private func writeChanges(to main: inout Markup) {
    main.writeSection("changes", "What changed") { section in
      section.writeList("findings", Array(report.sentences.dropFirst()))
      let urgent: Set<Alarm.Standing> = [.raised, .heldBack, .rigMoved, .unconfirmed]
      let open = report.changes.filter { urgent.contains($0.standing) }
      let settled = report.changes.filter { !urgent.contains($0.standing) }
      if open.isEmpty {
        section.writeNote("No change asks for anything.")
      } else {
        write(open, caption: "Changes that ask for something", to: &section)
        writePictures(of: open, to: &section)
      }
      writeDifferences(of: open, to: &section)
      if !settled.isEmpty {
        section.writeDetails("\(Count.of(settled.count, "change")) that ask for nothing") {
          write(settled, caption: "Improved, accepted, recovered", to: &$0)
        }
      }
      for note in report.notes { section.writeNote(note) }
    }
  }

  private func write(
    _ changes: [HistoryReport.Change], caption: String, to section: inout Markup
  ) {
    var table = PageTable(
      caption, style: "changes",
      [
        "Reading", "Standing", "First night", "From#", "To#", "Change#", "p#", "Why~", "Runs",
      ],
      changes.map(cells))
    table.hasLines = true
    table.write(to: &section)
  }

  private func cells(of change: HistoryReport.Change) -> [PageTable.Cell] {
    let (point, key) = (change.point, change.alarm.key)
    func size(_ value: Double) -> String {
      Shown.typeset(EngineeringFormat.text(value, change.unit))
    }
    // A chance as a reader takes it in: whether it is 1e-12 or 1e-13 says nothing.
    let chance =
      point.significance < 1e-6 ? "< 1e-6" : EngineeringFormat.significant(point.significance)
    let words = words(for: key)
    return [
      identifier(of: key).map { PageTable.Cell(words, link: "#\($0)") } ?? PageTable.Cell(words),
      PageTable.Cell(change.standing.shown.verdict, as: change.standing.shown.word),
      PageTable.Cell(CalendarDay(number: point.day).description),
      PageTable.Cell(size(point.before)), PageTable.Cell(size(point.after)),
      PageTable.Cell(Shown.typeset(HistoryReport.effect(of: point, change.unit))),
      PageTable.Cell(chance), PageTable.Cell(change.alarm.reason),
      PageTable.Cell { cell in
        for (word, run) in [("before", change.runBefore), ("after", change.runAfter)]
        where !run.isEmpty {
          cell.element("span", ["class": "detail"]) {
            writeRun(run, as: "\(word) \(day(of: run))", to: &$0)
          }
        }
      },
    ]
  }

  /// Writes a picture of each series that changed, as far as a page is looked at.
  private func writePictures(of changes: [HistoryReport.Change], to section: inout Markup) {
    var seen: Set<SeriesKey> = []
    let keys = changes.map(\.alarm.key).filter { seen.insert($0).inserted }
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
    PageTable(
      "What else differs between the nights before and after",
      label: "Environment before and after",
      ["Environment", "Before~", "After~", "Separates#", "Change of"],
      texts: rows.map { change, difference in
        [
          difference.key, difference.good.joined(separator: ", "),
          difference.bad.joined(separator: ", "),
          "\(EngineeringFormat.fixed(100 * difference.separation, 0)) %",
          words(for: change.alarm.key),
        ]
      }
    ).write(to: &section)
  }

  private func writeViolations(to main: inout Markup) {
    main.writeSection("limits", "Limits on the newest night") { section in
      guard !report.violations.isEmpty else {
        return section.element(
          "p",
          text: report.days == nil
            ? "There is no night."
            : "Every reading of the newest night is inside the plan's limits.")
      }
      PageTable(
        "Readings outside the plan's limits",
        ["Reading", "Pattern", "Take#", "Event#", "Value#", "Limit~", "Run"],
        report.violations.map { violation in
          [
            violation.reading, violation.pattern.isEmpty ? "the run" : violation.pattern,
            violation.take.map(String.init) ?? "", violation.event.map(String.init) ?? "",
            violation.text.map(Shown.typeset) ?? Verdict.notMeasured.rawValue, violation.limit,
          ].map { PageTable.Cell($0) } + [cell(run: violation.run)]
        }
      ).write(to: &section)
    }
  }

  /// Writes how the actuator answers now beside how its baseline did; nothing where no probe was answered.
  private func writeImpulse(to main: inout Markup) {
    guard let comparison = report.impulse else { return }
    main.writeSection("actuator", "Actuator") { $0.writePictures([comparison.plot]) }
  }
}

extension HistoryReport.Outcome {
  /// How grave it is, as badges show it.
  fileprivate var verdict: Verdict {
    switch self {
    case .regression, .outsideLimits: .fail
    case .rigMoved, .unconfirmed: .marginal
    case .steady: .pass
    case .empty: .notMeasured
    }
  }
}

extension Alarm.Standing {
  /// How grave it is and what it is called, on a page and in a terminal.
  var shown: (verdict: Verdict, word: String, colour: Verdict, terminalWord: String) {
    switch self {
    case .raised: (.fail, "alarm", .fail, "worse")
    case .heldBack: (.marginal, "held back", .notMeasured, "held back")
    case .rigMoved: (.marginal, "rig moved", .notMeasured, "rig moved")
    case .unconfirmed: (.marginal, "not confirmed", .marginal, "unconfirmed")
    case .improved: (.pass, "improved", .pass, "better")
    case .accepted: (.pass, "accepted", .pass, "accepted")
    case .recovered: (.pass, "recovered", .pass, "made good")
    }
  }
}
