import Acceptance
import Units

extension HTMLPage {
  /// Writes the result: one row a pattern, then what a reader must look at.
  func writeSummary(to main: inout Markup) {
    main.writeSection("result", "Result") { section in
      writeFirstFailure(to: &section)
      writeReasons(to: &section)
      section.element("h3", text: "All patterns")
      writeTally(to: &section)
      let rows = PatternSummary.rows(of: record)
      Self.write(rows, to: &section)
      section.element("p", ["class": "note"], text: Self.summaryNote)
      for (note, patterns) in PatternSummary.incompleteHarmonies(rows) {
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
      let value = Shown.value(of: reading).map(Shown.typeset) ?? ""
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

  private static func write(_ rows: [PatternSummary], to section: inout Markup) {
    section.writeScroller("Summary of all patterns") { scroller in
      scroller.element("table", ["class": "summary"]) { table in
        table.element("caption", ["class": "hidden"], text: "Summary of all patterns")
        table.element("thead") { head in
          head.element("tr") { row in
            row.element("th", ["scope": "col"], text: "Pattern")
            row.element("th", ["scope": "col"], text: "Verdict")
            for name in [
              "Electrical latency", "Transport latency", "Audio-haptic sync", "Intensity error",
              "n",
              "Envelope correlation", "Harmony",
            ] {
              row.element("th", ["scope": "col", "class": "number"], text: name)
            }
          }
        }
        table.element("tbody") { body in
          for (index, summary) in rows.enumerated() {
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
              write(summary.electricalLatency, to: &row)
              write(summary.transportLatency, to: &row)
              write(summary.sync, to: &row)
              write(summary.intensityError, to: &row)
              row.element("td", ["class": "number"]) { cell in
                if let count = summary.intensityError?.count { cell.write("\(count)") }
              }
              write(summary.correlation, to: &row)
              write(summary.harmony, mark: summary.harmony?.note == nil ? nil : "*", to: &row)
            }
            body.breakLine()
          }
        }
      }
    }
  }

  private static let summaryNote =
    "Latencies, correlation and harmony (points of 100) are means of the takes, sync is the value farthest from zero, "
    + "the intensity error is the root mean square over n events. ± is one standard uncertainty. "
    + "What was not measured says why in its row, and spoils the verdict only where a limit requires "
    + "it; a reading without a limit is shown and not judged."

  private static func write(_ headline: Headline?, mark: String? = nil, to row: inout Markup) {
    row.element("td", ["class": "number"]) { cell in
      guard let headline else {
        cell.element("span", ["class": "absent", "title": "no such reading"], text: "–")
        return
      }
      guard let text = headline.text else {
        cell.element("span", ["class": "absent"], text: "not measured")
        return
      }
      cell.write(Shown.typeset(text) + (mark.map { " \($0)" } ?? ""))
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
