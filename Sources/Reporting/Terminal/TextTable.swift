/// Columns of text, each as wide as its widest cell.
public struct TextTable {
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
  public init(head: [String], rows: [[String]]) {
    self.init(alignments: head.indices.map { $0 == 0 ? .left : .right })
    add(head)
    for row in rows { add(row) }
  }

  /// The rows as lines, each with a line feed.
  public var text: String { lines.map { $0 + "\n" }.joined() }

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
