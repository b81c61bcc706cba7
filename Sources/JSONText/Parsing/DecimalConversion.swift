/// Converts mantissa x 10^exponent to the nearest double, ties to even.
///
/// Exact ways that need no long arithmetic; nil where none applies:
/// 1. a product or quotient of two doubles that are both exact (Clinger 1990);
/// 2. mantissa x 5^n as a product of 128 bits, cut to its highest 64;
/// 3. mantissa / 5^n by one 128-bit division to a quotient of at least 62 bits.
///
/// What 2 and 3 cut off becomes the sticky bit below those that are kept, so that the conversion to
/// 53 bits rounds once and rightly; the power of two that 10^n still lacks is exact.
///
/// - Parameters:
///   - mantissa: The digits as an integer, right if there are at most 19.
///   - digits: The number of digits, leading zeros left out or not.
///   - exponent: The power of ten that scales the mantissa.
/// - Returns: The nearest double, or nil where only long arithmetic can tell.
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
