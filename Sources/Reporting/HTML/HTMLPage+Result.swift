import Acceptance
import Units

extension HTMLPage {
  /// Writes the result: how each pattern came out, in words and in numbers, and where to look first.
  func writeResult(to main: inout Markup) {
    main.writeSection("result", "Result") { section in
      writeFirstFailure(to: &section)
      for warning in ActuatorReach.warnings(summary.patterns) { section.writeWarning(warning) }
      writeWorst(summary.events.worst(), to: &section)
      section.element("h3", text: "All patterns")
      writePatterns(to: &section)
      writeReasons(to: &section)
      section.element("h3", text: "All readings")
      let counts = [Verdict.pass, .marginal, .fail, .notMeasured].map { verdict in
        (record.readings.count { $0.verdict == verdict }, verdict.rawValue)
      }
      section.writeTally(
        counts + [(record.readings.count { $0.verdict == nil }, "without a limit")])
      section.writeNote(Self.summaryNote)
      for (note, patterns) in PatternSummary.incompleteHarmonies(summary.patterns) {
        section.writeNote("* Harmony of \(patterns.joined(separator: ", ")): \(note).")
      }
    }
  }

  /// Writes what failed first as the takes were played; of what was read of a pattern or the run as a whole,
  /// what stands first.
  private func writeFirstFailure(to section: inout Markup) {
    guard let (reading, place) = firstFailure else { return }
    section.element("p", ["class": "failure"]) { text in
      text.element("strong", text: "Failed first: ")
      text.write(RunSummary.subject(of: reading))
      let value = Shown.value(of: reading, summary.scatter).map(Shown.typeset) ?? ""
      text.write(", \(value)")
      if let limit = reading.limit { text.write("; asked: \(limit)") }
      if let place { text.write(". Take \(place) of \(summary.takeCount) as played.") }
    }
  }

  private var firstFailure: (reading: Reading, place: Int?)? {
    var places: [String: [Int: Int]] = [:]
    for pattern in record.patterns {
      for take in pattern.takes { places[pattern.name, default: [:]][take.number] = take.place }
    }
    let failed = record.readings.filter { $0.verdict == .fail && $0.value != nil }.map { reading in
      (reading: reading, place: reading.take.flatMap { places[reading.pattern ?? ""]?[$0] })
    }
    return failed.min { ($0.place ?? .max) < ($1.place ?? .max) }
  }

  /// Writes the events that are farthest off, each with a link to its place on the time axis.
  func writeWorst(_ scores: [EventScore], to section: inout Markup) {
    section.writeFindings(
      "Worst events",
      scores.map { score in
        let take = score.take > 1 ? ", take \(score.take)" : ""
        return FindingLine(
          verdict: score.grade.verdict, word: score.grade.rawValue,
          subject: "\(score.pattern)\(take), \(score.name)", link: "#\(place(of: score))",
          detail: score.words)
      })
  }

  /// The identifier of an event's mark in its picture; of its pattern where the page has no such picture.
  private func place(of score: EventScore) -> String {
    let number = record.patterns.firstIndex { $0.name == score.pattern } ?? 0
    let pattern = "pattern-\(number + 1)"
    let index = shownFigures(of: score.pattern).firstIndex { figure in
      figure.take == score.take && figure.events.contains { $0.index == score.event }
    }
    guard let index else { return pattern }
    return FigureDrawing.identifier(ofEvent: score.event, in: Self.name(ofFigure: index, pattern))
  }

  private struct Column {
    let title: String
    var scale = 1.0
    let headline: @Sendable (PatternSummary) -> Headline?
  }

  private static let harmony = "Harmony"
  private static let columns = [
    Column(title: "Latency, ms", scale: 1e3) { $0.latency },
    Column(title: "Sync, ms", scale: 1e3) { $0.sync },
    Column(title: "Level error, dB") { $0.isCalibrated ? $0.intensityError : nil },
    Column(title: "Contrast, dB") { $0.contrast },
    Column(title: "Sharpness error, octave") { $0.sharpnessError },
    Column(title: "Out of reach, %", scale: 100) { $0.reach?.outside },
    Column(title: "Held at peak, ms", scale: 1e3) { $0.reach?.heldTime },
    Column(title: harmony) { $0.harmony },
  ]

  private func writePatterns(to section: inout Markup) {
    let rows = summary.patterns
    let columns = Self.columns.filter { column in rows.contains { column.headline($0) != nil } }
    let hasScores = rows.contains { $0.scored != nil }
    let titles =
      ["Pattern", "Verdict"] + (hasScores ? ["Events scored#"] : [])
      + columns.map { "\($0.title)#" }
    let table = PageTable(
      caption: "Summary of all patterns", hidesCaption: true, style: "summary",
      columns: titles.map { PageTable.Column(marked: $0) })
    table.write(to: &section) { box in
      for (index, summary) in rows.enumerated() {
        var cells = [
          PageTable.Cell(summary.pattern.name, link: "#pattern-\(index + 1)"),
          Self.cell(summary.pattern.verdict),
        ]
        if hasScores { cells.append(Self.cell(summary.scored)) }
        cells += columns.map { Self.cell($0, summary) }
        box.element("tbody") { body in
          table.write(cells, to: &body)
          body.element("tr", ["class": "outcome"]) { row in
            row.element("td", ["colspan": "\(titles.count)"]) {
              $0.element("div", text: PatternSentence.text(summary))
            }
          }
        }
        box.breakLine()
      }
    }
  }

  private static func cell(_ verdict: Verdict?) -> PageTable.Cell {
    verdict.map { PageTable.Cell($0) } ?? PageTable.Cell { $0.writeAbsence("not judged") }
  }

  private static func cell(_ scored: PatternSummary.Scored?) -> PageTable.Cell {
    scored.map { PageTable.Cell($0.short) } ?? PageTable.Cell { $0.writeAbsence("–") }
  }

  private static func cell(_ column: Column, _ summary: PatternSummary) -> PageTable.Cell {
    guard let headline = column.headline(summary) else {
      return PageTable.Cell { $0.writeAbsence("–", title: "no such reading") }
    }
    guard let value = headline.value else {
      return PageTable.Cell { $0.writeAbsence("not measured") }
    }
    let text = EngineeringFormat.text(
      value * column.scale, .one, uncertainty: headline.uncertainty.map { $0 * column.scale })
    return PageTable.Cell(column.title == harmony && headline.note != nil ? text + " *" : text)
  }

  private static let summaryNote = """
    Latency (how long after the command the response starts, the electrical delay removed) and harmony \
    (points of 100) are means of the takes, sync is the value farthest from zero, level, contrast and \
    sharpness errors are root mean squares over events; contrast is what is left of the level errors once \
    their mean is taken off. Out of reach is the share of the intent that the actuator does not reach under \
    its profile. ± is one standard uncertainty, no less than the same reading scatters over the takes. \
    What was not measured says why in its row, and spoils the verdict only where a limit requires it; a \
    reading without a limit is shown and not judged.
    """

  private func writeReasons(to section: inout Markup) {
    let shown = 20
    section.writeFindings(
      "What to look at",
      summary.reasons.prefix(shown).map { reason in
        FindingLine(
          verdict: reason.verdict, word: reason.verdict.rawValue, subject: reason.subject,
          detail: reason.detail)
      })
    if summary.reasons.count > shown {
      section.writeNote(
        "and \(summary.reasons.count - shown) more, marked in the tables below")
    }
  }
}
