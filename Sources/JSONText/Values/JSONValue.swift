/// A JSON value that owns what it holds; what is written as JSON is built from it.
///
/// Objects keep the order of their members. Two objects are equal only if their members come in the
/// same order. `integer` and `number` are different values even where they are equally large, as the
/// texts `1` and `1.0` are different.
public enum JSONValue: Sendable, Hashable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number without fraction and exponent.
  case integer(Int)
  /// Any other number, which must be finite when it is printed.
  case number(Double)
  /// A string.
  case string(String)
  /// An array.
  case array([JSONValue])
  /// An object with its members in order.
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
