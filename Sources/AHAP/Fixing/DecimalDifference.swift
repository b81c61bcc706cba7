/// Subtraction of numbers as they are written, so that 0.3 - 0.1 is 0.2.
enum DecimalDifference {
  private struct Decimal {
    var mantissa: Int
    /// The number of digits behind the point.
    var scale: Int
  }

  /// The shortest text of the difference of two JSON numbers.
  ///
  /// Exact where the digits of both fit into 64 bits; else the difference of the nearest doubles.
  static func text(_ first: String, minus second: String) -> String {
    if let a = decimal(first), let b = decimal(second),
      let text = exact(a, minus: b)
    {
      return text
    }
    return ((Double(first) ?? 0) - (Double(second) ?? 0)).plain
  }

  private static func decimal(_ text: String) -> Decimal? {
    var digits = ""
    var scale: Int?
    for character in text {
      if character == "." {
        scale = 0
      } else if character.isWholeNumber || character == "-" {
        digits.append(character)
        scale = scale.map { $0 + 1 }
      } else {
        return nil
      }
    }
    return Int(digits).map { Decimal(mantissa: $0, scale: scale ?? 0) }
  }

  private static func exact(_ a: Decimal, minus b: Decimal) -> String? {
    let scale = max(a.scale, b.scale)
    guard let first = scaled(a, to: scale), let second = scaled(b, to: scale) else { return nil }
    let (difference, overflows) = first.subtractingReportingOverflow(second)
    guard !overflows, difference != Int.min else { return nil }
    var digits = String(abs(difference))
    digits = String(repeating: "0", count: max(scale + 1 - digits.count, 0)) + digits
    var fraction = digits.suffix(scale)
    while fraction.last == "0" { fraction.removeLast() }
    let sign = difference < 0 ? "-" : ""
    return sign + digits.dropLast(scale) + (fraction.isEmpty ? "" : "." + fraction)
  }

  private static func scaled(_ number: Decimal, to scale: Int) -> Int? {
    var mantissa = number.mantissa
    for _ in number.scale..<scale {
      let (product, overflows) = mantissa.multipliedReportingOverflow(by: 10)
      if overflows { return nil }
      mantissa = product
    }
    return mantissa
  }
}
