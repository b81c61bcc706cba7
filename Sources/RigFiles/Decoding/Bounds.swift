import Units

/// Which values a quantity may have, in the SI unit of its dimension.
struct Bounds {
  private let lower: Double
  private let upper: Double
  private let isLowerIncluded: Bool

  /// Not the lower bound itself, but anything over it.
  static func above(_ lower: Double, upTo upper: Double) -> Bounds {
    Bounds(lower: lower, upper: upper, isLowerIncluded: false)
  }

  /// Both bounds included.
  static func from(_ lower: Double, upTo upper: Double) -> Bounds {
    Bounds(lower: lower, upper: upper, isLowerIncluded: true)
  }

  func contains(_ value: Double) -> Bool {
    (isLowerIncluded ? value >= lower : value > lower) && value <= upper
  }

  /// The end of a sentence that begins with 'it must be'.
  func text(_ unit: MeasurementUnit) -> String {
    // Not '0 us': a zero has no size that a prefix could fit.
    let zero = unit == .one || unit == .count ? "0" : "0 \(unit.rawValue)"
    let from = lower == 0 ? zero : EngineeringFormat.text(lower, unit)
    let to = EngineeringFormat.text(upper, unit)
    return isLowerIncluded ? "from \(from) to \(to)" : "above \(from) and at most \(to)"
  }
}
