/// What a document and its cursors share: the text and one record a value, in the order of the text.
///
/// An object's record is followed by key, value, key, value; an array's by its elements. Each
/// container knows where its content ends, so a walk skips it in one step.
@usableFromInline
final class JSONStorage: Sendable {
  /// The text, followed by ``padding`` zero bytes.
  @usableFromInline let bytes: [UInt8]
  @usableFromInline let records: [JSONRecord]

  /// How many zero bytes follow the text.
  ///
  /// No valid text holds a zero byte, so scans stop there without counting, and a load of eight
  /// bytes that starts within the text stays within the array.
  static let padding = 8

  init(bytes: [UInt8], records: [JSONRecord]) {
    self.bytes = bytes
    self.records = records
  }
}

/// One value of a text in 16 bytes.
@usableFromInline
struct JSONRecord: Sendable {
  /// A number's bit pattern, a string's length in bytes without its quotes, or a container's count
  /// (low half) and the index after its content (high half).
  @usableFromInline var payload: UInt64
  /// The byte offset of the first character of the value, a string's quote included.
  @usableFromInline var offset: UInt32
  @usableFromInline var kind: JSONNode.Kind
  /// True: `true`, a string with escapes, or a number without fraction and exponent.
  @usableFromInline var mark: Bool

  init(kind: JSONNode.Kind, offset: Int, payload: UInt64 = 0, mark: Bool = false) {
    self.payload = payload
    self.offset = UInt32(truncatingIfNeeded: offset)
    self.kind = kind
    self.mark = mark
  }

  @inlinable var count: Int { Int(payload & 0xFFFF_FFFF) }
  @inlinable var end: Int { Int(payload >> 32) }
}
