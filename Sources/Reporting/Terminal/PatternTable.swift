import Acceptance
import Units

/// A row a pattern: its verdict and what people ask for first.
struct PatternTable {
  private struct Column {
    let title: String
    let unit: String
    let cell: @Sendable (PatternSummary) -> Cell?
  }

  /// What a cell says; `nil` where the pattern has no such reading.
  private struct Cell {
    let text: String

    init(_ text: String) { self.text = text }

    init?(_ headline: Headline?, scale: Double = 1) {
      guard let headline else { return nil }
      text =
        headline.value.map {
          EngineeringFormat.concise($0, uncertainty: headline.uncertainty, scale: scale)
        } ?? "n/m"
    }
  }

  private static let harmony = "harmony"
  private static let columns = [
    Column(title: "scored", unit: "events") {
      $0.scored.map { Cell($0.short) }
    },
    Column(title: "latency", unit: "ms") { Cell($0.latency, scale: 1e3) },
    Column(title: "sync", unit: "ms") { Cell($0.sync, scale: 1e3) },
    Column(title: "level", unit: "dB") { $0.isCalibrated ? Cell($0.intensityError) : nil },
    Column(title: "contrast", unit: "dB") { $0.isCalibrated ? nil : Cell($0.contrast) },
    Column(title: "sharpness", unit: "octave") { Cell($0.sharpnessError) },
    Column(title: "beyond", unit: "%") { row in
      row.reach?.outside.value.map { Cell(EngineeringFormat.fixed(100 * $0, 1)) }
    },
    Column(title: "held", unit: "ms") { row in
      row.reach?.heldTime?.value.map { Cell(EngineeringFormat.fixed(1e3 * $0, 1)) }
    },
    Column(title: harmony, unit: "") { row in
      Cell(row.harmony).map { Cell($0.text + (row.harmony?.note == nil ? "" : "*")) }
    },
  ]

  private let rows: [PatternSummary]
  /// What some pattern has a reading of.
  private let columns: [Column]

  init(_ rows: [PatternSummary]) {
    self.rows = rows
    columns = Self.columns.filter { column in rows.contains { column.cell($0) != nil } }
  }

  /// The table; names are cut where it would be wider than a report.
  func lines(_ style: TerminalStyle) -> [String] {
    let width = 18
    let lines = lines(style, nameWidth: width)
    // Colours have no width.
    let plain =
      style.isColored ? self.lines(TerminalStyle(isColored: false), nameWidth: width) : lines
    let excess = (plain.map(\.count).max() ?? 0) - TextReport.width
    return (excess > 0 ? self.lines(style, nameWidth: max(6, width - excess)) : lines)
      + PatternSummary.incompleteHarmonies(rows).map { note, patterns in
        TerminalStyle.plain(
          "* \(Self.harmony) \(note): \(patterns.joined(separator: ", "))", width: TextReport.width)
      }
  }

  private func lines(_ style: TerminalStyle, nameWidth: Int) -> [String] {
    var table = TextTable(alignments: [.left, .left] + columns.map { _ in .right })
    table.add(["pattern", "verdict"] + columns.map(\.title))
    table.add(["", ""] + columns.map(\.unit))
    table.addRule()
    for row in rows {
      let verdict = row.pattern.verdict
      table.add(
        [
          TerminalStyle.plain(row.pattern.name, width: nameWidth),
          verdict?.rawValue ?? "not judged",
        ] + columns.map { $0.cell(row)?.text ?? "-" },
        styling: { column, text in
          column == 1 ? verdict.map { style.colored(text, $0) } ?? text : text
        })
    }
    return table.lines
  }
}
