/// Numbers as SVG reads them.
enum SVG {
  /// A place as text with at most one decimal.
  static func place(_ value: Double) -> String { number(tenths: tenths(value)) }

  /// The nearest tenth.
  static func tenths(_ value: Double) -> Int { Int((value * 10).rounded()) }

  /// Tenths as short as can be: `12`, `-.3`, `4.5`.
  static func number(tenths: Int) -> String {
    let (whole, tenth) = abs(tenths).quotientAndRemainder(dividingBy: 10)
    let sign = tenths < 0 ? "-" : ""
    if tenth == 0 { return sign + "\(whole)" }
    return sign + (whole == 0 ? "" : "\(whole)") + ".\(tenth)"
  }
}
