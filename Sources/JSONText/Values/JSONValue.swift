// SPDX-License-Identifier: Apache-2.0

/// A JSON value that owns what it holds; what is written as JSON is built from it.
///
/// Objects keep the order of their members. Two objects are equal only if their members come in the
/// same order. `integer` and `number` are different values even where they are equally large, as the
/// texts `1` and `1.0` are different.
public enum JSONValue: Sendable, Hashable {
  case null
  case bool(Bool)
  /// A number without fraction and exponent.
  case integer(Int)
  /// Any other number, which must be finite when it is printed.
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([JSONMember])
}

/// A key and its value.
public struct JSONMember: Sendable, Hashable {
  /// The key.
  public var key: String
  /// The value.
  public var value: JSONValue

  /// Creates a member.
  public init(_ key: String, _ value: JSONValue) {
    self.key = key
    self.value = value
  }
}

extension JSONValue {
  /// The value of a Boolean.
  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

  /// The value of an `integer`.
  public var integer: Int? { if case .integer(let value) = self { value } else { nil } }

  /// The value of a `number` or an `integer`.
  public var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }

  /// The value of a string.
  public var string: String? { if case .string(let value) = self { value } else { nil } }

  /// The elements of an array.
  public var elements: [JSONValue]? { if case .array(let value) = self { value } else { nil } }

  /// The members of an object in order.
  public var members: [JSONMember]? { if case .object(let value) = self { value } else { nil } }

  /// Finds the value of a key, the last one if the object has the key more than once.
  public subscript(key: String) -> JSONValue? {
    members?.last { $0.key == key }?.value
  }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
  ExpressibleByStringInterpolation, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// Creates `null`.
  public init(nilLiteral: ()) { self = .null }

  /// Creates a Boolean.
  public init(booleanLiteral value: Bool) { self = .bool(value) }

  /// Creates an integer.
  public init(integerLiteral value: Int) { self = .integer(value) }

  /// Creates a number.
  public init(floatLiteral value: Double) { self = .number(value) }

  /// Creates a string.
  public init(stringLiteral value: String) { self = .string(value) }

  /// Creates an array.
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

  /// Creates an object with its members in the order written.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(elements.map { JSONMember($0.0, $0.1) })
  }
}

extension JSONValue {
  /// An object of the members that are there.
  package static func object(present members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
    .object(members.compactMap { key, value in value.map { JSONMember(key, $0) } })
  }
}

extension JSONNode {
  /// The value with all that it holds, copied out of the document.
  ///
  /// Numbers without fraction and exponent become `integer` where they fit. Duplicate keys are kept.
  public var value: JSONValue { withUnsafeView(\.value) }
}

extension JSONView {
  /// The same of a value on loan.
  public var value: JSONValue {
    switch kind {
    case .null: .null
    case .bool: .bool(bool ?? false)
    case .number: integer.map(JSONValue.integer) ?? .number(number ?? 0)
    case .string: .string(string ?? "")
    case .array: .array(elements.map(\.value))
    case .object: .object(members.map { JSONMember($0.key.string ?? "", $0.value.value) })
    }
  }
}

extension JSONValue {
  /// Parses UTF-8 text into a value.
  public init(parsing bytes: [UInt8], options: JSONOptions = .strict) throws(JSONError) {
    self = try JSONDocument(bytes, options: options).root.value
  }

  /// Prints the value as JSON, the same text for the same value everywhere.
  ///
  /// Doubles take the fewest digits that read back as the same number and always show a fraction or an
  /// exponent. Strings escape what RFC 8259 asks for and nothing else. No line feed follows the end.
  /// A number that is not finite is a programmer's error and traps: JSON has no word for it. A level
  /// is indented by `indent` blanks; nil prints one line without blanks. Sorted keys stand by their
  /// UTF-8 bytes.
  public func text(indent: Int? = 2, sortedKeys: Bool = false) -> String {
    String(decoding: utf8(indent: indent, sortedKeys: sortedKeys), as: UTF8.self)
  }

  /// Prints the value as the UTF-8 bytes of ``text(indent:sortedKeys:)``.
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

  mutating func print(_ value: JSONValue) {
    switch value {
    case .null: append("null")
    case .bool(let value): append(value ? "true" : "false")
    case .integer(let value): append(value.description)
    case .number(let value):
      precondition(value.isFinite, "\(value) cannot be written as JSON; it must be finite")
      append(value.description)
    case .string(let value): print(string: value)
    case .array(let elements): list("[", "]", elements) { $0.print($1) }
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
    members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
  }
}
