extension JSONView {
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
    return text.withUTF8 { text in
      text.baseAddress.map { matches($0, count: text.count) } ?? matches("" as StaticString)
    }
  }

  /// Tells whether the value is a string of exactly this text's UTF-8, without decoding it if it
  /// holds no escape.
  ///
  /// A few instructions: the length of the literal is known when it is compiled.
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
