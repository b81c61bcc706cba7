// SPDX-License-Identifier: Apache-2.0

import Acceptance
package import Calibration
import Devices
package import JSONText
import Units

/// Colours of a terminal, and text that cannot steer it.
struct TerminalStyle {
  let isColored: Bool

  /// A text in the colour of a verdict, of none plain, with blanks up to a width behind it.
  func colored(_ text: String, _ verdict: Verdict?, width: Int = 0) -> String {
    let padding = text.padded(to: width).dropFirst(text.count)
    guard isColored, let verdict else { return text + padding }
    let code =
      switch verdict {
      case .pass: "32"
      case .marginal: "33"
      case .notMeasured: "35"
      case .fail: "31"
      }
    return "\u{1B}[\(code)m\(text)\u{1B}[0m\(padding)"
  }

  /// A text on one line without control characters, cut with an ellipsis where it is wider.
  static func plain(_ text: String, width: Int = .max) -> String {
    let plain = text.printable
    return plain.count > width ? plain.prefix(width - 1) + "…" : plain
  }
}

extension TerminalStyle {
  /// A sentence on lines of a report's width behind a mark that has some columns; the others begin below it.
  static func wrapped(_ text: String, behind mark: String, _ columns: Int) -> [String] {
    var lines = wrapped(text, indent: "".padded(to: columns))
    if !lines.isEmpty { lines[0] = mark + lines[0].dropFirst(columns) }
    return lines
  }

  /// A sentence on lines of some width; the first begins with the indent where the others do.
  ///
  /// A word that is longer than a line is broken.
  static func wrapped(
    _ text: String, indent: String, width: Int = TextReport.width
  ) -> [String] {
    let room = width - indent.count
    var lines: [String] = []
    var line = ""
    for word in plain(text).split(separator: " ") {
      if !line.isEmpty, line.count + 1 + word.count > room {
        lines.append(line)
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
      while line.count > room {
        lines.append(String(line.prefix(room)))
        line.removeFirst(room)
      }
    }
    return (lines + (line.isEmpty ? [] : [line])).map { indent + $0 }
  }
}

extension TerminalStyle {
  /// Terms with their meanings.
  static func meanings(of terms: [Term]) -> [String] {
    terms.flatMap { wrapped("\($0.rawValue): \($0.meaning)", behind: "  ", 4) }
  }
}

package struct TextTable {
  enum Alignment {
    case left
    case right
  }

  private struct Row {
    let cells: [String]
    /// The column whose text has a verdict's colour.
    let coloured: (column: Int, verdict: Verdict?)?
  }

  private let alignments: [Alignment]
  private let style: TerminalStyle
  /// A row without cells is a rule, one of a single cell a heading.
  private var rows: [Row] = []

  init(alignments: [Alignment], style: TerminalStyle = TerminalStyle(isColored: false)) {
    self.alignments = alignments
    self.style = style
  }

  /// Makes a table of a head and rows; all but the first column stand right.
  package init(head: [String], rows: [[String]]) {
    self.init(alignments: head.indices.map { $0 == 0 ? .left : .right })
    for row in [head] + rows { add(row) }
  }

  package var text: String { lines.map { $0 + "\n" }.joined() }

  mutating func add(_ cells: [String], coloured: (column: Int, verdict: Verdict?)? = nil) {
    precondition(
      cells.count == alignments.count, "a row needs \(alignments.count) cells, not \(cells.count)")
    rows.append(Row(cells: cells, coloured: coloured))
  }

  /// Adds a line across all columns.
  mutating func add(heading: String) { rows.append(Row(cells: [heading], coloured: nil)) }

  mutating func addRule() { rows.append(Row(cells: [], coloured: nil)) }

  var lines: [String] {
    let widths = alignments.indices.map { column in
      rows.map { $0.cells.count < alignments.count ? 0 : $0.cells[column].count }.max() ?? 0
    }
    return rows.map { row in
      if row.cells.isEmpty {
        return widths.map { String(repeating: "-", count: $0) }.joined(separator: "  ")
      }
      if row.cells.count < alignments.count { return row.cells[0] }
      let cells = row.cells.enumerated().map { column, text in
        let verdict = row.coloured?.column == column ? row.coloured?.verdict : nil
        let padding = String(repeating: " ", count: widths[column] - text.count)
        let shown = style.colored(text, verdict)
        return alignments[column] == .right ? padding + shown : shown + padding
      }
      var line = cells.joined(separator: "  ")
      while line.last == " " { line.removeLast() }
      return line
    }
  }
}

/// How often a line that is written over is drawn: ten times a second at the most, and the last state always,
/// by any clock in seconds that only goes forward.
package struct RedrawPace: Sendable {
  package enum Answer: Sendable, Hashable {
    case draw
    /// It is kept; `due` is to be asked after so many seconds.
    case wait(Double)
    /// It is kept, and somebody already waits.
    case keep
  }

  /// The shortest time between two drawings, in seconds.
  package static let interval = 0.1

  private var drawn = -Double.infinity
  private var waiting: String?

  package init() {}

  package mutating func show(_ text: String, at now: Double) -> Answer {
    let rest = drawn + Self.interval - now
    guard rest > 0 else {
      (drawn, waiting) = (now, nil)
      return .draw
    }
    defer { waiting = text }
    return waiting == nil ? .wait(rest) : .keep
  }

  /// What is to be drawn now that a wait is over; nil where nothing waits, or was drawn just now.
  package mutating func due(at now: Double) -> String? {
    // A clock's last digits: a wait may end a trifle early.
    guard let text = waiting, now - drawn > 0.99 * Self.interval else { return nil }
    (drawn, waiting) = (now, nil)
    return text
  }

  package mutating func clear() { waiting = nil }
}

package enum RemainingTime {
  /// `2 min 10 s left` of so many seconds, rounded up to what a person waits for.
  package static func text(_ seconds: Double) -> String {
    let seconds = Int(min(max(0, seconds.rounded(.up)), 1e9))
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
    if hours > 0 { return "\(hours) h \(minutes) min left" }
    // Nobody waits for the second while it takes long.
    if minutes >= 10 { return "\(minutes) min left" }
    return minutes > 0 ? "\(minutes) min \(seconds % 60) s left" : "\(seconds) s left"
  }
}

package struct CheckTable {
  private let outcome: CalibrationCheck.Outcome

  package init(outcome: CalibrationCheck.Outcome) { self.outcome = outcome }

  package var text: String {
    let table = TextTable(
      head: ["", "profile", "now", "sigmas", ""],
      rows: outcome.findings.map { finding in
        [
          Self.words(of: finding.name)
            + (finding.drive.map { " at \(EngineeringFormat.text($0, .volt))" } ?? ""),
          finding.shown(finding.expected, uncertainty: finding.expectedUncertainty),
          finding.shown(finding.found, uncertainty: finding.foundUncertainty),
          EngineeringFormat.fixed(finding.sigmas, 1),
          finding.verdict.rawValue,
        ]
      })
    return table.text + daily + outcome.summary + "\n"
  }

  /// A finding's name in plain words, with the symbol that people know it by.
  private static func words(of name: String) -> String {
    ["f0": "resonance (f0)", "q": "quality factor (Q)"][name] ?? name
  }

  /// What the sigmas count that stands in no column.
  private var daily: String {
    let shares = outcome.findings.filter { $0.daily > 0 }.map {
      "\($0.name) \(EngineeringFormat.significant(100 * $0.daily)) %"
    }
    guard !shares.isEmpty else { return "" }
    return "  ± is one standard deviation of the measurements; the sigmas also count what an "
      + "undisturbed actuator does from day to day: \(shares.joined(separator: ", "))\n"
  }

  package var json: JSONValue {
    let findings = outcome.findings.map { finding in
      JSONValue.object(all: [
        "name": finding.name, "unit": finding.unit, "drive": finding.drive,
        "expected": Self.value(finding.expected, finding.expectedUncertainty),
        "found": Self.value(finding.found, finding.foundUncertainty), "daily": finding.daily,
        "sigmas": finding.sigmas, "verdict": finding.verdict.rawValue,
      ])
    }
    return .object(of: [
      "hasDrifted": outcome.hasDrifted, "summary": outcome.summary, "findings": findings,
    ])
  }

  private static func value(_ value: Double, _ uncertainty: Double) -> JSONValue {
    .object(of: ["value": value, "uncertainty": uncertainty])
  }
}
