import Profiles

/// One number of the fitted model under the names that people know it by.
struct ModelRow {
  /// The short name.
  let symbol: String
  /// What it is, in words.
  let name: String
  let quantity: MeasuredQuantity

  /// Every number of a profile's model.
  static func all(of profile: CalibrationProfile) -> [ModelRow] {
    let model = profile.model
    var rows: [ModelRow] = []
    for (index, mode) in model.modes.enumerated() {
      let suffix = model.modes.count > 1 ? " \(index + 1)" : ""
      let words = model.modes.count > 1 ? ", mode \(index + 1)" : ""
      rows += [
        ModelRow(symbol: "f0\(suffix)", name: "Resonance\(words)", quantity: mode.f0),
        ModelRow(symbol: "Q\(suffix)", name: "Quality factor\(words)", quantity: mode.q),
        ModelRow(symbol: "gain\(suffix)", name: "Gain at resonance\(words)", quantity: mode.gain),
      ]
    }
    if let gain = model.piezoGain {
      rows.append(
        ModelRow(
          symbol: "gain",
          name: "Gain at \(Shown.number(ActuatorModel.piezoReference)) Hz, growing with f²",
          quantity: gain))
    }
    if let curve = profile.motorCurve {
      rows.append(
        ModelRow(symbol: "spin-up", name: "Time constant of the speed", quantity: curve.spinUpTime))
    }
    if let delay = model.delay {
      rows.append(ModelRow(symbol: "delay", name: "Delay after the reference", quantity: delay))
    }
    if let resistance = model.resistance {
      rows.append(ModelRow(symbol: "R", name: "Resistance", quantity: resistance))
    }
    if let inductance = model.inductance {
      rows.append(ModelRow(symbol: "L", name: "Inductance", quantity: inductance))
    }
    return rows
  }
}
