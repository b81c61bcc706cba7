import Acceptance
import Profiles
import Units

extension Shown {
  /// What stands where nobody said something.
  static let notGiven = "not given"
  /// What stands where a number is not finite.
  static let notKnown = "not known"

  /// A number with four significant digits.
  static func number(_ value: Double) -> String {
    value.isFinite ? EngineeringFormat.significant(value) : notKnown
  }

  /// A number with a count of decimals and a unit.
  static func fixed(_ value: Double, _ decimals: Int, _ unit: String) -> String {
    guard value.isFinite else { return notKnown }
    let number = EngineeringFormat.fixed(value, decimals)
    return unit.isEmpty ? number : "\(number) \(unit)"
  }

  /// A level or a difference of levels.
  static func decibels(_ value: Double, decimals: Int = 2) -> String {
    fixed(value, decimals, "dB")
  }

  /// A share as a percentage.
  static func percent(_ share: Double, decimals: Int = 2) -> String {
    fixed(100 * share, decimals, "%")
  }

  /// The word that a certificate has for a verdict on a goal.
  static func word(of verdict: Verdict) -> String {
    switch verdict {
    case .pass: "meets"
    case .marginal: "limited"
    case .notMeasured: "not measured"
    case .fail: "misses"
    }
  }
}

/// A measured quantity in the digits that are known of it.
struct QuantityText {
  /// The number.
  let value: String
  /// One standard uncertainty.
  let standard: String
  /// The expanded uncertainty, k = 2.
  let expanded: String
  /// The expanded uncertainty as a share of the number.
  let relative: String
  /// The unit, as a terminal shows it; empty for a bare number.
  let unit: String

  init(_ quantity: MeasuredQuantity) {
    let size = max(abs(quantity.value), quantity.uncertainty.isFinite ? quantity.uncertainty : 0)
    let scale: Double
    switch quantity.unit {
    case .second where size < 1e-3: (scale, unit) = (1e6, "us")
    case .second where size < 1: (scale, unit) = (1e3, "ms")
    case .henry where size < 1: (scale, unit) = (1e3, "mH")
    case .one: (scale, unit) = (1, "")
    default: (scale, unit) = (1, quantity.unit.rawValue)
    }
    let (shown, spread) = (quantity.value * scale, quantity.uncertainty * scale)
    guard spread.isFinite, spread > 0, shown.isFinite else {
      value = Shown.number(shown)
      standard = spread == 0 ? "0" : Shown.notKnown
      (expanded, relative) = (standard, spread == 0 ? "0 %" : Shown.notKnown)
      return
    }
    let parts = EngineeringFormat.text(shown, .one, uncertainty: spread).split(separator: " ± ")
    value = parts.first.map(String.init) ?? Shown.number(shown)
    standard = parts.last.map(String.init) ?? Shown.number(spread)
    let decimals = standard.split(separator: ".").dropFirst().first?.count ?? 0
    expanded = EngineeringFormat.fixed(2 * spread, decimals)
    relative = shown == 0 ? Shown.notKnown : Shown.percent(2 * spread / abs(shown))
  }

  /// Number, expanded uncertainty and unit on one line.
  var line: String {
    let suffix = unit.isEmpty ? "" : " \(unit)"
    return expanded == Shown.notKnown
      ? "\(value)\(suffix), uncertainty not known" : "\(value) ± \(expanded)\(suffix)"
  }

  /// The unit with the signs that a page can show.
  var typesetUnit: String { unit.replacing("us", with: "µs").replacing("s2", with: "s²") }
}
