// SPDX-License-Identifier: Apache-2.0

import JSONText

/// Brings AHAP files into their canonical form without losing anything of them.
///
/// The form: known keys first and in one order, then all others as they stood; two blanks a level;
/// control points and event parameters a line each; a final line feed; no byte order mark and no
/// trailing commas. A number of a known key takes the fewest digits that read back as the same
/// number, with a point or an exponent. All else that was written stays: the order of arrays, keys
/// without meaning and their numbers digit by digit, values out of range, and keys given twice, in
/// their order, so that the last one still counts.
///
/// What the pattern means is not judged: a file with faults of AHAP is laid out like any other.
public enum AHAPFormatter {
  /// Gives the canonical form of a file.
  ///
  /// Formatting what was formatted changes nothing, and the reader finds the same pattern in both.
  /// Time and memory are linear in the file.
  public static func text(
    of bytes: [UInt8], fileName: String = "pattern.ahap", options: AHAPOptions = AHAPOptions()
  ) throws(AHAPError) -> String {
    let document = try JSONDocument(ahap: bytes, fileName: fileName, options: options)
    let source = CanonicalSource(bytes: bytes)
    return document.withUnsafeView { AHAPLayout.text(source.value(of: $0, as: .object(.file))) }
  }
}

/// A file's text, from which values are taken in canonical order.
private struct CanonicalSource {
  let bytes: [UInt8]

  /// Lays out a value; `content` is what its key holds, nil where it is kept as it stands.
  func value(of node: JSONView, as content: ObjectShape.Content?) -> LaidOutValue {
    var (shape, element): (ObjectShape?, ObjectShape.Content?)
    if case .object(let inner) = content { shape = inner }
    if case .list(let inner) = content { element = .object(inner) }
    switch node.kind {
    case .null: return .token("null")
    case .bool: return .token(node.bool == true ? "true" : "false")
    case .number: return .token(number(node, as: content))
    case .string: return .token(LaidOutValue.quoted(node.string ?? ""))
    case .array: return .array(node.elements.map { value(of: $0, as: element) })
    case .object: return .object(members(of: node, keys: shape?.writtenKeys ?? []))
    }
  }

  private func number(_ node: JSONView, as content: ObjectShape.Content?) -> String {
    if case .number = content, let number = node.number { return number.description }
    let end = bytes[node.offset...].firstIndex { !Self.isPartOfNumber($0) } ?? bytes.endIndex
    return String(decoding: bytes[node.offset..<end], as: UTF8.self)
  }

  private static func isPartOfNumber(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"),
      UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
      true
    default: false
    }
  }

  /// The members with the known keys first; equal keys keep their order, of which the last counts.
  private func members(of node: JSONView, keys: [ObjectShape.Key]) -> [LaidOutMember] {
    var ranked: [[LaidOutMember]] = Array(repeating: [], count: keys.count + 1)
    for (key, value) in node.members {
      let rank = keys.firstIndex { key.matches($0.name) } ?? keys.count
      let inner = rank < keys.count ? keys[rank].content : nil
      ranked[rank].append(
        LaidOutMember(
          key: LaidOutValue.quoted(key.string ?? ""), value: self.value(of: value, as: inner)))
    }
    return ranked.flatMap(\.self)
  }
}

/// A JSON value whose plain values are already written out: what is left is where lines break.
enum LaidOutValue {
  /// A number, a word or a string in its quotes.
  case token(String)
  case array([LaidOutValue])
  case object([LaidOutMember])

  /// Whether the value is an array or object that holds no other.
  var isFlat: Bool {
    switch self {
    case .token: false
    case .array(let elements): elements.allSatisfy(\.isToken)
    case .object(let members): members.allSatisfy(\.value.isToken)
    }
  }

  private var isToken: Bool { if case .token = self { true } else { false } }

  var onOneLine: String {
    switch self {
    case .token(let text): text
    case .array(let elements): "[" + elements.map(\.onOneLine).joined(separator: ", ") + "]"
    case .object(let members) where members.isEmpty: "{}"
    case .object(let members):
      "{ " + members.map { "\($0.key): \($0.value.onOneLine)" }.joined(separator: ", ") + " }"
    }
  }

  /// Writes out the plain values of a JSON value; numbers must be finite.
  init(_ value: JSONValue) {
    switch value {
    case .array(let elements): self = .array(elements.map(LaidOutValue.init))
    case .object(let members):
      self = .object(
        members.map { LaidOutMember(key: Self.quoted($0.key), value: LaidOutValue($0.value)) })
    default: self = .token(value.text(indent: nil))
    }
  }

  /// A string in quotes, escaped as ``JSONValue`` escapes it.
  static func quoted(_ string: String) -> String { JSONValue.string(string).text(indent: nil) }
}

struct LaidOutMember {
  var key: String
  var value: LaidOutValue
}

/// Where the lines of an AHAP text break: one layout for what is formatted and what is written.
///
/// Two blanks a level and one item a line. Below `Pattern`, an array or object of nothing but plain
/// values takes one line where that has at most 120 columns: a control point and an event's
/// parameter are a line each.
struct AHAPLayout {
  private static let widest = 120

  private var bytes: [UInt8] = []
  private var lineStart = 0

  static func text(_ root: LaidOutValue) -> String {
    var layout = Self()
    layout.append(root, depth: 0, packs: false)
    layout.append("\n")
    return String(decoding: layout.bytes, as: UTF8.self)
  }

  private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  private mutating func append(_ value: LaidOutValue, depth: Int, packs: Bool) {
    if packs, value.isFlat, appendOnLine(value) { return }
    switch value {
    case .token(let text): append(text)
    case .array(let elements):
      lines("[", "]", elements, depth: depth) { layout, element in
        layout.append(element, depth: depth + 1, packs: packs)
      }
    case .object(let members):
      lines("{", "}", members, depth: depth) { layout, member in
        layout.append("\(member.key): ")
        let packs = packs || depth == 0 && member.key == "\"Pattern\""
        layout.append(member.value, depth: depth + 1, packs: packs)
      }
    }
  }

  private mutating func lines<Item>(
    _ opening: String, _ closing: String, _ items: [Item], depth: Int,
    append: (inout Self, Item) -> Void
  ) {
    self.append(opening)
    for (index, item) in items.enumerated() {
      if index > 0 { self.append(",") }
      startLine(depth: depth + 1)
      append(&self, item)
    }
    if !items.isEmpty { startLine(depth: depth) }
    self.append(closing)
  }

  private mutating func startLine(depth: Int) {
    append("\n")
    lineStart = bytes.count
    bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * depth))
  }

  /// Puts an array or object of plain values on the line, if the line does not become too wide.
  private mutating func appendOnLine(_ value: LaidOutValue) -> Bool {
    let text = value.onOneLine
    let columns = bytes[lineStart...].count { $0 & 0xC0 != 0x80 } + text.unicodeScalars.count
    guard columns <= Self.widest else { return false }
    append(text)
    return true
  }
}
