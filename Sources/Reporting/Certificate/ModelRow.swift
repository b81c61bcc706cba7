import Profiles
import Units

/// One number of the fitted model under the names that people know it by.
struct ModelRow {
  let symbol: String
  let name: String
  let quantity: MeasuredQuantity

  static func all(of profile: CalibrationProfile) -> [ModelRow] {
    let model = profile.model
    var rows: [ModelRow] = []
    func add(_ symbol: String, _ name: String, _ quantity: MeasuredQuantity?) {
      guard let quantity else { return }
      rows.append(ModelRow(symbol: symbol, name: name, quantity: quantity))
    }
    for (index, mode) in model.modes.enumerated() {
      let suffix = model.modes.count > 1 ? " \(index + 1)" : ""
      let words = model.modes.count > 1 ? ", mode \(index + 1)" : ""
      add("f0\(suffix)", "Resonance\(words)", mode.f0)
      add("Q\(suffix)", "Quality factor\(words)", mode.q)
      add("gain\(suffix)", "Gain at resonance\(words)", mode.gain)
    }
    let reference = Shown.number(ActuatorModel.piezoReference)
    add("gain", "Gain at \(reference) Hz, growing with f²", model.piezoGain)
    add("spin-up", "Time constant of the speed", profile.motorCurve?.spinUpTime)
    add("delay", "Delay after the reference", model.delay)
    add("R", "Resistance", model.resistance)
    add("L", "Inductance", model.inductance)
    return rows
  }
}

/// A measured quantity in the digits that are known of it.
struct QuantityText {
  let value: String
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
