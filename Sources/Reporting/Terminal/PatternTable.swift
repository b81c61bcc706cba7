import Acceptance
import Units

/// A row a pattern: its verdict and what people ask for first.
struct PatternTable {
  private struct Column {
    let title: String
    let unit: String
    let scale: Double
    let headline: @Sendable (PatternSummary) -> Headline?
  }

  private static let harmony = "harmony"
  private static let columns = [
    Column(title: "sync", unit: "ms", scale: 1e3) { $0.sync },
    Column(title: "latency", unit: "ms", scale: 1e3) { $0.transportLatency },
    Column(title: "intensity", unit: "dB", scale: 1) { $0.intensityError },
    Column(title: "sharpness", unit: "octave", scale: 1) { $0.sharpnessError },
    Column(title: "J", unit: "", scale: 1) { $0.consistency },
    Column(title: harmony, unit: "", scale: 1) { $0.harmony },
    Column(title: "xruns", unit: "", scale: 1) { $0.xruns },
  ]

  private let rows: [PatternSummary]
  /// What some pattern has a reading of.
  private let columns: [Column]

  init(_ record: RunRecord) {
    let rows = PatternSummary.rows(of: record)
    self.rows = rows
    columns = Self.columns.filter { column in rows.contains { column.headline($0) != nil } }
  }

  func lines(_ style: TerminalStyle) -> [String] {
    var table = TextTable(alignments: [.left, .left] + columns.map { _ in .right })
    table.add(["pattern", "verdict"] + columns.map(\.title))
    table.add(["", ""] + columns.map(\.unit))
    table.addRule()
    for row in rows {
      let verdict = row.pattern.verdict
      table.add(
        [
          TerminalStyle.plain(row.pattern.name, width: 18), verdict?.rawValue ?? "not judged",
        ]
          + columns.map { column in
            let headline = column.headline(row)
            let mark = column.title == Self.harmony && headline?.note != nil ? "*" : ""
            return Self.cell(headline, scale: column.scale) + mark
          },
        styling: { column, text in
          column == 1 ? verdict.map { style.colored(text, $0) } ?? text : text
        })
    }
    return table.lines
      + PatternSummary.incompleteHarmonies(rows).map { note, patterns in
        TerminalStyle.plain(
          "* \(Self.harmony) \(note): \(patterns.joined(separator: ", "))", width: TextReport.width)
      }
  }

  private static func cell(_ headline: Headline?, scale: Double) -> String {
    guard let headline else { return "-" }
    guard let value = headline.value else { return "n/m" }
    return ConciseNumber.text(value, uncertainty: headline.uncertainty, scale: scale)
  }
}
