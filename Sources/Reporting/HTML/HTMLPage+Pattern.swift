import Acceptance
import Units

extension HTMLPage {
  private static let openPatterns = 12
  /// Up to how many pictures of takes a page has of every take; beyond that only of the first, and of
  /// those that failed.
  static let everyTake = 64

  func write(_ pattern: RunRecord.Pattern, number: Int, to main: inout Markup) {
    let identifier = "pattern-\(number)"
    let summary = summary.patterns[number - 1]
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
      section.element("p", ["class": "outcome"], text: PatternSentence.text(summary))
      if let warning = summary.reach?.warning { section.writeWarning(warning) }
      section.writeNote(
        [
          pattern.file, Shown.seconds(pattern.duration), Count.of(pattern.events, "event"),
          Count.of(pattern.takes.count, "take"),
        ].joined(separator: " · "))
      section.writeDetails(
        "Pictures and readings", more: ("hidden", " of \(pattern.name)"), style: "body",
        isOpen: isOpen
      ) { details in
        writeFigures(of: pattern, identifier: identifier, to: &details)
        // Where scripts run, what is folded is text until it is opened: thousands of rows cost nothing.
        if isOpen {
          writeTables(of: pattern, to: &details)
        } else {
          details.element("noscript", ["class": "folded"]) { writeTables(of: pattern, to: &$0) }
        }
      }
    }
    main.breakLine()
  }

  private var firstFailedPattern: Int? {
    record.patterns.firstIndex { $0.verdict == .fail }.map { $0 + 1 }
  }

  /// The pictures of a pattern that the page shows: of very many takes the first and those that failed.
  func shownFigures(of pattern: String) -> [TakeFigure] {
    let all = figures(of: pattern)
    guard summary.takeCount > Self.everyTake else { return all }
    let failed = Set(readings(of: pattern).filter { $0.verdict == .fail }.compactMap(\.take))
    return all.enumerated().filter { $0 == 0 || failed.contains($1.take) }.map(\.element)
  }

  /// What a picture is called on the page: of its pattern's the `index`th, from 0.
  static func name(ofFigure index: Int, _ pattern: String) -> String {
    "\(pattern)-figure-\(index + 1)"
  }

  private func writeFigures(
    of pattern: RunRecord.Pattern, identifier: String, to section: inout Markup
  ) {
    let all = figures(of: pattern.name)
    guard !all.isEmpty else { return section.writeNote("No picture was kept of this pattern.") }
    writeWorst(summary.events.worst(of: pattern.name), to: &section)
    let shown = shownFigures(of: pattern.name)
    for (index, figure) in shown.enumerated() {
      let name = Self.name(ofFigure: index, identifier)
      if index == 0 {
        write(figure.overlaid(with: Array(all.dropFirst())), name, to: &section)
      } else {
        section.writeDetails("Take \(figure.take)") { write(figure, name, to: &$0) }
      }
    }
    if shown.count < all.count {
      section.writeNote(
        "\(Count.of(all.count - shown.count, "picture")) of further takes left out: "
          + "the page shows the first take and those that failed.")
    }
  }

  /// Writes the picture of a take: still for readers without scripts and for paper, and the data of the chart.
  ///
  /// Where scripts run, what stands in `noscript` is text that costs nothing until the picture comes into
  /// view.
  private func write(_ figure: TakeFigure, _ identifier: String, to section: inout Markup) {
    let scores = summary.events.events(of: figure.pattern, take: figure.take)
    let worst = summary.events.worst(of: figure.pattern).filter { $0.take == figure.take }
    let drawing = FigureDrawing(
      ColumnReduction.reduce(figure, to: columns.still), identifier: identifier, scores: scores,
      linked: Set(worst.map(\.event)))
    let label = "\(figure.pattern), take \(figure.take)"
    section.element(
      "figure",
      [
        "class": "take", "data-label": label, "data-desc": drawing.description,
        "data-name": identifier,
      ]
    ) { box in
      box.element("noscript") { still in
        still.writeScroller("Picture of \(label)") { drawing.write(to: &$0) }
      }
      guard charts != nil else { return }
      box.element("script", ["type": "application/json"]) {
        $0.writeVerbatim(TakeChart(figure: figure, columns: columns.chart, scores: scores).text)
      }
    }
    section.breakLine()
  }

  /// Writes the readings of a pattern, what its reader said, and which events were not measured.
  private func writeTables(of pattern: RunRecord.Pattern, to section: inout Markup) {
    writeReadings(of: pattern, to: &section)
    section.writeList(
      "diagnostics", title: "Diagnostics of the reader", pattern.diagnostics)
    let rejected = pattern.takes.flatMap { take in take.rejected.map { (take.number, $0) } }
    guard !rejected.isEmpty else { return }
    let showsTake = pattern.takes.count > 1
    section.writeDetails("\(Count.of(rejected.count, "event")) not measured") { details in
      PageTable(
        "Events not measured, with the reason",
        label: "Events of \(pattern.name) that were not measured",
        ["Event#"] + (showsTake ? ["Take#"] : []) + ["Reason~"],
        texts: rejected.map { take, entry in
          ["\(entry.event)"] + (showsTake ? ["\(take)"] : []) + [entry.reason]
        }
      ).write(to: &details)
    }
  }

  private func writeReadings(of pattern: RunRecord.Pattern, to section: inout Markup) {
    let readings = readings(of: pattern.name)
    guard !readings.isEmpty else {
      return section.writeNote("No reading was taken of this pattern.")
    }
    let ofTakes = readings.filter { $0.event == nil }
    let ofEvents = readings.filter { $0.event != nil }
    if !ofTakes.isEmpty {
      ReadingTable(
        caption: "Readings of \(pattern.name)", readings: ofTakes, scatter: summary.scatter
      ).write(to: &section)
    }
    guard !ofEvents.isEmpty else { return }
    let table = ReadingTable(
      caption: "Readings by event of \(pattern.name)", readings: ofEvents, scatter: summary.scatter)
    guard ofEvents.count > ReadingTable.openRows else { return table.write(to: &section) }
    section.writeDetails(
      "\(ofEvents.count) readings by event ", more: ("detail", Self.tally(of: ofEvents))
    ) { table.write(to: &$0) }
    section.breakLine()
  }

  /// What a folded table holds, so that nothing outside its limits is hidden.
  private static func tally(of readings: [Reading]) -> String {
    [Verdict.fail, .marginal, .notMeasured, .pass].compactMap { verdict in
      let count = readings.count { $0.verdict == verdict }
      return count > 0 ? "\(count) \(verdict.rawValue)" : nil
    }.joined(separator: ", ")
  }
}

/// Readings as a table; columns that no reading fills are left out.
struct ReadingTable {
  /// Up to how many rows by event a table stands open.
  static let openRows = 12

  let caption: String
  let readings: [Reading]
  let scatter: ReadingScatter

  func write(to section: inout Markup) {
    // What was read of takes, so that the same name without a take is of all of them.
    let taken = Set(readings.filter { $0.take != nil }.map(\.name))
    let hasOneTake = readings.allSatisfy {
      $0.take == 1 || $0.take == nil && !taken.contains($0.name)
    }
    typealias Column = (title: String, style: String?, text: (Reading) -> String)
    let all: [Column] = [
      ("Event", "number", { $0.event.map(String.init) ?? "" }),
      (
        "Take", "number",
        { reading in
          if hasOneTake { return "" }
          return reading.take.map(String.init) ?? (taken.contains(reading.name) ? "all" : "")
        }
      ),
      ("Channel", nil, { $0.channel ?? "" }),
      ("Value", "number", { Shown.value(of: $0, scatter).map(Shown.typeset) ?? "" }),
      ("n", "number", { $0.count.map(String.init) ?? "" }),
      ("Limit", "words", { $0.limit ?? "" }),
    ]
    let columns = all.filter { column in readings.contains { !column.text($0).isEmpty } }
    let hasNotes = readings.contains { $0.note != nil }
    var table = PageTable(
      caption: caption, style: "readings",
      columns: [PageTable.Column("Reading")]
        + columns.map { PageTable.Column($0.title, headStyle: $0.style, style: $0.style) }
        + [PageTable.Column("Verdict")])
    if hasNotes { table.columns.append(PageTable.Column("Note", style: "words")) }
    table.hasLines = true
    table.rows = readings.map { reading in
      [PageTable.Cell(Shown.name(of: reading))]
        + columns.map { PageTable.Cell($0.text(reading)) } + [PageTable.Cell(reading.verdict)]
        + (hasNotes ? [PageTable.Cell(reading.note ?? "")] : [])
    }
    table.write(to: &section)
  }
}
