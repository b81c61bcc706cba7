// SPDX-License-Identifier: Apache-2.0

// Logarithms and powers without a call into the C library: the render thread may use them, and the same sound
// gives the same bytes on every machine.

/// The level of a mean square, in dB; -infinity for nothing.
@_noAllocation @_noLocks
func decibels(ofPower power: Double) -> Double {
  power > 0 ? 3.010299956639812 * binaryLogarithm(power) : -.infinity
}

/// The mean square of a level in dB.
@_noAllocation @_noLocks
func power(ofDecibels level: Double) -> Double { powerOfTwo(level / 3.010299956639812) }

/// The logarithm to the base 2 of a positive normal number, to 1e-10.
///
/// With m between 1/sqrt 2 and sqrt 2 and s = (m - 1)/(m + 1): ln m = 2 (s + s^3/3 + s^5/5 + ...).
@_noAllocation @_noLocks
func binaryLogarithm(_ x: Double) -> Double {
  guard x >= Double.leastNormalMagnitude else { return -1023 }
  let shifted = x.bitPattern &+ (0x3FF0_0000_0000_0000 &- 0x3FE6_A09E_667F_3BCD)
  let exponent = Int(shifted >> 52) - 1023
  let m = Double(bitPattern: x.bitPattern &- (UInt64(bitPattern: Int64(exponent)) << 52))
  let s = (m - 1) / (m + 1)
  let square = s * s
  var sum = 1.0 / 11
  sum = sum * square + 1.0 / 9
  sum = sum * square + 1.0 / 7
  sum = sum * square + 1.0 / 5
  sum = sum * square + 1.0 / 3
  sum = sum * square + 1
  return Double(exponent) + 2.885390081777927 * s * sum
}

/// 2^x, to 1e-9 of the value; 0 below 2^-1000.
///
/// 2^x = 2^n exp(f ln 2) with n the nearest whole number and the exponential as its series.
@_noAllocation @_noLocks
func powerOfTwo(_ x: Double) -> Double {
  guard x > -1000 else { return 0 }
  let bounded = x < 1000 ? x : 1000
  // Beside 1.5 x 2^52 the last bit of a double is worth 1.
  let n = bounded + 0x1.8p52 - 0x1.8p52
  let y = (bounded - n) * 0.6931471805599453
  var sum = 1.0 / 40_320
  sum = sum * y + 1.0 / 5_040
  sum = sum * y + 1.0 / 720
  sum = sum * y + 1.0 / 120
  sum = sum * y + 1.0 / 24
  sum = sum * y + 1.0 / 6
  sum = sum * y + 0.5
  sum = sum * y + 1
  sum = sum * y + 1
  return sum * Double(bitPattern: UInt64(Int(n) + 1023) << 52)
}
