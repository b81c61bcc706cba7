/// Converts mantissa x 10^exponent to the nearest double, ties to even.
///
/// Exact ways that need no long arithmetic; nil where none applies:
/// 1. a product or quotient of two doubles that are both exact (Clinger 1990);
/// 2. mantissa / 10^n by one 128-bit division, whose remainder becomes the sticky bit of a quotient
///    of at least 62 bits, so that the conversion to 53 bits rounds once and rightly.
///
/// - Parameters:
///   - mantissa: The digits as an integer, right if there are at most 19.
///   - digits: The number of digits, zeros included.
///   - exponent: The power of ten that scales the mantissa.
/// - Returns: The nearest double, or nil where only long arithmetic can tell.
func decimal(_ mantissa: UInt64, digits: Int, exponent: Int) -> Double? {
  guard digits <= 19 else { return nil }
  if mantissa == 0 { return 0 }
  if exponent == 0 { return Double(mantissa) }
  if mantissa <= 1 << 53 && abs(exponent) <= 22 {
    return exponent < 0
      ? Double(mantissa) / doublePowersOfTen[-exponent]
      : Double(mantissa) * doublePowersOfTen[exponent]
  }
  guard exponent < 0 && exponent >= -19 else { return nil }
  let divisor = integerPowersOfTen[-exponent]
  let divisorShift = divisor.leadingZeroBitCount
  let mantissaShift = mantissa.leadingZeroBitCount
  let high = mantissa << mantissaShift
  // high / 2 < 2^63 <= divisor << divisorShift: the quotient fits in 64 bits.
  let (quotient, remainder) = (divisor << divisorShift).dividingFullWidth(
    (high >> 1, high << 63))
  let sticky: UInt64 = remainder == 0 ? 0 : 1
  let scale = divisorShift - mantissaShift - 63
  return Double(quotient | sticky) * Double(sign: .plus, exponent: scale, significand: 1)
}

/// 10^0 to 10^22, which doubles hold exactly.
private let doublePowersOfTen: [Double] = [
  1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
  1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
]

/// 10^0 to 10^19, which 64 bits hold exactly.
private let integerPowersOfTen: [UInt64] = [
  1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
  10_000_000_000, 100_000_000_000, 1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000,
  1_000_000_000_000_000, 10_000_000_000_000_000, 100_000_000_000_000_000,
  1_000_000_000_000_000_000, 10_000_000_000_000_000_000,
]
