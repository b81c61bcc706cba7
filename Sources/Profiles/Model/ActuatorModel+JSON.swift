import Actuators
import JSONText

extension ActuatorModel {
  /// The first mode's numbers stand in the model itself; `modes` has all where there are two.
  var json: JSONValue {
    .object(present: [
      "kind": .string(kind.rawValue),
      "f0": modes.first?.f0.json,
      "q": modes.first?.q.json,
      "gain": (modes.first?.gain ?? piezoGain)?.json,
      "delay": delay?.json,
      "modes": modes.count > 1 ? .array(modes.map { .object($0.members) }) : nil,
      "coupling": coupling?.json,
      "levels": .array(
        levels.map { .object([JSONMember("drive", .finite($0.drive))] + $0.mode.members) }),
      "resistance": resistance?.json,
      "inductance": inductance?.json,
      "misfit": .finite(misfit),
    ])
  }

  init(_ field: ProfileField) throws(ProfileError) {
    let model = try field.object(
      "kind", "f0", "q", "gain", "delay", "modes", "coupling", "levels", "resistance", "inductance",
      "misfit")
    let kind = try model["kind"].word(Kind.self)
    var levels: [Level] = []
    for level in try model["levels"].elements() {
      let level = try level.object("drive", "f0", "q", "gain")
      let drive = try level["drive"]
      guard try drive.positive(upTo: DriveLimits.highestVolts, "V") > levels.last?.drive ?? 0 else {
        throw drive.error("\(drive.path) is not above the one before it, but drives must rise")
      }
      levels.append(Level(drive: try drive.number(), mode: try Mode(level)))
    }
    self.init(
      kind: kind, modes: try Self.modes(model, kind: kind),
      coupling: try Self.coupling(model),
      delay: try Self.delay(model), levels: levels,
      resistance: try Self.optional(model, "resistance", .ohm, upTo: 1e7),
      inductance: try Self.optional(model, "inductance", .henry, upTo: 1e3),
      misfit: try model["misfit"].number(in: 0...1))
    if kind == .piezo, modes.isEmpty {
      piezoGain = try MeasuredQuantity(
        gain: try model["gain"], .metrePerSecondSquaredPerVolt)
    }
  }

  /// Like a gain it has a sign.
  private static func coupling(_ model: ProfileField) throws(ProfileError) -> MeasuredQuantity? {
    guard let field = try model.member("coupling") else { return nil }
    return try MeasuredQuantity(gain: field, .metrePerSecondSquaredPerVolt)
  }

  /// No response comes before the reference, but for what is not known of both.
  private static func delay(_ model: ProfileField) throws(ProfileError) -> MeasuredQuantity? {
    guard let field = try model.member("delay") else { return nil }
    let delay = try MeasuredQuantity(field, .second, in: -1...10, uncertaintyUpTo: 1)
    guard delay.value >= -max(5e-5, 5 * min(1, delay.uncertainty)) else {
      throw try field["value"].error(
        "\(field.path).value is \(delay.value) s, but a response cannot come before its drive: "
          + "the sensor's own delay in the rig file is too long")
    }
    return delay
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
    _ model: ProfileField, _ key: String, _ unit: ProfileUnit, upTo highest: Double
  ) throws(ProfileError) -> MeasuredQuantity? {
    guard let field = try model.member(key) else { return nil }
    return try MeasuredQuantity(positive: field, unit, upTo: highest)
  }
}

extension ActuatorModel.Mode {
  fileprivate var members: [JSONMember] {
    [JSONMember("f0", f0.json), JSONMember("q", q.json), JSONMember("gain", gain.json)]
  }

  fileprivate init(_ field: ProfileField) throws(ProfileError) {
    self.init(
      f0: try MeasuredQuantity(positive: try field["f0"], .hertz, upTo: 20_000),
      q: try MeasuredQuantity(positive: try field["q"], .one, upTo: 1000),
      gain: try MeasuredQuantity(gain: try field["gain"], .metrePerSecondSquaredPerVolt))
  }
}

extension MeasuredQuantity {
  var json: JSONValue {
    ["value": .finite(value), "unit": .string(unit.rawValue), "uncertainty": .finite(uncertainty)]
  }

  /// Reads a quantity above 0 that is known at least as to its size.
  init(positive field: ProfileField, _ unit: ProfileUnit, upTo highest: Double) throws(ProfileError)
  {
    let value = try field.object("value", "unit", "uncertainty")["value"]
      .positive(upTo: highest, unit.rawValue)
    try self.init(field, unit, in: 0...highest, uncertaintyUpTo: value)
  }

  /// Reads a gain, of either sign.
  init(gain field: ProfileField, _ unit: ProfileUnit) throws(ProfileError) {
    let value = try field.object("value", "unit", "uncertainty")["value"]
    let number = try value.number(in: -1e6...1e6, unit.rawValue)
    guard number != 0 else {
      throw value.error("\(value.path) is 0, but an actuator without gain has no profile")
    }
    try self.init(field, unit, in: -1e6...1e6, uncertaintyUpTo: abs(number))
  }

  /// Reads a quantity whose unit is known; an uncertainty of null is one that nobody knows.
  ///
  /// An uncertainty of 0 is none: nothing is measured exactly.
  init(
    _ field: ProfileField, _ unit: ProfileUnit, in range: ClosedRange<Double>,
    uncertaintyUpTo highest: Double
  ) throws(ProfileError) {
    let field = try field.object("value", "unit", "uncertainty")
    let found = try field["unit"]
    guard try found.string() == unit.rawValue else {
      throw found.error(
        "\(found.path) is '\(ProfileField.shortened(try found.string()))', but must be "
          + "'\(unit.rawValue)'")
    }
    let uncertainty = try field["uncertainty"]
    self.init(
      try field["value"].number(in: range, unit.rawValue), unit,
      uncertainty: uncertainty.node.isNull
        ? .infinity : try uncertainty.positive(upTo: highest, unit.rawValue))
  }
}
