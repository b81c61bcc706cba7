import Acceptance
import Units

extension HTMLPage {
  /// Writes all that is known of one pattern.
  func write(_ pattern: RunRecord.Pattern, number: Int, to main: inout Markup) {
    let identifier = "pattern-\(number)"
    main.element(
      "section", ["id": identifier, "aria-labelledby": "\(identifier)-title"]
    ) { section in
      section.element("div", ["class": "title"]) { title in
        title.element("h2", ["id": "\(identifier)-title"], text: pattern.name)
        if let verdict = pattern.verdict { title.writeBadge(verdict) }
      }
      section.element("p", ["class": "note"], text: Self.facts(of: pattern))
      writeFigures(of: pattern, identifier: identifier, to: &section)
      writeReadings(of: pattern, to: &section)
      Self.writeDiagnostics(of: pattern, to: &section)
      Self.writeRejected(of: pattern, to: &section)
    }
    main.breakLine()
  }

  private static func facts(of pattern: RunRecord.Pattern) -> String {
    [
      pattern.file, Shown.seconds(pattern.duration), RunSummary.count(pattern.events, "event"),
      RunSummary.count(pattern.takes.count, "take"),
    ].joined(separator: " · ")
  }

  private func writeFigures(
    of pattern: RunRecord.Pattern, identifier: String, to section: inout Markup
  ) {
    let figures = figures(of: pattern.name)
    guard let first = figures.first else {
      section.element("p", ["class": "note"], text: "No picture was kept of this pattern.")
      return
    }
    Self.write(first, "\(identifier)-figure-1", to: &section)
    for (index, figure) in figures.enumerated().dropFirst() {
      section.element("details") { details in
        details.element("summary", text: "Take \(figure.take)")
        Self.write(figure, "\(identifier)-figure-\(index + 1)", to: &details)
      }
    }
  }

  private static func write(
    _ figure: TakeFigure, _ identifier: String, to section: inout Markup
  ) {
    section.element("figure") { box in
      box.writeScroller("Picture of \(figure.pattern), take \(figure.take)") {
        FigureDrawing(figure, identifier: identifier).write(to: &$0)
      }
    }
  }

  private func writeReadings(of pattern: RunRecord.Pattern, to section: inout Markup) {
    let readings = readings(of: pattern.name)
    let ofTakes = readings.filter { $0.event == nil }
    let ofEvents = readings.filter { $0.event != nil }
    guard !readings.isEmpty else {
      section.element("p", ["class": "note"], text: "No reading was taken of this pattern.")
      return
    }
    if !ofTakes.isEmpty {
      ReadingTable(caption: "Readings of \(pattern.name)", readings: ofTakes).write(to: &section)
    }
    guard !ofEvents.isEmpty else { return }
    let table = ReadingTable(caption: "Readings by event of \(pattern.name)", readings: ofEvents)
    guard ofEvents.count > ReadingTable.openRows else { return table.write(to: &section) }
    section.element("details") { details in
      details.element("summary") { summary in
        summary.write("\(ofEvents.count) readings by event ")
        summary.element("span", ["class": "detail"], text: Self.tally(of: ofEvents))
      }
      table.write(to: &details)
    }
    section.breakLine()
  }

  /// What a folded table holds, so that nothing outside its limits is hidden.
  private static func tally(of readings: [Reading]) -> String {
    [Verdict.fail, .marginal, .notMeasured, .pass].compactMap { verdict in
      let count = readings.count { $0.verdict == verdict }
      return count > 0 ? "\(count) \(verdict.rawValue)" : nil
    }.joined(separator: ", ")
  }

  private static func writeDiagnostics(of pattern: RunRecord.Pattern, to section: inout Markup) {
    guard !pattern.diagnostics.isEmpty else { return }
    section.element("h3", text: "Diagnostics of the reader")
    section.element("ul", ["class": "diagnostics"]) { list in
      for diagnostic in pattern.diagnostics { list.element("li", text: diagnostic) }
    }
  }

  private static func writeRejected(of pattern: RunRecord.Pattern, to section: inout Markup) {
    let rejected = pattern.takes.flatMap { take in take.rejected.map { (take.number, $0) } }
    guard !rejected.isEmpty else { return }
    let showsTake = pattern.takes.count > 1
    section.element("details") { details in
      details.element("summary", text: "\(RunSummary.count(rejected.count, "event")) not measured")
      details.writeScroller("Events of \(pattern.name) that were not measured") { scroller in
        scroller.element("table") { table in
          table.element("caption", text: "Events not measured, with the reason")
          table.element("thead") { head in
            head.element("tr") { row in
              row.element("th", ["scope": "col", "class": "number"], text: "Event")
              if showsTake {
                row.element("th", ["scope": "col", "class": "number"], text: "Take")
              }
              row.element("th", ["scope": "col"], text: "Reason")
            }
          }
          table.element("tbody") { body in
            for (take, entry) in rejected {
              body.element("tr") { row in
                row.element("th", ["scope": "row", "class": "number"], text: "\(entry.event)")
                if showsTake { row.element("td", ["class": "number"], text: "\(take)") }
                row.element("td", ["class": "words"], text: entry.reason)
              }
            }
          }
        }
      }
    }
  }
}
