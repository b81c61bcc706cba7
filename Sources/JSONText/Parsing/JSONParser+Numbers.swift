// SPDX-License-Identifier: Apache-2.0

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

/// Converts mantissa x 10^exponent to the nearest double, ties to even.
///
/// Exact ways that need no long arithmetic; nil where none applies:
/// 1. a product or quotient of two doubles that are both exact (Clinger 1990);
/// 2. mantissa x 5^n as a product of 128 bits, cut to its highest 64;
/// 3. mantissa / 5^n by one 128-bit division to a quotient of at least 62 bits.
///
/// What 2 and 3 cut off becomes the sticky bit below those that are kept, so that the conversion to
/// 53 bits rounds once and rightly; the power of two that 10^n still lacks is exact.
func decimal(_ mantissa: UInt64, digits: Int, exponent: Int) -> Double? {
  guard digits <= 19 else { return nil }
  if mantissa == 0 { return 0 }
  if exponent == 0 { return Double(mantissa) }
  if mantissa <= 1 << 53 && abs(exponent) < doublePowersOfTen.count {
    return exponent < 0
      ? Double(mantissa) / doublePowersOfTen[-exponent]
      : Double(mantissa) * doublePowersOfTen[exponent]
  }
  guard abs(exponent) < powersOfFive.count else { return nil }
  return exponent < 0
    ? quotient(of: mantissa, by: powersOfFive[-exponent], scale: exponent)
    : product(of: mantissa, by: powersOfFive[exponent], scale: exponent)
}

/// The double nearest to first x second x 2^scale.
private func product(of first: UInt64, by second: UInt64, scale: Int) -> Double {
  let (high, low) = first.multipliedFullWidth(by: second)
  guard high != 0 else { return Double(low) * power(ofTwo: scale) }
  let shift = high.leadingZeroBitCount
  let kept = high << shift | low >> (64 - shift)
  let sticky: UInt64 = low << shift == 0 ? 0 : 1
  return Double(kept | sticky) * power(ofTwo: scale + 64 - shift)
}

/// The double nearest to dividend / divisor x 2^scale.
private func quotient(of dividend: UInt64, by divisor: UInt64, scale: Int) -> Double {
  let dividendShift = dividend.leadingZeroBitCount
  let divisorShift = divisor.leadingZeroBitCount
  let high = dividend << dividendShift
  // high / 2 < 2^63 <= divisor << divisorShift: the quotient fits in 64 bits.
  let (quotient, remainder) = (divisor << divisorShift).dividingFullWidth((high >> 1, high << 63))
  let sticky: UInt64 = remainder == 0 ? 0 : 1
  return Double(quotient | sticky) * power(ofTwo: scale + divisorShift - dividendShift - 63)
}

private func power(ofTwo exponent: Int) -> Double {
  Double(sign: .plus, exponent: exponent, significand: 1)
}

/// 10^0 to 10^22, which doubles hold exactly.
private let doublePowersOfTen: [Double] = [
  1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
  1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
]

/// 5^0 to 5^27, which 64 bits hold exactly.
private let powersOfFive: [UInt64] = (0...27).reduce(into: [1]) { powers, index in
  if index > 0 { powers.append(powers[index - 1] * 5) }
}
