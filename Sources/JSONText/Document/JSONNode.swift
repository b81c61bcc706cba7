/// A light cursor on one value of a ``JSONDocument``.
///
/// A copy costs one reference count. Asking a value for what it is not gives nil or an empty
/// sequence.
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

  /// What kind of value this is.
  @inlinable public var kind: Kind { record.kind }

  /// The byte offset of the value's first character in the text.
  @inlinable public var offset: Int { Int(record.offset) }

  /// The place of the value's first character.
  ///
  /// Linear in the offset; for many places use a ``JSONPositionFinder``.
  public var position: JSONPosition {
    var finder = JSONPositionFinder()
    return storage.bytes.withUnsafeBytes { finder.position(of: offset, in: $0) }
  }

  /// Whether the value is `null`.
  @inlinable public var isNull: Bool { kind == .null }

  /// The value of `true` or `false`.
  @inlinable public var bool: Bool? {
    let record = record
    return record.kind == .bool ? record.mark : nil
  }

  /// The number nearest to what is written.
  @inlinable public var number: Double? {
    let record = record
    return record.kind == .number ? Double(bitPattern: record.payload) : nil
  }

  /// The number, if it is written without fraction and exponent and fits.
  ///
  /// `-0` has no integer: it would lose its sign.
  public var integer: Int? {
    let record = record
    guard record.kind == .number && record.mark else { return nil }
    var at = Int(record.offset)
    let isNegative = storage.bytes[at] == UInt8(ascii: "-")
    if isNegative { at += 1 }
    var value = 0
    while case let digit = storage.bytes[at] &- UInt8(ascii: "0"), digit < 10 {
      let (product, productOverflows) = value.multipliedReportingOverflow(by: 10)
      let (sum, sumOverflows) = product.addingReportingOverflow(
        isNegative ? -Int(digit) : Int(digit))
      guard !productOverflows && !sumOverflows else { return nil }
      value = sum
      at += 1
    }
    return isNegative && value == 0 ? nil : value
  }

  /// The number of elements of an array or members of an object; 0 for anything else.
  @inlinable public var count: Int {
    let record = record
    return record.kind == .array || record.kind == .object ? record.count : 0
  }
}
