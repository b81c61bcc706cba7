// SPDX-License-Identifier: Apache-2.0

/// What is wrong with a rig file, a plan or a configuration, and where.
package struct RigFileError: Error, Equatable, CustomStringConvertible {
  package let file: String
  package let line: Int
  /// The column in Unicode scalars, from 1.
  package let column: Int
  /// One sentence: what is wrong, what was expected, what to write.
  package let message: String
  /// The source line, and under it a caret; a long line is cut to what surrounds the column.
  package let snippet: String
  /// The key that is lacking, and a value that it could have; `nil` for what is there and wrong.
  var missing: Missing?
  /// The word that was probably meant in the place of the one that stands here.
  var meant: String?
  /// Whether a key is refused for what another one says.
  var isRefusal = false

  struct Missing: Equatable {
    let key: String
    let example: String
    /// Where the map stands that lacks it.
    let map: Position
  }

  var position: Position { Position(line: line, column: column) }

  /// The place and the sentence, then the snippet on lines of its own.
  package var description: String { "\(file):\(line):\(column): \(message)\n\(snippet)" }
}

/// A place in a text: line and column from 1, columns in Unicode scalars as YAML marks count them.
struct Position: Sendable, Equatable {
  var line = 1
  var column = 1
}

/// The text of a file, which knows how to show a place in itself.
struct SourceText: Sendable {
  let file: String
  let text: String

  func error(at position: Position, _ message: String) -> RigFileError {
    RigFileError(
      file: file, line: position.line, column: position.column, message: printable(message),
      snippet: snippet(at: position))
  }

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

extension SourceText {
  /// The most bytes that a rig file or a plan may have.
  static let sizeLimit = 1 << 20

  /// The most places that may look like an alias, strings and comments included.
  ///
  /// Aliases are refused where the tree is built; this keeps a file from growing exponentially
  /// before that point.
  private static let aliasLimit = 8

  /// Decodes a file, and refuses what YAML does not allow or a person cannot see.
  init(bytes: [UInt8], file: String) throws(RigFileError) {
    try self.init(
      decoding: bytes, file: file, limit: Self.sizeLimit, of: "a rig file or a plan")
    try checkCharacters()
  }

  /// Decodes a file of at most so many bytes, with `kind` as messages call it.
  init(
    decoding bytes: [UInt8], file: String, limit: Int, of kind: String
  ) throws(RigFileError) {
    guard bytes.count <= limit else {
      throw SourceText(file: file, text: "").error(
        at: Position(), "the file has \(bytes.count) bytes: \(kind) has at most \(limit)")
    }
    var text = ""
    do {
      text = String(copying: try UTF8Span(validating: bytes.span))
    } catch {
      let valid = String(decoding: bytes[..<error.byteOffsets.lowerBound], as: UTF8.self)
      let place = SourceText(file: file, text: valid).position(of: valid.endIndex)
      throw SourceText(file: file, text: String(decoding: bytes, as: UTF8.self)).error(
        at: place, "the bytes from here are not UTF-8: save the file as UTF-8")
    }
    if text.unicodeScalars.first == "\u{FEFF}" { text.unicodeScalars.removeFirst() }
    self.init(file: file, text: text)
  }

  private func checkCharacters() throws(RigFileError) {
    var cursor = Cursor()
    var previous: Unicode.Scalar = "\n"
    var aliases = 0
    var tab: Position?
    var isIndentation = true
    for scalar in text.unicodeScalars {
      if !Self.isAllowed(scalar) {
        throw error(at: cursor.position, Self.refusal(of: scalar))
      }
      if Cursor.breaks.contains(scalar) {
        (isIndentation, tab) = (true, nil)
      } else if isIndentation, scalar == "\t" {
        tab = tab ?? cursor.position
      } else if isIndentation, scalar != " " {
        isIndentation = false
        if let tab, scalar != "#" { throw error(at: tab, Self.tabMessage) }
      }
      // An alias is '*name' after anything but a letter or digit.
      if previous == "*", Self.isWord(scalar) { aliases += 1 }
      if aliases > Self.aliasLimit {
        let star = Position(line: cursor.position.line, column: cursor.position.column - 1)
        throw error(
          at: star, "the file is full of aliases (*name): write each value out")
      }
      if scalar != "*" || !Self.isWord(previous) { previous = scalar }
      cursor.advance(over: scalar)
    }
  }

  static let tabMessage = "a tab stands in the indentation, which YAML does not allow: use spaces"

  private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
      || "-_".unicodeScalars.contains(scalar)
  }

  /// The characters that YAML 1.1 calls printable.
  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A, 0x0D, 0x20...0x7E, 0x85, 0xA0...0xD7FF, 0xE000...0xFEFE, 0xFF00...0xFFFD,
      0x10000...:
      true
    default: false
    }
  }

  private static func refusal(of scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16, uppercase: true)
    let code = "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    return scalar == "\0"
      ? "a NUL byte stands here: this is not a text file, or it was damaged"
      : "the character \(code) is not allowed in YAML: remove it"
  }
}
