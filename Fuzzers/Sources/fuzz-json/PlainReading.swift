// SPDX-License-Identifier: Apache-2.0

import Glibc
import JSONText

/// A second reading of JSON that shares nothing with the product's but the grammar of RFC 8259: one
/// rule a function, one byte at a time.
struct PlainReading {
  private let bytes: [UInt8]
  private let options: JSONOptions
  private var at = 0
  private var depth = 0

  /// What is no JSON.
  private struct Refusal: Error {}

  /// Reads a whole text; nil if it is not JSON.
  static func value(of bytes: [UInt8], options: JSONOptions) -> JSONValue? {
    guard String(validating: bytes, as: UTF8.self) != nil else { return nil }
    var reading = Self(bytes: bytes, options: options)
    return try? reading.whole()
  }

  private init(bytes: [UInt8], options: JSONOptions) {
    self.bytes = bytes
    self.options = options
  }

  private mutating func whole() throws(Refusal) -> JSONValue {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { at = 3 }
    let value = try value()
    guard at == bytes.count else { throw Refusal() }
    return value
  }

  private mutating func value() throws(Refusal) -> JSONValue {
    skipBlanks()
    defer { skipBlanks() }
    if take("{") {
      return .object(try list("}") { reading throws(Refusal) in try reading.member() })
    }
    if take("[") { return .array(try list("]") { reading throws(Refusal) in try reading.value() }) }
    if take("\"") { return .string(try string()) }
    if take("null") { return .null }
    if take("true") { return true }
    if take("false") { return false }
    return try number()
  }

  private mutating func list<Item>(
    _ end: StaticString, item: (inout Self) throws(Refusal) -> Item
  ) throws(Refusal) -> [Item] {
    depth += 1
    defer { depth -= 1 }
    guard depth <= options.nestingLimit else { throw Refusal() }
    var items: [Item] = []
    skipBlanks()
    if take(end) { return items }
    while true {
      items.append(try item(&self))
      if take(end) { return items }
      guard take(",") else { throw Refusal() }
      skipBlanks()
      if options.allowsTrailingCommas && take(end) { return items }
    }
  }

  private mutating func member() throws(Refusal) -> JSONMember {
    skipBlanks()
    guard take("\"") else { throw Refusal() }
    let key = try string()
    skipBlanks()
    guard take(":") else { throw Refusal() }
    return JSONMember(key, try value())
  }

  /// Reads on behind the opening quote.
  private mutating func string() throws(Refusal) -> String {
    var text: [UInt8] = []
    while !take("\"") {
      guard let byte = next, byte >= 0x20 else { throw Refusal() }
      at += 1
      text += byte == UInt8(ascii: "\\") ? try escape() : [byte]
    }
    return String(decoding: text, as: UTF8.self)
  }

  private mutating func escape() throws(Refusal) -> [UInt8] {
    for (letter, byte) in Self.escapes where take(letter) { return [byte] }
    guard take("u") else { throw Refusal() }
    var units = [try codeUnit()]
    if UTF16.isLeadSurrogate(units[0]) && take("\\u") { units.append(try codeUnit()) }
    guard let text = String(validating: units, as: UTF16.self) else { throw Refusal() }
    return Array(text.utf8)
  }

  private static let escapes: [(StaticString, UInt8)] = [
    ("\"", 0x22), ("\\", 0x5C), ("/", 0x2F), ("b", 0x08), ("f", 0x0C), ("n", 0x0A), ("r", 0x0D),
    ("t", 0x09),
  ]

  private mutating func codeUnit() throws(Refusal) -> UInt16 {
    let digits = bytes[at...].prefix(4)
    at += digits.count
    guard digits.count == 4, digits.allSatisfy({ isxdigit(CInt($0)) != 0 }),
      let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    else { throw Refusal() }
    return unit
  }

  private mutating func number() throws(Refusal) -> JSONValue {
    let start = at
    _ = take("-")
    if !take("0") { try digits() }
    var isInteger = true
    if take(".") {
      isInteger = false
      try digits()
    }
    if take("e") || take("E") {
      isInteger = false
      if !take("+") { _ = take("-") }
      try digits()
    }
    let text = String(decoding: bytes[start..<at], as: UTF8.self)
    let number = strtod(text, nil)
    guard number.isFinite else { throw Refusal() }
    guard isInteger, text != "-0", let integer = Int(text) else { return .number(number) }
    return .integer(integer)
  }

  private mutating func digits() throws(Refusal) {
    let start = at
    while let byte = next, isdigit(CInt(byte)) != 0 { at += 1 }
    guard at > start else { throw Refusal() }
  }

  private var next: UInt8? { at < bytes.count ? bytes[at] : nil }

  private mutating func skipBlanks() {
    while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { at += 1 }
  }

  private mutating func take(_ text: StaticString) -> Bool {
    text.withUTF8Buffer { text in
      guard bytes[at...].starts(with: text) else { return false }
      at += text.count
      return true
    }
  }
}
