// SPDX-License-Identifier: Apache-2.0

/// Reads the part of TOML that a configuration needs: lines of `key = "text"`, blank lines and comments.
///
/// All that it reads means in TOML what it means here. What else TOML has (tables, numbers, lists, texts of several
/// lines) is refused where it begins. The library that was tried ends the program at some broken files
/// (docs/decisions/056-one-configuration.md).
struct TOMLLines {
  struct Entry {
    let key: String
    let keyPosition: Position
    let value: String
    let valuePosition: Position
  }

  /// Looks at a key before its value is read, and gives a value that it can have, for messages.
  typealias KeyCheck = (_ key: String, Position) throws(RigFileError) -> String

  private let source: SourceText
  private let scalars: [Unicode.Scalar]
  private var index = 0
  private var cursor = Cursor()

  init(_ source: SourceText) {
    self.source = source
    scalars = Array(source.text.unicodeScalars)
  }

  /// Reads the next line that has a key, or gives `nil` at the end.
  mutating func next(checking check: KeyCheck) throws(RigFileError) -> Entry? {
    while true {
      skipBlanks()
      guard let first = current else { return nil }
      if !isAtEndOfLine { return try entry(from: first, checking: check) }
      try endLine()
    }
  }

  private mutating func entry(
    from first: Unicode.Scalar, checking check: KeyCheck
  ) throws(RigFileError) -> Entry {
    let keyPosition = cursor.position
    var key = ""
    while let scalar = current, Self.isOfKey(scalar) { key.unicodeScalars.append(take(scalar)) }
    guard !key.isEmpty else {
      throw source.error(
        at: keyPosition,
        first == "["
          ? "tables are not read: a configuration is lines such as rig = \"rigs/bench-1.yaml\""
          : "no key begins here: write a line such as rig = \"rigs/bench-1.yaml\"")
    }
    let whole = "\(key) = \"\(try check(key, keyPosition))\""
    skipBlanks()
    guard current == "=" else { throw error("an equal sign is missing here: write \(whole)") }
    _ = take("=")
    skipBlanks()
    let valuePosition = cursor.position
    guard let quote = current, quote == "\"" || quote == "'" else {
      throw error("\(key.quoted) takes a text in quotes: write \(whole)")
    }
    let value = try text(in: quote)
    skipBlanks()
    guard current == nil || isAtEndOfLine else {
      throw error("the line goes on after its text: write one key a line")
    }
    try endLine()
    return Entry(
      key: key, keyPosition: keyPosition, value: value, valuePosition: valuePosition)
  }

  private mutating func text(in quote: Unicode.Scalar) throws(RigFileError) -> String {
    let start = cursor.position
    _ = take(quote)
    var text = String.UnicodeScalarView()
    while let scalar = current, !Cursor.breaks.contains(scalar) {
      if scalar == quote {
        _ = take(scalar)
        guard text.isEmpty, current == quote else { return String(text) }
        throw source.error(at: start, "a text of several lines is not read: write it in one line")
      }
      // In single quotes a backslash is one.
      let isEscaped = scalar == "\\" && quote == "\""
      let place = cursor.position
      let meant = isEscaped ? try escaped() : take(scalar)
      guard meant.properties.generalCategory != .control else {
        throw source.error(at: place, "a control character stands here: remove it")
      }
      text.append(meant)
    }
    throw source.error(at: start, "the text is not closed on its line: end it with \(quote)")
  }

  /// What a backslash and the characters after it stand for.
  private mutating func escaped() throws(RigFileError) -> Unicode.Scalar {
    let place = cursor.position
    _ = take("\\")
    guard let letter = current else {
      throw source.error(at: place, "nothing follows the backslash")
    }
    _ = take(letter)
    switch letter {
    case "\"", "\\": return letter
    case "b": return "\u{8}"
    case "t": return "\t"
    case "n": return "\n"
    case "f": return "\u{C}"
    case "r": return "\r"
    case "u", "U":
      var digits = ""
      while digits.count < (letter == "u" ? 4 : 8), let scalar = current,
        scalar.properties.isASCIIHexDigit
      {
        digits.unicodeScalars.append(take(scalar))
      }
      guard digits.count == (letter == "u" ? 4 : 8), let code = UInt32(digits, radix: 16),
        let scalar = Unicode.Scalar(code)
      else {
        throw source.error(at: place, "this is no character: write \\u and four hexadecimal digits")
      }
      return scalar
    default:
      throw source.error(
        at: place, "TOML has no '\\\(letter)': write \\\\ for a backslash, or single quotes")
    }
  }

  /// Takes a comment and the end of the line.
  private mutating func endLine() throws(RigFileError) {
    while let scalar = current, !Cursor.breaks.contains(scalar) {
      guard scalar == "\t" || scalar.properties.generalCategory != .control else {
        throw error("a control character stands here: remove it")
      }
      _ = take(scalar)
    }
    if let scalar = current { _ = take(scalar) }
  }

  private static func isOfKey(_ scalar: Unicode.Scalar) -> Bool {
    ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
      || scalar == "_" || scalar == "-"
  }

  private var current: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

  private var isAtEndOfLine: Bool {
    current.map { $0 == "#" || Cursor.breaks.contains($0) } ?? false
  }

  private mutating func take(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    index += 1
    cursor.advance(over: scalar)
    return scalar
  }

  private mutating func skipBlanks() {
    while let scalar = current, scalar == " " || scalar == "\t" { _ = take(scalar) }
  }

  private func error(_ message: String) -> RigFileError {
    source.error(at: cursor.position, message)
  }
}
