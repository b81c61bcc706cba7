/// A value of a ``JSONDocument`` on loan: what a ``JSONNode`` is, without its reference count.
///
/// Two pointers into the document, lent by ``JSONDocument/withUnsafeView(_:)`` for the time of one
/// call. A view that outlives the call dangles; what is to be kept is taken out of it as a value.
/// Asking a value for what it is not gives nil or an empty sequence.
public struct JSONView {
  @usableFromInline let record: UnsafePointer<JSONRecord>
  @usableFromInline let text: UnsafePointer<UInt8>

  @inlinable
  init(record: UnsafePointer<JSONRecord>, text: UnsafePointer<UInt8>) {
    self.record = record
    self.text = text
  }

  /// What kind of value this is.
  @inlinable public var kind: JSONNode.Kind { record.pointee.kind }

  /// The byte offset of the value's first character in the text.
  @inlinable public var offset: Int { record.pointee.offset }

  /// The value of `true` or `false`.
  @inlinable public var bool: Bool? { record.pointee.bool }

  /// The number nearest to what is written.
  @inlinable public var number: Double? { record.pointee.number }

  /// The number of elements of an array or members of an object; 0 for anything else.
  @inlinable public var count: Int { record.pointee.count }

  /// The number, if it is written without fraction and exponent and fits.
  ///
  /// `-0` has no integer: it would lose its sign.
  public var integer: Int? {
    let length = Int(record.pointee.mark)
    guard kind == .number && (1...Self.longestInteger).contains(length) else { return nil }
    let isNegative = text[offset] == UInt8(ascii: "-")
    var value = 0
    for digit in UnsafeBufferPointer(start: text + offset, count: length)[(isNegative ? 1 : 0)...] {
      let (product, productOverflows) = value.multipliedReportingOverflow(by: 10)
      let step = Int(digit &- UInt8(ascii: "0"))
      let (sum, sumOverflows) = product.addingReportingOverflow(isNegative ? -step : step)
      guard !productOverflows && !sumOverflows else { return nil }
      value = sum
    }
    return isNegative && value == 0 ? nil : value
  }

  /// The length of the longest text of an `Int`, -9223372036854775808.
  private static let longestInteger = 20
}
