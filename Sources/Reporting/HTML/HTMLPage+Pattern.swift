import Acceptance
import Units

extension HTMLPage {
  /// Up to how many patterns stand open when the page does.
  static let openPatterns = 12
  /// Up to how many pictures of takes a page has of every take; beyond that only of the first, and of
  /// those that failed.
  static let everyTake = 64

  /// Writes all that is known of one pattern.
  func write(_ pattern: RunRecord.Pattern, number: Int, to main: inout Markup) {
    let identifier = "pattern-\(number)"
    let isOpen = record.patterns.count <= Self.openPatterns || number == firstFailedPattern
    main.element(
      "section",
      [
        "class": isOpen ? "pattern" : "pattern folded", "id": identifier,
        "aria-labelledby": "\(identifier)-title",
      ]
    ) { section in
      section.element("div", ["class": "title"]) { title in
        title.element("h2", ["id": "\(identifier)-title"], text: pattern.name)
        if let verdict = pattern.verdict { title.writeBadge(verdict) }
      }
      section.element(
        "p", ["class": "outcome"], text: PatternSentence.text(summary.patterns[number - 1]))
      if let warning = summary.patterns[number - 1].reach?.warning { section.writeWarning(warning) }
      section.element("p", ["class": "note"], text: Self.facts(of: pattern))
      section.element("details", isOpen ? ["class": "body", "open": ""] : ["class": "body"]) {
        details in
        details.element("summary") { summary in
          summary.write("Pictures and readings")
          summary.element("span", ["class": "hidden"], text: " of \(pattern.name)")
        }
        writeFigures(of: pattern, identifier: identifier, to: &details)
        let tables: (inout Markup) -> Void = { place in
          writeReadings(of: pattern, to: &place)
          Self.writeDiagnostics(of: pattern, to: &place)
          Self.writeRejected(of: pattern, to: &place)
        }
        // Where scripts run, what is folded is text until it is opened: thousands of rows cost nothing.
        if isOpen {
          tables(&details)
        } else {
          details.element("noscript", ["class": "folded"], tables)
        }
      }
    }
    main.breakLine()
  }

  /// The pictures of a pattern that the page shows: of very many takes the first and those that failed.
  func shownFigures(of pattern: String) -> [TakeFigure] {
    let all = figures(of: pattern)
    let takes = record.patterns.reduce(0) { $0 + $1.takes.count }
    guard takes > Self.everyTake else { return all }
    let failed = Set(readings(of: pattern).filter { $0.verdict == .fail }.compactMap(\.take))
    return all.enumerated().filter { $0 == 0 || failed.contains($1.take) }.map(\.element)
  }

  /// What a picture is called on the page: of its pattern's the `index`th, from 0.
  static func name(ofFigure index: Int, _ pattern: String) -> String {
    "\(pattern)-figure-\(index + 1)"
  }

  /// The first pattern that failed, from 1.
  private var firstFailedPattern: Int? {
    record.patterns.firstIndex { $0.verdict == .fail }.map { $0 + 1 }
  }

  private static func facts(of pattern: RunRecord.Pattern) -> String {
    [
      pattern.file, Shown.seconds(pattern.duration), Count.of(pattern.events, "event"),
      Count.of(pattern.takes.count, "take"),
    ].joined(separator: " · ")
  }

  private func writeFigures(
    of pattern: RunRecord.Pattern, identifier: String, to section: inout Markup
  ) {
    let all = figures(of: pattern.name)
    guard !all.isEmpty else {
      section.element("p", ["class": "note"], text: "No picture was kept of this pattern.")
      return
    }
    writeWorst(summary.events.worst(of: pattern.name), title: "Worst events", to: &section)
    let shown = shownFigures(of: pattern.name)
    for (index, figure) in shown.enumerated() {
      let name = Self.name(ofFigure: index, identifier)
      guard index > 0 else {
        write(figure.overlaid(with: Array(all.dropFirst())), name, to: &section)
        continue
      }
      section.element("details") { details in
        details.element("summary", text: "Take \(figure.take)")
        write(figure, name, to: &details)
      }
    }
    guard shown.count < all.count else { return }
    section.element(
      "p", ["class": "note"],
      text: "\(Count.of(all.count - shown.count, "picture")) of further takes left out: "
        + "the page shows the first take and those that failed.")
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
      ReadingTable(
        caption: "Readings of \(pattern.name)", readings: ofTakes, scatter: summary.scatter
      ).write(to: &section)
    }
    guard !ofEvents.isEmpty else { return }
    let table = ReadingTable(
      caption: "Readings by event of \(pattern.name)", readings: ofEvents, scatter: summary.scatter)
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
      details.element("summary", text: "\(Count.of(rejected.count, "event")) not measured")
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
