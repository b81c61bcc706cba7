extension JSONValue {
  /// Prints the value as JSON, the same text for the same value everywhere.
  ///
  /// Doubles take the fewest digits that read back as the same number and always show a fraction or an
  /// exponent. Strings escape what RFC 8259 asks for and nothing else. No line feed follows the end.
  /// A number that is not finite is a programmer's error and traps: JSON has no word for it.
  ///
  /// - Parameters:
  ///   - indent: How many blanks a level is indented by; nil prints one line without blanks.
  ///   - sortedKeys: Whether members are ordered by the UTF-8 bytes of their keys, not as they stand.
  /// - Returns: The text.
  public func text(indent: Int? = 2, sortedKeys: Bool = false) -> String {
    String(decoding: utf8(indent: indent, sortedKeys: sortedKeys), as: UTF8.self)
  }

  /// Prints the value as the UTF-8 bytes of ``text(indent:sortedKeys:)``.
  ///
  /// - Parameters:
  ///   - indent: How many blanks a level is indented by; nil prints one line without blanks.
  ///   - sortedKeys: Whether members are ordered by the UTF-8 bytes of their keys, not as they stand.
  /// - Returns: The bytes of the text.
  public func utf8(indent: Int? = 2, sortedKeys: Bool = false) -> [UInt8] {
    precondition((indent ?? 0) >= 0, "indent is \(indent ?? 0); it must not be negative")
    var printer = JSONPrinter(indent: indent, sortedKeys: sortedKeys)
    printer.print(self)
    return printer.bytes
  }
}

private struct JSONPrinter {
  let indent: Int?
  let sortedKeys: Bool
  var depth = 0
  var bytes: [UInt8] = []

  init(indent: Int?, sortedKeys: Bool) {
    self.indent = indent
    self.sortedKeys = sortedKeys
  }

  mutating func print(_ value: JSONValue) {
    switch value {
    case .null: append("null")
    case .bool(let value): append(value ? "true" : "false")
    case .integer(let value): append(value.description)
    case .number(let value):
      precondition(value.isFinite, "\(value) cannot be written as JSON; it must be finite")
      append(value.description)
    case .string(let value): print(string: value)
    case .array(let elements):
      list("[", "]", elements) { printer, element in printer.print(element) }
    case .object(let members):
      list("{", "}", sortedKeys ? Self.sorted(members) : members) { printer, member in
        printer.print(string: member.key)
        printer.append(printer.indent == nil ? ":" : ": ")
        printer.print(member.value)
      }
    }
  }

  private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  private mutating func list<Item>(
    _ opening: String, _ closing: String, _ items: [Item], print: (inout Self, Item) -> Void
  ) {
    append(opening)
    depth += 1
    for (index, item) in items.enumerated() {
      if index > 0 { append(",") }
      startLine()
      print(&self, item)
    }
    depth -= 1
    if !items.isEmpty { startLine() }
    append(closing)
  }

  private mutating func startLine() {
    guard let indent else { return }
    bytes.append(0x0A)
    bytes.append(contentsOf: repeatElement(0x20, count: indent * depth))
  }

  private mutating func print(string: String) {
    append("\"")
    for byte in string.utf8 {
      switch byte {
      case 0x22: append("\\\"")
      case 0x5C: append("\\\\")
      case 0x08: append("\\b")
      case 0x09: append("\\t")
      case 0x0A: append("\\n")
      case 0x0C: append("\\f")
      case 0x0D: append("\\r")
      case 0..<0x20:
        append(byte < 0x10 ? "\\u000" : "\\u00")
        append(String(byte, radix: 16, uppercase: true))
      default: bytes.append(byte)
      }
    }
    append("\"")
  }

  /// Orders members by their keys' bytes; equal keys keep their order, of which the last counts.
  private static func sorted(_ members: [JSONMember]) -> [JSONMember] {
    members.enumerated().sorted { first, second in
      let (a, b) = (first.element.key.utf8, second.element.key.utf8)
      if a.lexicographicallyPrecedes(b) { return true }
      return first.offset < second.offset && !b.lexicographicallyPrecedes(a)
    }.map(\.element)
  }
}
