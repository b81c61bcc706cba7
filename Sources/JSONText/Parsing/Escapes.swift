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
