extension JSONNode {
  /// The string, decoded at each call.
  public var string: String? {
    guard kind == .string else { return nil }
    return withRawText { raw in
      if let raw { return String(decoding: raw, as: UTF8.self) }
      return String(decoding: decodedBytes, as: UTF8.self)
    }
  }

  /// Tells whether the value is a string of exactly this text's UTF-8, without decoding it if it
  /// holds no escape.
  @inlinable
  public func matches(_ text: String) -> Bool {
    let record = record
    guard record.kind == .string else { return false }
    guard record.mark || record.count == text.utf8.count else { return false }
    return hasUTF8(of: text)
  }

  @usableFromInline
  func hasUTF8(of text: String) -> Bool {
    var text = text
    return text.withUTF8 { hasUTF8($0) }
  }

  /// Tells whether the value is a string of exactly these UTF-8 bytes.
  func hasUTF8(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    withRawText { raw in
      guard let raw else { return decodedBytes.elementsEqual(text) }
      guard raw.count == text.count else { return false }
      guard let first = raw.baseAddress, let second = text.baseAddress else { return true }
      return areEqual(first, second, raw.count)
    }
  }

  /// Gives the bytes between the quotes, or nil if they hold escapes.
  private func withRawText<R>(_ body: (UnsafeBufferPointer<UInt8>?) -> R) -> R {
    let record = record
    guard record.kind == .string && !record.mark else { return body(nil) }
    let start = Int(record.offset) + 1
    return storage.bytes.withUnsafeBufferPointer { bytes in
      body(UnsafeBufferPointer(rebasing: bytes[start..<(start + record.count)]))
    }
  }

  /// The string's UTF-8 with its escapes replaced.
  private var decodedBytes: [UInt8] {
    storage.bytes.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress, kind == .string else { return [] }
      return unescaped(base + offset + 1, count: record.count)
    }
  }
}

/// Compares two runs of bytes eight at a time.
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

/// Replaces the escapes of a string that the parser has accepted.
func unescaped(_ text: UnsafeRawPointer, count: Int) -> [UInt8] {
  var result: [UInt8] = []
  result.reserveCapacity(count)
  var at = 0
  while at < count {
    let byte = text.load(fromByteOffset: at, as: UInt8.self)
    guard byte == UInt8(ascii: "\\") else {
      result.append(byte)
      at += 1
      continue
    }
    let letter = text.load(fromByteOffset: at + 1, as: UInt8.self)
    at += 2
    switch letter {
    case UInt8(ascii: "b"): result.append(0x08)
    case UInt8(ascii: "f"): result.append(0x0C)
    case UInt8(ascii: "n"): result.append(0x0A)
    case UInt8(ascii: "r"): result.append(0x0D)
    case UInt8(ascii: "t"): result.append(0x09)
    case UInt8(ascii: "u"):
      var value = hexadecimal(text + at) ?? 0xFFFD
      at += 4
      if value >> 10 == 0xD800 >> 10, let low = hexadecimal(text + at + 2) {
        value = 0x10000 + ((value & 0x3FF) << 10) + (low & 0x3FF)
        at += 6
      }
      result.append(contentsOf: String(Unicode.Scalar(value) ?? "\u{FFFD}").utf8)
    default: result.append(letter)
    }
  }
  return result
}

/// Reads four hexadecimal digits.
func hexadecimal(_ text: UnsafeRawPointer) -> UInt32? {
  var value: UInt32 = 0
  for index in 0..<4 {
    let byte = text.load(fromByteOffset: index, as: UInt8.self)
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt32(byte & 0x0F)
    case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"):
      value = value << 4 | (UInt32(byte & 0x0F) + 9)
    default: return nil
    }
  }
  return value
}
