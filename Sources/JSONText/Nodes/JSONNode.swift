/// A light cursor on one value of a ``JSONDocument``.
///
/// A copy costs one reference count; ``JSONView`` costs none. Asking a value for what it is not
/// gives nil or an empty sequence.
public struct JSONNode: Sendable {
  /// The six kinds of JSON values.
  @frozen
  public enum Kind: UInt8, Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool
    /// A number.
    case number
    /// A string.
    case string
    /// An array.
    case array
    /// An object.
    case object
  }

  @usableFromInline let storage: JSONStorage
  @usableFromInline let index: Int

  @inlinable
  init(storage: JSONStorage, index: Int) {
    self.storage = storage
    self.index = index
  }

  @inlinable var record: JSONRecord { storage.records[index] }

  /// Lends the value for the time of a call.
  func withUnsafeView<R>(_ body: (JSONView) -> R) -> R { storage.withUnsafeView(of: index, body) }

  /// What kind of value this is.
  @inlinable public var kind: Kind { record.kind }

  /// The byte offset of the value's first character in the text.
  @inlinable public var offset: Int { record.offset }

  /// The place of the value's first character.
  ///
  /// Linear in the offset; for many places use a ``JSONPositionFinder``.
  public var position: JSONPosition { JSONPosition(offset: offset, in: storage.bytes) }

  /// Whether the value is `null`.
  @inlinable public var isNull: Bool { kind == .null }

  /// The value of `true` or `false`.
  @inlinable public var bool: Bool? { record.bool }

  /// The number nearest to what is written.
  @inlinable public var number: Double? { record.number }

  /// The number, if it is written without fraction and exponent and fits.
  ///
  /// `-0` has no integer: it would lose its sign.
  public var integer: Int? { withUnsafeView(\.integer) }

  /// The string, decoded at each call.
  public var string: String? { withUnsafeView(\.string) }

  /// Tells whether the value is a string of exactly this text's UTF-8.
  public func matches(_ text: String) -> Bool { withUnsafeView { $0.matches(text) } }

  /// The number of elements of an array or members of an object; 0 for anything else.
  @inlinable public var count: Int { record.count }
}

extension JSONNode.Kind {
  /// The kind with its article, for messages: `an array`.
  public var phrase: String {
    switch self {
    case .null: "null"
    case .bool: "a Boolean"
    case .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}
