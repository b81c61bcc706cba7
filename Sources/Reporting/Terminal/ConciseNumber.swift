import Units

/// Numbers in narrow columns: the digits that are known, the uncertainty of the last in brackets.
///
/// `8.2966(16)` is 8.2966 ± 0.0016; here one digit of it is told: `8.297(2)`.
enum ConciseNumber {
  /// Writes a value times a scale, with at most four decimals.
  static func text(_ value: Double, uncertainty: Double?, scale: Double = 1) -> String {
    let shown = value * scale
    guard let uncertainty, uncertainty.isFinite, uncertainty > 0 else {
      return EngineeringFormat.significant(shown)
    }
    let spread = uncertainty * scale
    var power = 1.0
    var decimals = 0
    while decimals < 4, (spread * power).rounded() < 1 {
      power *= 10
      decimals += 1
    }
    // What lies below the last decimal is told as one of it: never surer than shown.
    let digits = max(1, (spread * power).rounded())
    return "\(EngineeringFormat.fixed(shown, decimals))(\(EngineeringFormat.fixed(digits, 0)))"
  }
}
