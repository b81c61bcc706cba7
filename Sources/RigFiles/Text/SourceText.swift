/// A place in a text: line and column from 1, columns in Unicode scalars as YAML marks count them.
struct Position: Sendable, Equatable {
  var line = 1
  var column = 1
}

/// The text of a file, which knows how to show a place in itself.
struct SourceText: Sendable {
  let file: String
  let text: String

  /// Makes the error of a place.
  func error(at position: Position, _ message: String) -> RigFileError {
    RigFileError(
      file: file, line: position.line, column: position.column, message: printable(message),
      snippet: snippet(at: position))
  }

  /// The position of an index.
  func position(of index: String.Index) -> Position {
    var cursor = Cursor()
    for scalar in text.unicodeScalars[..<index] { cursor.advance(over: scalar) }
    return cursor.position
  }

  private func snippet(at position: Position) -> String {
    let line = line(position.line)
    let before = min(position.column - 1, line.count)
    let start = line.count <= 100 ? 0 : max(0, before - 60)
    var shown = String.UnicodeScalarView()
    shown.append(contentsOf: line[start...].prefix(100))
    let indent = line[start..<before].map { $0 == "\t" ? "\t" : " " }.joined()
    return "\(printable(String(shown)))\n\(indent)^"
  }

  private func line(_ number: Int) -> [Unicode.Scalar] {
    var cursor = Cursor()
    var line: [Unicode.Scalar] = []
    for scalar in text.unicodeScalars where cursor.position.line <= number {
      if cursor.position.line == number, !Cursor.breaks.contains(scalar) { line.append(scalar) }
      cursor.advance(over: scalar)
    }
    return line
  }

  /// A text that is safe on a terminal: control characters become replacement characters.
  private func printable(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      let isControl = scalar.properties.generalCategory == .control && scalar != "\t"
      result.append(isControl ? "\u{FFFD}" : scalar)
    }
    return String(result)
  }
}

/// Counts lines and columns over a text, with the line breaks of YAML 1.1.
struct Cursor {
  static let breaks: Set<Unicode.Scalar> = ["\n", "\r", "\u{85}", "\u{2028}", "\u{2029}"]

  private(set) var position = Position()
  private var isAfterReturn = false

  mutating func advance(over scalar: Unicode.Scalar) {
    let endsPair = isAfterReturn && scalar == "\n"
    isAfterReturn = scalar == "\r"
    if endsPair { return }
    if Self.breaks.contains(scalar) {
      position = Position(line: position.line + 1, column: 1)
    } else {
      position.column += 1
    }
  }
}
