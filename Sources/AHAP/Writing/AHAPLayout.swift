import JSONText

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

  /// The text of a value, all on one line.
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
