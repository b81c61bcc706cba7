// SPDX-License-Identifier: Apache-2.0

/// A light cursor on one value of a ``JSONDocument``.
///
/// A copy costs one reference count; ``JSONView`` costs none. Asking a value for what it is not
/// gives nil or an empty sequence.
public struct JSONNode: Sendable {
  /// The six kinds of JSON values.
  @frozen
  public enum Kind: UInt8, Sendable {
    case null, bool, number, string, array, object

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

  let storage: JSONStorage
  let index: Int

  private var record: JSONRecord { storage.records[index] }

  func withUnsafeView<R>(_ body: (JSONView) -> R) -> R { storage.withUnsafeView(of: index, body) }

  /// What kind of value this is.
  public var kind: Kind { record.kind }

  /// The byte offset of the value's first character in the text.
  public var offset: Int { record.offset }

  /// The place of the value's first character.
  ///
  /// Linear in the offset; for many places use a ``JSONPositionFinder``.
  public var position: JSONPosition { JSONPosition(offset: offset, in: storage.bytes) }

  /// Whether the value is `null`.
  public var isNull: Bool { kind == .null }

  /// The value of `true` or `false`.
  public var bool: Bool? { record.bool }

  /// The number nearest to what is written.
  public var number: Double? { record.number }

  /// The number, if it is written without fraction and exponent and fits.
  ///
  /// `-0` has no integer: it would lose its sign.
  public var integer: Int? { withUnsafeView(\.integer) }

  /// The string, decoded at each call.
  public var string: String? { withUnsafeView(\.string) }

  /// Tells whether the value is a string of exactly this text's UTF-8.
  public func matches(_ text: String) -> Bool { withUnsafeView { $0.matches(text) } }

  /// The number of elements of an array or members of an object; 0 for anything else.
  public var count: Int { record.count }

  /// The elements of an array in the order of the text; empty for anything else.
  public var elements: some Sequence<JSONNode> { contents(if: .array) }

  /// The members of an object in the order of the text, duplicates included; empty for anything
  /// else.
  public var members: some Sequence<(key: JSONNode, value: JSONNode)> {
    Pairs(nodes: contents(if: .object))
  }

  private func contents(if wanted: Kind) -> Contents {
    Contents(storage: storage, at: index + 1, end: kind == wanted ? index + record.stride : 0)
  }

  private struct Contents: Sequence, IteratorProtocol {
    let storage: JSONStorage
    var at: Int
    let end: Int

    mutating func next() -> JSONNode? {
      guard at < end else { return nil }
      defer { at += storage.records[at].stride }
      return JSONNode(storage: storage, index: at)
    }
  }

  private struct Pairs: Sequence, IteratorProtocol {
    var nodes: Contents

    mutating func next() -> (key: JSONNode, value: JSONNode)? {
      guard let key = nodes.next(), let value = nodes.next() else { return nil }
      return (key, value)
    }
  }

  /// Finds the value of a key, the last one if the object has the key more than once.
  ///
  /// Linear in the number of members.
  public subscript(key: String) -> JSONNode? {
    var key = key
    // On loan: a node for each member that is passed over would cost more than the comparison.
    let place = key.withUTF8 { key in
      withUnsafeView { object in
        var found: Int?
        for (name, value) in object.members where name.matches(key) {
          found = value.record - object.record
        }
        return found
      }
    }
    return place.map { JSONNode(storage: storage, index: index + $0) }
  }
}
