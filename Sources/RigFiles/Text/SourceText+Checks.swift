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
    guard bytes.count <= Self.sizeLimit else {
      throw SourceText(file: file, text: "").error(
        at: Position(),
        "the file has \(bytes.count) bytes: a rig file or a plan has at most \(Self.sizeLimit)")
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
    try checkCharacters()
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
