// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import AHAP

/// Numbers are subtracted as they are written.
struct DecimalDifferenceTests {
  @Test(arguments: [
    ("0.3", "0.1", "0.2"), ("1", "1.0", "0"), ("12.50", "0.5", "12"), ("10", "0.001", "9.999"),
    ("0.024000001", "0.024", "0.000000001"), ("0.1", "0.3", "-0.2"), ("-0", "0", "0"),
    ("100", "1", "99"),
    // Beyond 64 bits or with an exponent, the doubles are subtracted.
    ("1e-1", "0.1", "0"), ("25e-2", "0.125", "0.125"),
    ("0.12345678901234567890", "0", "0.12345678901234568"),
    ("99999999999999999999", "0.5", "1e+20"),
  ])
  func `the difference is exact and short`(first: String, second: String, difference: String) {
    #expect(DecimalDifference.text(first, minus: second) == difference)
  }
}
