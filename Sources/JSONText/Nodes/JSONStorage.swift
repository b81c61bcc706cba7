/// What a document and its cursors share: the text and one record a value, in the order of the text.
///
/// An object's record is followed by key, value, key, value; an array's by its elements. Each
/// container knows how many records lie in it, so a walk skips it in one step.
@usableFromInline
final class JSONStorage: Sendable {
  @usableFromInline let bytes: [UInt8]
  @usableFromInline let records: [JSONRecord]

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
