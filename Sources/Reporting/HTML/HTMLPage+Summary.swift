import Acceptance
import Units

extension HTMLPage {
  /// Writes the result: how each pattern came out, in words and in numbers, and where to look first.
  func writeSummary(to main: inout Markup) {
    main.writeSection("result", "Result") { section in
      writeFirstFailure(to: &section)
      for warning in ActuatorReach.warnings(summary.patterns) { section.writeWarning(warning) }
      writeWorst(summary.events.worst(), title: "Worst events", to: &section)
      section.element("h3", text: "All patterns")
      Self.write(summary.patterns, to: &section)
      writeReasons(to: &section)
      section.element("h3", text: "All readings")
      writeTally(to: &section)
      section.element("p", ["class": "note"], text: Self.summaryNote)
      for (note, patterns) in PatternSummary.incompleteHarmonies(summary.patterns) {
        section.element(
          "p", ["class": "note"],
          text: "* Harmony of \(patterns.joined(separator: ", ")): \(note).")
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
      (reading, reading.take.flatMap { places[reading.pattern ?? ""]?[$0] })
    }
    let earliest = failed.min { ($0.1 ?? .max) < ($1.1 ?? .max) }
    return earliest.map { (reading: $0.0, place: $0.1) }
  }

  /// Writes how many readings had which verdict.
  private func writeTally(to section: inout Markup) {
    section.element("p", ["class": "tally"]) { tally in
      for verdict in [Verdict.pass, .marginal, .fail, .notMeasured] {
        let count = record.readings.count { $0.verdict == verdict }
        tally.element("span") { item in
          item.element("b", text: "\(count)")
          item.write(" \(verdict.rawValue)")
        }
      }
      let free = record.readings.count { $0.verdict == nil }
      tally.element("span") { item in
        item.element("b", text: "\(free)")
        item.write(" without a limit")
      }
    }
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

  private static func write(_ rows: [PatternSummary], to section: inout Markup) {
    let columns = columns.filter { column in rows.contains { column.headline($0) != nil } }
    let hasScores = rows.contains { $0.scored != nil }
    section.writeScroller("Summary of all patterns") { scroller in
      scroller.element("table", ["class": "summary"]) { table in
        table.element("caption", ["class": "hidden"], text: "Summary of all patterns")
        table.writeTableHead(
          ["Pattern", "Verdict"] + (hasScores ? ["Events scored"] : []) + columns.map(\.title),
          numbers: Set(["Events scored"] + columns.map(\.title)))
        for (index, summary) in rows.enumerated() {
          table.element("tbody") { body in
            body.element("tr") { row in
              row.element("th", ["scope": "row"]) { cell in
                cell.element("a", ["href": "#pattern-\(index + 1)"], text: summary.pattern.name)
              }
              row.element("td") { cell in
                if let verdict = summary.pattern.verdict {
                  cell.writeBadge(verdict)
                } else {
                  cell.element("span", ["class": "absent"], text: "not judged")
                }
              }
              if hasScores {
                row.element("td", ["class": "number"]) { cell in
                  guard let scored = summary.scored else {
                    return cell.element("span", ["class": "absent"], text: "–")
                  }
                  cell.write(scored.short)
                }
              }
              for column in columns { write(column, summary, to: &row) }
            }
            body.element("tr", ["class": "outcome"]) { row in
              row.element("td", ["colspan": "\(columns.count + (hasScores ? 3 : 2))"]) {
                $0.element("div", text: PatternSentence.text(summary))
              }
            }
          }
          table.breakLine()
        }
      }
    }
  }

  private static let summaryNote =
    "Latency (how long after the command the response starts, the electrical delay removed) and harmony (points of "
    + "100) are means of the takes, sync is the value farthest from zero, level, contrast and sharpness errors are "
    + "root mean squares over events; contrast is what is left of the level errors once their mean is taken off. "
    + "Out of reach is the share of the intent that the actuator does not reach under its profile. "
    + "± is one standard uncertainty, no less than the same reading scatters over the takes. "
    + "What was not measured says why in its row, and spoils the verdict only where a limit requires "
    + "it; a reading without a limit is shown and not judged."

  private static func write(_ column: Column, _ summary: PatternSummary, to row: inout Markup) {
    row.element("td", ["class": "number"]) { cell in
      guard let headline = column.headline(summary) else {
        cell.element("span", ["class": "absent", "title": "no such reading"], text: "–")
        return
      }
      guard let value = headline.value else {
        cell.element("span", ["class": "absent"], text: "not measured")
        return
      }
      cell.write(
        EngineeringFormat.text(
          value * column.scale, .one, uncertainty: headline.uncertainty.map { $0 * column.scale }))
      if column.title == harmony, headline.note != nil { cell.write(" *") }
    }
  }

  private func writeReasons(to section: inout Markup) {
    guard !summary.reasons.isEmpty else { return }
    let shown = 20
    section.element("h3", text: "What to look at")
    section.element("ul", ["class": "reasons"]) { list in
      for reason in summary.reasons.prefix(shown) {
        list.element("li") { item in
          item.writeBadge(reason.verdict)
          item.element("span", ["class": "subject"], text: reason.subject)
          item.element("span", ["class": "detail"], text: reason.detail)
        }
      }
    }
    guard summary.reasons.count > shown else { return }
    section.element(
      "p", ["class": "note"],
      text: "and \(summary.reasons.count - shown) more, marked in the tables below")
  }
}
