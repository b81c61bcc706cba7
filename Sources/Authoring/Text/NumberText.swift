// SPDX-License-Identifier: Apache-2.0

extension Double {
  /// The billionths that are kept: a nanosecond, a billionth of a level.
  ///
  /// Sums of doubles leave rests beyond it, such as 0.30000000000000004, which nobody has asked for.
  private static let keptScale = 1e9
  /// Beyond it that many digits do not fit into a double beside the whole number.
  private static let largestScaled = 1e6

  /// The number as an edit keeps it: to its billionths.
  var kept: Double {
    abs(self) < Self.largestScaled ? (self * Self.keptScale).rounded() / Self.keptScale : self
  }

  /// The kept number as it is written: the fewest digits, no exponent, no `.0`.
  var written: String {
    let text = kept.description
    if text.hasSuffix(".0") { return text == "-0.0" ? "0" : String(text.dropLast(2)) }
    return abs(self) < Self.smallestPlain ? Self.point(text) : text
  }

  /// Below it Swift writes exponents.
  private static let smallestPlain = 1e-3

  /// Writes out a small number that has an exponent: `1.5e-05` is 0.000015.
  private static func point(_ text: String) -> String {
    let parts = text.split(separator: "e")
    guard parts.count == 2, let exponent = Int(parts[1]), exponent < 0 else { return text }
    let digits = parts[0].filter(\.isNumber)
    let sign = parts[0].hasPrefix("-") ? "-" : ""
    return sign + "0." + String(repeating: "0", count: -exponent - 1) + digits
  }
}
