extension Double {
  /// The billionths that are kept: a nanosecond, a billionth of a level.
  ///
  /// Sums of doubles leave rests beyond it, such as 0.30000000000000004, which nobody has asked for.
  private static let keptScale = 1e9
  private static let keptDigits = 9
  /// Beyond it that many digits do not fit into a double beside the whole number.
  private static let largestScaled = 1e6

  /// The number as an edit keeps it: to its billionths.
  var kept: Double {
    abs(self) < Self.largestScaled ? (self * Self.keptScale).rounded() / Self.keptScale : self
  }

  /// The kept number as it is written: the fewest digits, no exponent, no `.0`.
  var written: String {
    guard abs(self) < Self.largestScaled else {
      let text = description
      return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
    let scaled = Int((self * Self.keptScale).rounded())
    let (whole, rest) = scaled.magnitude.quotientAndRemainder(dividingBy: UInt(Self.keptScale))
    let sign = scaled < 0 ? "-" : ""
    guard rest != 0 else { return "\(sign)\(whole)" }
    let digits = String(rest)
    var fraction = String(repeating: "0", count: Self.keptDigits - digits.count) + digits
    while fraction.last == "0" { fraction.removeLast() }
    return "\(sign)\(whole).\(fraction)"
  }
}
