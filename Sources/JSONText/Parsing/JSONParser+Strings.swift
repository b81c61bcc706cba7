// SPDX-License-Identifier: Apache-2.0

extension JSONParser {
  /// Reads a string from its opening quote: eight bytes at a time up to what needs a look.
  @inline(__always)
  mutating func string() throws(JSONFault) {
    let start = at
    var next = at &+ 1
    var hasEscapes = false
    while true {
      let word = word(next)
      // The top bit of a byte: below 0x20, from 0x80, a quote or a backslash; exact up to the
      // lowest of them, which is the one that is used.
      let hits =
        ((word &- 0x2020_2020_2020_2020) | word | bytesEqual(to: 0x22, in: word)
          | bytesEqual(to: 0x5C, in: word)) & 0x8080_8080_8080_8080
      guard hits != 0 else {
        next &+= 8
        continue
      }
      next &+= hits.trailingZeroBitCount &>> 3
      switch byte(next) {
      case 0x22:
        let length = UInt64(truncatingIfNeeded: next &- start &- 1)
        records.append(
          JSONRecord(kind: .string, offset: start, payload: length, mark: hasEscapes ? 1 : 0))
        at = next &+ 1
        return
      case 0x5C:
        hasEscapes = true
        next = try escape(at: next, stringStart: start)
      case 0x80...:
        next = try scalar(at: next, stringStart: start)
      default:
        throw stop(at: next, stringStart: start)
      }
    }
  }

  /// Checks an escape sequence, both halves of a surrogate pair; gives the offset after it.
  private func escape(at offset: Int, stringStart: Int) throws(JSONFault) -> Int {
    switch byte(offset + 1) {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return offset + 2
    case UInt8(ascii: "u"):
      guard let value = hexadecimal(text[offset...].dropFirst(2).prefix(4)) else {
        throw JSONFault(
          .badEscape, at: offset, "four hexadecimal digits must follow '\\u' in a string")
      }
      guard value >> 11 == 0xD800 >> 11 else { return offset + 6 }
      let isFirst = value < 0xDC00
      if isFirst, byte(offset + 6) == 0x5C, byte(offset + 7) == UInt8(ascii: "u"),
        let low = hexadecimal(text[(offset + 8)...].prefix(4)),
        (0xDC00...0xDFFF).contains(low)
      {
        return offset + 12
      }
      let digits = String(value, radix: 16, uppercase: true)
      throw JSONFault(
        .loneSurrogate, at: offset,
        "'\\u\(digits)' is half of a surrogate pair and its other half is missing")
    default:
      guard offset + 1 < end else { throw stop(at: offset + 1, stringStart: stringStart) }
      throw JSONFault(
        .badEscape, at: offset,
        "a backslash in a string must be followed by one of \" \\ / b f n r t u")
    }
  }

  private func scalar(at offset: Int, stringStart: Int) throws(JSONFault) -> Int {
    let length = scalarLength(offset)
    guard length > 0 else {
      throw JSONFault(
        .invalidUTF8, at: offset, "byte \(hex(byte(offset))) in a string is not valid UTF-8")
    }
    return offset + length
  }

  private func stop(at offset: Int, stringStart: Int) -> JSONFault {
    guard offset < end else {
      return JSONFault(.unterminatedString, at: stringStart, "the string has no closing quote")
    }
    let found = byte(offset)
    if found == 0x0A || found == 0x0D {
      return JSONFault(
        .controlCharacter, at: offset,
        "the string has no closing quote on its line; write a line break in it as \\n")
    }
    return JSONFault(
      .controlCharacter, at: offset,
      "the control character \(hex(found)) in a string must be written as an escape")
  }

  /// The length of the UTF-8 sequence at an offset; 0 if it is not valid.
  ///
  /// By table 3-7 of the Unicode Standard. The end of the text ends any sequence.
  func scalarLength(_ offset: Int) -> Int {
    func isContinuation(_ index: Int) -> Bool { byte(offset + index) & 0xC0 == 0x80 }
    let first = byte(offset)
    let second = byte(offset + 1)
    switch first {
    case 0..<0x80: return 1
    case 0xC2...0xDF: return isContinuation(1) ? 2 : 0
    case 0xE0...0xEF:
      let isInRange =
        switch first {
        case 0xE0: second >= 0xA0
        case 0xED: second < 0xA0
        default: true
        }
      return isInRange && isContinuation(1) && isContinuation(2) ? 3 : 0
    case 0xF0...0xF4:
      let isInRange =
        switch first {
        case 0xF0: second >= 0x90
        case 0xF4: second < 0x90
        default: true
        }
      return isInRange && isContinuation(1) && isContinuation(2) && isContinuation(3) ? 4 : 0
    default: return 0
    }
  }
}

/// Sets the top bit of the bytes of a word that equal a byte; exact up to the lowest of them.
@inline(__always)
private func bytesEqual(to byte: UInt8, in word: UInt64) -> UInt64 {
  let difference = word ^ (0x0101_0101_0101_0101 &* UInt64(byte))
  return (difference &- 0x0101_0101_0101_0101) & ~difference & 0x8080_8080_8080_8080
}

/// Replaces the escapes of a string that the parser has accepted.
func unescaped(_ text: UnsafeRawBufferPointer) -> [UInt8] {
  var result: [UInt8] = []
  result.reserveCapacity(text.count)
  var at = 0
  while at < text.count {
    guard text[at] == UInt8(ascii: "\\") else {
      result.append(text[at])
      at += 1
      continue
    }
    let letter = text[at + 1]
    at += 2
    switch letter {
    case UInt8(ascii: "b"): result.append(0x08)
    case UInt8(ascii: "f"): result.append(0x0C)
    case UInt8(ascii: "n"): result.append(0x0A)
    case UInt8(ascii: "r"): result.append(0x0D)
    case UInt8(ascii: "t"): result.append(0x09)
    case UInt8(ascii: "u"):
      var value = hexadecimal(text[at...].prefix(4)) ?? 0xFFFD
      at += 4
      if value >> 10 == 0xD800 >> 10, let low = hexadecimal(text[(at + 2)...].prefix(4)) {
        value = 0x10000 + ((value & 0x3FF) << 10) + (low & 0x3FF)
        at += 6
      }
      result.append(contentsOf: String(Unicode.Scalar(value) ?? "\u{FFFD}").utf8)
    default: result.append(letter)
    }
  }
  return result
}

/// Reads the four hexadecimal digits of an escape; nil if they are others or fewer.
func hexadecimal(_ digits: some Collection<UInt8>) -> UInt32? {
  guard digits.count == 4 else { return nil }
  var value: UInt32 = 0
  for byte in digits {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt32(byte & 0x0F)
    case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"):
      value = value << 4 | (UInt32(byte & 0x0F) + 9)
    default: return nil
    }
  }
  return value
}
