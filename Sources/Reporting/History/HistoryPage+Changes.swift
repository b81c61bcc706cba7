import Acceptance
import ChangeDetection
import Units

extension HistoryPage {
  /// Writes what changed, what needs a person first; older and good news folded below.
  func writeChanges(to main: inout Markup) {
    main.writeSection("changes", "What changed") { section in
      let sentences = report.sentences.dropFirst()
      if !sentences.isEmpty {
        section.element("ul", ["class": "findings"]) { list in
          for sentence in sentences { list.element("li", text: sentence) }
        }
      }
      let urgent: Set<Alarm.Standing> = [.raised, .heldBack, .rigMoved, .unconfirmed]
      let open = report.changes.filter { urgent.contains($0.standing) }
      let settled = report.changes.filter { !urgent.contains($0.standing) }
      if open.isEmpty {
        section.element("p", ["class": "note"], text: "No change asks for anything.")
      } else {
        write(open, caption: "Changes that ask for something", to: &section)
        writePictures(of: open, to: &section)
      }
      writeDifferences(of: open, to: &section)
      if !settled.isEmpty {
        section.element("details") { details in
          details.element(
            "summary", text: "\(Count.of(settled.count, "change")) that ask for nothing")
          write(settled, caption: "Improved, accepted, recovered", to: &details)
        }
      }
      for note in report.notes { section.element("p", ["class": "note"], text: note) }
    }
  }

  private func write(
    _ changes: [HistoryReport.Change], caption: String, to section: inout Markup
  ) {
    section.writeScroller(caption) { scroller in
      scroller.element("table", ["class": "changes"]) { table in
        table.element("caption", text: caption)
        table.writeTableHead(
          ["Reading", "Standing", "First night", "From", "To", "Change", "p", "Why", "Runs"],
          numbers: ["From", "To", "Change", "p"])
        table.element("tbody") { body in
          for change in changes { write(change, to: &body) }
        }
      }
    }
  }

  /// A chance as a reader takes it in: whether it is 1e-12 or 1e-13 says nothing.
  private static func chance(_ value: Double) -> String {
    value < 1e-6 ? "< 1e-6" : EngineeringFormat.significant(value)
  }

  private func write(_ change: HistoryReport.Change, to body: inout Markup) {
    let point = change.point
    func size(_ value: Double) -> String {
      Shown.typeset(EngineeringFormat.text(value, change.unit))
    }
    body.element("tr") { row in
      row.element("th", ["scope": "row"]) { cell in
        let words = Self.words(for: change.alarm.key, of: report)
        if let identifier = identifier(of: change.alarm.key) {
          cell.element("a", ["href": "#\(identifier)"], text: words)
        } else {
          cell.write(words)
        }
      }
      row.element("td") {
        $0.writeBadge(change.standing.verdict, word: change.standing.word)
      }
      row.element("td", text: CalendarDay(number: point.day).description)
      row.element("td", ["class": "number"], text: size(point.before))
      row.element("td", ["class": "number"], text: size(point.after))
      row.element(
        "td", ["class": "number"],
        text: Shown.typeset(HistoryReport.effect(of: point, change.unit)))
      row.element("td", ["class": "number"], text: Self.chance(point.significance))
      row.element("td", ["class": "words"], text: change.alarm.reason)
      row.element("td") { cell in
        for (word, run) in [("before", change.runBefore), ("after", change.runAfter)]
        where !run.isEmpty {
          cell.element("span", ["class": "detail"]) { detail in
            writeRun(run, as: "\(word) \(day(of: run))", to: &detail)
          }
        }
      }
    }
    body.breakLine()
  }

  /// The day of a run, or its name where the report does not have it.
  private func day(of run: String) -> String {
    report.runs.first { $0.id == run }.map { CalendarDay(number: $0.day).description } ?? run
  }

  /// Writes a picture of each series that changed, as far as a page is looked at.
  private func writePictures(of changes: [HistoryReport.Change], to section: inout Markup) {
    var seen: Set<SeriesKey> = []
    let keys = changes.map(\.alarm.key).filter { seen.insert($0).inserted }
    let shown = keys.prefix(24)
    section.element("div", ["class": "pictures"]) { grid in
      for (index, key) in shown.enumerated() {
        guard let series = report.series.first(where: { $0.key == key }) else { continue }
        let picture = SeriesPicture(
          series: series, title: Self.words(for: key, of: report),
          identifier: "change-\(index + 1)")
        grid.element("figure") { figure in
          picture.plot.write(to: &figure)
          figure.element("figcaption", text: picture.caption)
        }
      }
    }
    guard shown.count < keys.count else { return }
    section.element(
      "p", ["class": "note"],
      text: "\(keys.count - shown.count) more series changed: they stand in the table above.")
  }

  /// Writes what else differs between the nights before and after the changes.
  private func writeDifferences(
    of changes: [HistoryReport.Change], to section: inout Markup
  ) {
    let rows = changes.flatMap { change in change.differences.map { (change, $0) } }
    guard !rows.isEmpty else { return }
    section.writeScroller("Environment before and after") { scroller in
      scroller.element("table") { table in
        table.element("caption", text: "What else differs between the nights before and after")
        table.writeTableHead(
          ["Environment", "Before", "After", "Separates", "Change of"],
          numbers: ["Separates"])
        table.element("tbody") { body in
          for (change, difference) in rows {
            body.element("tr") { row in
              row.element("th", ["scope": "row"], text: difference.key)
              row.element(
                "td", ["class": "words"], text: difference.good.joined(separator: ", "))
              row.element("td", ["class": "words"], text: difference.bad.joined(separator: ", "))
              row.element(
                "td", ["class": "number"],
                text: "\(EngineeringFormat.fixed(100 * difference.separation, 0)) %")
              row.element("td", text: Self.words(for: change.alarm.key, of: report))
            }
          }
        }
      }
    }
  }

  /// Writes what the newest night found outside the plan's limits.
  func writeViolations(to main: inout Markup) {
    main.writeSection("limits", "Limits on the newest night") { section in
      guard !report.violations.isEmpty else {
        section.element(
          "p",
          text: report.days == nil
            ? "There is no night."
            : "Every reading of the newest night is inside the plan's limits.")
        return
      }
      section.writeScroller("Readings outside the plan's limits") { scroller in
        scroller.element("table") { table in
          table.element("caption", text: "Readings outside the plan's limits")
          table.writeTableHead(
            ["Reading", "Pattern", "Take", "Event", "Value", "Limit", "Run"],
            numbers: ["Take", "Event", "Value"])
          table.element("tbody") { body in
            for violation in report.violations { write(violation, to: &body) }
          }
        }
      }
    }
  }

  private func write(_ violation: HistoryReport.Violation, to body: inout Markup) {
    let unit = ReadingName(violation.reading)?.kind.unit ?? .one
    let value = violation.value.map {
      Shown.typeset(EngineeringFormat.text($0, unit, uncertainty: violation.uncertainty))
    }
    body.element("tr") { row in
      row.element("th", ["scope": "row"], text: violation.reading)
      row.element("td", text: violation.pattern.isEmpty ? "the run" : violation.pattern)
      row.element("td", ["class": "number"], text: violation.take.map(String.init) ?? "")
      row.element("td", ["class": "number"], text: violation.event.map(String.init) ?? "")
      row.element("td", ["class": "number"], text: value ?? Verdict.notMeasured.rawValue)
      row.element("td", ["class": "words"], text: violation.limit)
      row.element("td") { writeRun(violation.run, to: &$0) }
    }
  }
}
