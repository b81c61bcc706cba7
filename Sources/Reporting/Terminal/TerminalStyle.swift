import Acceptance

/// Colours of a terminal, and text that cannot steer it.
struct TerminalStyle {
  let isColored: Bool

  /// The word of a verdict in its colour.
  func verdict(_ verdict: Verdict) -> String { colored(verdict.rawValue, verdict) }

  /// A text in the colour of a verdict; of none, plain.
  func colored(_ text: String, _ verdict: Verdict?) -> String {
    guard isColored, let verdict else { return text }
    let code =
      switch verdict {
      case .pass: "32"
      case .marginal: "33"
      case .notMeasured: "35"
      case .fail: "31"
      }
    return "\u{1B}[\(code)m\(text)\u{1B}[0m"
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
    var lines = wrapped(text, indent: String(repeating: " ", count: columns))
    if !lines.isEmpty { lines[0] = mark + lines[0].dropFirst(columns) }
    return lines
  }

  /// A sentence on lines of a report's width; the first begins with the indent where the others do.
  static func wrapped(_ text: String, indent: String) -> [String] {
    var lines: [String] = []
    var line = indent
    for word in plain(text).split(separator: " ") {
      if line.count > indent.count, line.count + 1 + word.count > TextReport.width {
        lines.append(line)
        line = indent
      }
      line += (line.count > indent.count ? " " : "") + word
    }
    return lines + (line.count > indent.count ? [line] : [])
  }
}

/// Columns of text, each as wide as its widest cell.
package struct TextTable {
  enum Alignment {
    case left
    case right
  }

  private enum Row {
    case cells([String], styling: (Int, String) -> String)
    case rule
  }

  private static let gap = "  "
  let alignments: [Alignment]
  private var rows: [Row] = []

  init(alignments: [Alignment]) { self.alignments = alignments }

  /// Makes a table of a head and rows; all but the first column stand right.
  package init(head: [String], rows: [[String]]) {
    self.init(alignments: head.indices.map { $0 == 0 ? .left : .right })
    add(head)
    for row in rows { add(row) }
  }

  /// The rows as lines, each with a line feed.
  package var text: String { lines.map { $0 + "\n" }.joined() }

  /// Adds a row; `styling` puts sequences without width around a cell of a column.
  mutating func add(
    _ cells: [String], styling: @escaping (Int, String) -> String = { _, text in text }
  ) {
    precondition(
      cells.count == alignments.count, "a row needs \(alignments.count) cells, not \(cells.count)")
    rows.append(.cells(cells, styling: styling))
  }

  mutating func addRule() { rows.append(.rule) }

  /// The rows, without blanks at their ends.
  var lines: [String] {
    let widths = alignments.indices.map { column in
      rows.map { row in if case .cells(let cells, _) = row { cells[column].count } else { 0 } }
        .max() ?? 0
    }
    return rows.map { row in
      switch row {
      case .rule: widths.map { String(repeating: "-", count: $0) }.joined(separator: Self.gap)
      case .cells(let cells, let styling):
        line(
          cells.enumerated().map { column, text in
            let padding = String(repeating: " ", count: widths[column] - text.count)
            let styled = styling(column, text)
            return alignments[column] == .right ? padding + styled : styled + padding
          })
      }
    }
  }

  private func line(_ cells: [String]) -> String {
    var text = cells.joined(separator: Self.gap)
    while text.last == " " { text.removeLast() }
    return text
  }
}
