extension JSONParser {
  /// Reads a number, checks its form by RFC 8259 and converts it.
  mutating func number() throws(JSONFault) {
    let start = at
    var next = at
    let isNegative = byte(next) == UInt8(ascii: "-")
    if isNegative { next &+= 1 }

    let integerStart = next
    var mantissa: UInt64 = 0
    skipDigits(&next, into: &mantissa)
    let integerDigits = next &- integerStart
    if integerDigits == 0 { throw missingDigit(at: next, start: start) }
    if integerDigits > 1 && byte(integerStart) == UInt8(ascii: "0") {
      throw JSONFault(.badNumber, at: start, "a JSON number must not start with extra zeros")
    }

    var fractionDigits = 0
    if byte(next) == UInt8(ascii: ".") {
      next &+= 1
      let fractionStart = next
      skipDigits(&next, into: &mantissa)
      fractionDigits = next &- fractionStart
      if fractionDigits == 0 { throw missingDigit(at: next, start: start) }
    }
    let digitsEnd = next

    var exponent = 0
    if byte(next) | 0x20 == UInt8(ascii: "e") {
      next &+= 1
      exponent = try self.exponent(&next, start: start)
    }
    let following = byte(next)
    if isWordByte(following) || following == UInt8(ascii: ".") || following == UInt8(ascii: "+")
      || following == UInt8(ascii: "-")
    {
      throw JSONFault(
        .badNumber, at: start, "a character in the middle of the number does not belong there")
    }

    let digits = significantDigits(integerDigits &+ fractionDigits, from: integerStart)
    let magnitude =
      decimal(mantissa, digits: digits, exponent: exponent &- fractionDigits)
      ?? longDecimal(integerStart..<digitsEnd, exponent: exponent &- fractionDigits)
    guard magnitude.isFinite else {
      throw JSONFault(
        .numberOutOfRange, at: start,
        "the number is larger than any 64-bit floating point number (about 1.8e308)")
    }
    let value = isNegative ? -magnitude : magnitude
    let isInteger = next &- integerStart == integerDigits
    records.append(
      JSONRecord(
        kind: .number, offset: start, payload: value.bitPattern,
        mark: isInteger ? UInt8(clamping: next &- start) : 0))
    at = next
  }

  /// Steps over digits; beyond 19 that count the sum means nothing.
  @inline(__always)
  private func skipDigits(_ next: inout Int, into mantissa: inout UInt64) {
    while case let digit = byte(next) &- UInt8(ascii: "0"), digit < 10 {
      mantissa = mantissa &* 10 &+ UInt64(digit)
      next &+= 1
    }
  }

  /// Leaves the leading zeros out of a count of digits, where that can make a difference.
  @inline(__always)
  private func significantDigits(_ count: Int, from start: Int) -> Int {
    guard count > 19 else { return count }
    var count = count
    var next = start
    while byte(next) == UInt8(ascii: "0") || byte(next) == UInt8(ascii: ".") {
      if byte(next) == UInt8(ascii: "0") { count -= 1 }
      next += 1
    }
    return count
  }

  /// Reads the digits of an exponent, held within what decides between zero and infinity.
  private func exponent(_ next: inout Int, start: Int) throws(JSONFault) -> Int {
    let sign = byte(next)
    if sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { next += 1 }
    let first = next
    var value = 0
    while case let digit = byte(next) &- UInt8(ascii: "0"), digit < 10 {
      value = min(value * 10 + Int(digit), 1_000_000_000_000)
      next += 1
    }
    guard next > first else { throw missingDigit(at: next, start: start) }
    return sign == UInt8(ascii: "-") ? -value : value
  }

  private func missingDigit(at offset: Int, start: Int) -> JSONFault {
    if isWord("Infinity", at: offset) || isWord("NaN", at: offset) {
      return JSONFault(
        .notANumberWord, at: start, "JSON has no NaN and no Infinity; write a finite number")
    }
    return JSONFault(
      .badNumber, at: start,
      offset < end ? "a digit is missing in the number" : "the text ends inside a number")
  }

  /// Converts a number of any length, of which the first 800 digits and whether more follow decide.
  ///
  /// No double, and no point halfway between two, has more than 767 significant digits, so a
  /// non-zero digit stands for all those that are cut off.
  private func longDecimal(_ range: Range<Int>, exponent: Int) -> Double {
    let kept = 800
    var digits = "0."
    var count = 0
    var dropped = 0
    var hasMore = false
    for offset in range where byte(offset) != UInt8(ascii: ".") {
      let digit = byte(offset)
      if count == 0 && digit == UInt8(ascii: "0") { continue }
      if count < kept {
        digits.unicodeScalars.append(Unicode.Scalar(digit))
        count += 1
      } else {
        dropped += 1
        hasMore = hasMore || digit != UInt8(ascii: "0")
      }
    }
    guard count > 0 else { return 0 }
    if hasMore { digits += "1" }
    // 0.ddd: the point stands `count` places to the left of where the kept digits end.
    let scale = exponent + dropped + count
    if scale > 400 { return .infinity }
    if scale < -400 { return 0 }
    return Double("\(digits)e\(scale)") ?? .infinity
  }
}
