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

/// A key in its quotes and its value.
struct LaidOutMember {
  var key: String
  var value: LaidOutValue
}
