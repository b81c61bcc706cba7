// SPDX-License-Identifier: Apache-2.0

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

  /// The members of an object in the order of the text, duplicates included.
  public struct Members: Sequence, IteratorProtocol {
    @usableFromInline var rest: Elements

    @inlinable
    init(_ rest: Elements) {
      self.rest = rest
    }

    /// Gives the next member and moves on.
    @inlinable
    public mutating func next() -> (key: JSONView, value: JSONView)? {
      guard let key = rest.next(), let value = rest.next() else { return nil }
      return (key, value)
    }
  }

  /// The elements of an array in the order of the text.
  public struct Elements: Sequence, IteratorProtocol {
    @usableFromInline var record: UnsafePointer<JSONRecord>
    @usableFromInline let end: UnsafePointer<JSONRecord>
    @usableFromInline let text: UnsafePointer<UInt8>

    @inlinable
    init(of container: JSONView, if isAsked: Bool) {
      let record = container.record
      self.record = record + 1
      end = record + (isAsked ? record.pointee.stride : 1)
      text = container.text
    }

    /// Gives the next element and moves on.
    @inlinable
    public mutating func next() -> JSONView? {
      guard record < end else { return nil }
      let element = JSONView(record: record, text: text)
      record += record.pointee.stride
      return element
    }
  }

  /// The members of an object; empty for anything else.
  @inlinable public var members: Members { Members(Elements(of: self, if: kind == .object)) }

  /// The elements of an array; empty for anything else.
  @inlinable public var elements: Elements { Elements(of: self, if: kind == .array) }

  /// The string, decoded at each call.
  public var string: String? {
    guard kind == .string else { return nil }
    let record = record.pointee
    guard record.hasEscapes else {
      return String(decoding: record.rawText(in: text), as: UTF8.self)
    }
    return String(decoding: record.decodedText(in: text), as: UTF8.self)
  }

  /// Tells whether the value is a string of exactly this text's UTF-8, without decoding it if it
  /// holds no escape.
  public func matches(_ text: String) -> Bool {
    guard record.pointee.hasEscapes || record.pointee.length == text.utf8.count else {
      return false
    }
    var text = text
    return text.withUTF8(matches)
  }

  func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    text.baseAddress.map { matches($0, count: text.count) } ?? matches("" as StaticString)
  }

  /// The same for a literal, whose length is known when it is compiled: a few instructions.
  @inlinable
  @inline(__always)
  public func matches(_ text: StaticString) -> Bool {
    matches(text.utf8Start, count: text.utf8CodeUnitCount)
  }

  /// Lets a `switch` over a value name the strings that it may be.
  @inlinable
  @inline(__always)
  public static func ~= (text: StaticString, value: JSONView) -> Bool { value.matches(text) }

  @inlinable
  @inline(__always)
  func matches(_ text: UnsafePointer<UInt8>, count: Int) -> Bool {
    let record = record.pointee
    guard record.kind == .string else { return false }
    guard !record.hasEscapes else {
      return decodedMatches(UnsafeBufferPointer(start: text, count: count))
    }
    return record.length == count && areEqual(self.text + record.offset + 1, text, count)
  }

  @usableFromInline
  func decodedMatches(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    record.pointee.decodedText(in: self.text).elementsEqual(text)
  }
}

/// Compares two runs of bytes eight at a time.
@inlinable
@inline(__always)
func areEqual(_ first: UnsafeRawPointer, _ second: UnsafeRawPointer, _ count: Int) -> Bool {
  var at = 0
  while at &+ 8 <= count {
    guard
      first.loadUnaligned(fromByteOffset: at, as: UInt64.self)
        == second.loadUnaligned(fromByteOffset: at, as: UInt64.self)
    else { return false }
    at &+= 8
  }
  while at < count {
    guard
      first.load(fromByteOffset: at, as: UInt8.self)
        == second.load(fromByteOffset: at, as: UInt8.self)
    else { return false }
    at &+= 1
  }
  return true
}
