import Acceptance
import Devices

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

  private struct Row {
    let cells: [String]
    /// The column whose text has a verdict's colour.
    let coloured: (column: Int, verdict: Verdict?)?
  }

  private let alignments: [Alignment]
  private let style: TerminalStyle
  /// A row without cells is a rule.
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

  /// The rows as lines, each with a line feed.
  package var text: String { lines.map { $0 + "\n" }.joined() }

  mutating func add(_ cells: [String], coloured: (column: Int, verdict: Verdict?)? = nil) {
    precondition(
      cells.count == alignments.count, "a row needs \(alignments.count) cells, not \(cells.count)")
    rows.append(Row(cells: cells, coloured: coloured))
  }

  mutating func addRule() { rows.append(Row(cells: [], coloured: nil)) }

  /// The rows, without blanks at their ends.
  var lines: [String] {
    let widths = alignments.indices.map { column in
      rows.map { $0.cells.isEmpty ? 0 : $0.cells[column].count }.max() ?? 0
    }
    return rows.map { row in
      if row.cells.isEmpty {
        return widths.map { String(repeating: "-", count: $0) }.joined(separator: "  ")
      }
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
