import JSONText

extension ActuatorModel {
  /// The first mode's numbers stand in the model itself; `modes` has all where there are two.
  var json: JSONValue {
    .object(present: [
      "kind": .string(kind.rawValue),
      "f0": modes.first?.f0.json,
      "q": modes.first?.q.json,
      "gain": (modes.first?.gain ?? piezoGain)?.json,
      "delay": delay.json,
      "modes": modes.count > 1 ? .array(modes.map { .object($0.members) }) : nil,
      "levels": .array(
        levels.map { .object([JSONMember("drive", .finite($0.drive))] + $0.mode.members) }),
      "resistance": resistance?.json,
      "inductance": inductance?.json,
      "misfit": .finite(misfit),
    ])
  }

  init(_ field: ProfileField) throws(ProfileError) {
    let model = try field.object(
      "kind", "f0", "q", "gain", "delay", "modes", "levels", "resistance", "inductance", "misfit")
    let kind = try model["kind"].word(Kind.self)
    var levels: [Level] = []
    for level in try model["levels"].elements() {
      let level = try level.object("drive", "f0", "q", "gain")
      levels.append(Level(drive: try level["drive"].positive(), mode: try Mode(level)))
    }
    self.init(
      kind: kind, modes: try Self.modes(model, kind: kind),
      delay: try MeasuredQuantity(try model["delay"], .second), levels: levels,
      resistance: try Self.optional(model, "resistance", .ohm),
      inductance: try Self.optional(model, "inductance", .henry),
      misfit: try model["misfit"].notNegative())
    if kind == .piezo, modes.isEmpty {
      piezoGain = try MeasuredQuantity(try model["gain"], .metrePerSecondSquaredPerVolt)
    }
  }

  private static func modes(
    _ model: ProfileField, kind: Kind
  ) throws(ProfileError) -> [Mode] {
    if let list = try model.member("modes") {
      var modes: [Mode] = []
      for mode in try list.elements() {
        modes.append(try Mode(try mode.object("f0", "q", "gain")))
      }
      guard kind == .modes, modes.count == 2 else {
        throw list.error(
          "\(list.path) has \(modes.count) modes under the kind '\(kind.rawValue)', but belongs "
            + "to the kind 'modes', with two")
      }
      guard try Mode(model) == modes[0] else {
        throw list.error(
          "\(list.path)[0] differs from f0, q and gain of \(model.path), but must be the same")
      }
      return modes
    }
    switch kind {
    case .modes: throw model.error("\(model.path).modes is missing under the kind 'modes'")
    case .erm:
      for key in ["f0", "q", "gain"] {
        if let found = try model.member(key) {
          throw found.error(
            "\(found.path) is there, but a rotating mass has no resonance: its motorCurve tells "
              + "what it does")
        }
      }
      return []
    case .piezo where try model.member("f0") == nil:
      if let found = try model.member("q") {
        throw found.error("\(found.path) is there without \(model.path).f0")
      }
      return []
    case .piezo, .resonator: return [try Mode(model)]
    }
  }

  private static func optional(
    _ model: ProfileField, _ key: String, _ unit: ProfileUnit
  ) throws(ProfileError) -> MeasuredQuantity? {
    guard let field = try model.member(key) else { return nil }
    return try MeasuredQuantity(field, unit)
  }
}

extension ActuatorModel.Mode {
  fileprivate var members: [JSONMember] {
    [JSONMember("f0", f0.json), JSONMember("q", q.json), JSONMember("gain", gain.json)]
  }

  fileprivate init(_ field: ProfileField) throws(ProfileError) {
    self.init(
      f0: try MeasuredQuantity(try field["f0"], .hertz),
      q: try MeasuredQuantity(try field["q"], .one),
      gain: try MeasuredQuantity(try field["gain"], .metrePerSecondSquaredPerVolt))
    for (key, quantity) in [("f0", f0), ("q", q)] where quantity.value <= 0 {
      let value = try field[key]["value"]
      throw value.error("\(value.path) is \(quantity.value), but must be above 0")
    }
    guard gain.value != 0 else {
      let value = try field["gain"]["value"]
      throw value.error("\(value.path) is 0, but an actuator without gain has no profile")
    }
  }
}

extension MeasuredQuantity {
  var json: JSONValue {
    ["value": .finite(value), "unit": .string(unit.rawValue), "uncertainty": .finite(uncertainty)]
  }

  /// Reads a quantity whose unit is known; an uncertainty of null is one that nobody knows.
  init(_ field: ProfileField, _ unit: ProfileUnit) throws(ProfileError) {
    let field = try field.object("value", "unit", "uncertainty")
    let found = try field["unit"]
    guard try found.string() == unit.rawValue else {
      throw found.error(
        "\(found.path) is '\(ProfileField.shortened(try found.string()))', but must be "
          + "'\(unit.rawValue)'")
    }
    let uncertainty = try field["uncertainty"]
    self.init(
      try field["value"].number(), unit,
      uncertainty: uncertainty.node.isNull ? .infinity : try uncertainty.notNegative())
  }
}
