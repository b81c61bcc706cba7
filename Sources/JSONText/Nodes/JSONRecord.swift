// SPDX-License-Identifier: Apache-2.0

/// One value of a text in 16 bytes.
@usableFromInline
struct JSONRecord: Sendable {
  /// A number's bit pattern, a string's length in bytes without its quotes, or a container's count
  /// (low half) and the number of records in it (high half).
  @usableFromInline var payload: UInt64
  /// The byte offset of the first character of the value, a string's quote included.
  @usableFromInline var start: UInt32
  @usableFromInline var kind: JSONNode.Kind
  /// Not 0 for `true`, for a string with escapes, and for a number without fraction and exponent:
  /// its length in bytes, or the largest value if it is longer.
  @usableFromInline var mark: UInt8

  init(kind: JSONNode.Kind, offset: Int, payload: UInt64 = 0, mark: UInt8 = 0) {
    self.payload = payload
    start = UInt32(truncatingIfNeeded: offset)
    self.kind = kind
    self.mark = mark
  }

  @inlinable var offset: Int { Int(start) }

  @inlinable var isContainer: Bool { kind == .array || kind == .object }

  @inlinable var length: Int { Int(truncatingIfNeeded: payload) }

  /// Whether this is a string that must be decoded.
  @inlinable var hasEscapes: Bool { kind == .string && mark != 0 }

  /// The number of elements or members; 0 for what is no container.
  @inlinable var count: Int { isContainer ? Int(payload & 0xFFFF_FFFF) : 0 }

  /// How many records further the next value's record stands.
  @inlinable var stride: Int { isContainer ? Int(payload &>> 32) &+ 1 : 1 }

  @inlinable var bool: Bool? { kind == .bool ? mark != 0 : nil }

  @inlinable var number: Double? { kind == .number ? Double(bitPattern: payload) : nil }

  /// The bytes between the quotes of a string, escapes as they are written.
  func rawText(in text: UnsafeRawPointer) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: text + offset + 1, count: length)
  }

  /// The bytes of a string that its escapes stand for.
  func decodedText(in text: UnsafeRawPointer) -> [UInt8] { unescaped(rawText(in: text)) }

  /// Tells whether two strings of one text are equal when they are decoded.
  @inline(__always)
  func hasString(of other: JSONRecord, in text: UnsafeRawPointer) -> Bool {
    guard !hasEscapes && !other.hasEscapes else {
      return decodedText(in: text) == other.decodedText(in: text)
    }
    return length == other.length
      && areEqual(text + offset + 1, text + other.offset + 1, length)
  }
}

/// What a document and its cursors share: the text and one record a value, in the order of the text.
///
/// An object's record is followed by key, value, key, value; an array's by its elements. Each
/// container knows how many records lie in it, so a walk skips it in one step.
final class JSONStorage: Sendable {
  let bytes: [UInt8]
  let records: [JSONRecord]

  init(bytes: [UInt8], records: [JSONRecord]) {
    self.bytes = bytes
    self.records = records
  }

  /// Lends the value of a record for the time of a call.
  func withUnsafeView<R, E>(
    of index: Int, _ body: (JSONView) throws(E) -> R
  ) throws(E) -> R {
    try records.withUnsafeBufferPointer { records throws(E) in
      try bytes.withUnsafeBufferPointer { bytes throws(E) in
        guard let record = records.baseAddress, let text = bytes.baseAddress else {
          preconditionFailure("a document without a value was made; it has at least one")
        }
        return try body(JSONView(record: record + index, text: text))
      }
    }
  }
}
