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
