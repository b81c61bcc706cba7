import Devices
import Units

extension PlantParameters {
  /// Reads a plant: a name of the catalogue, or a map, which may begin with one in `from`.
  init(_ node: YAMLNode) throws(RigFileError) {
    guard case .map(let entries) = node.content else {
      self = try Self.catalogued(node)
      return
    }
    let from = entries.first { $0.key.isScalar("from") }?.value
    switch try from.map(Self.catalogued) {
    case .linear(let motor): self = .linear(try LinearMotor(node, from: motor))
    case .rotating(let motor): self = .rotating(try RotatingMotor(node, from: motor))
    case nil:
      // Without a name, the keys tell: 'resistance', 'mount-mass' and 'from' are in both.
      let isRotating = entries.contains { entry in
        RotatingMotor.Key.allCases.contains {
          entry.key.isScalar($0.rawValue) && LinearMotor.Key(rawValue: $0.rawValue) == nil
        }
      }
      self =
        isRotating
        ? .rotating(try RotatingMotor(node, from: nil))
        : .linear(try LinearMotor(node, from: nil))
    }
  }

  private static func catalogued(_ node: YAMLNode) throws(RigFileError) -> PlantParameters {
    let name = try node.text()
    guard let plant = named(name) else {
      let names = catalogue.map(\.name)
      throw node.error(
        "\(name.quoted) is not a plant of the catalogue\(Nearest.hint(for: name, in: names)): "
          + "use \(names.joined(separator: ", "))")
    }
    return plant
  }
}

extension PlantParameters.LinearMotor {
  fileprivate enum Key: String, FileKey {
    case from, resonance, quality, resistance, inductance
    case movingMass = "moving-mass"
    case travel
    case forceFactor = "force-factor"
    case mountMass = "mount-mass"
    case hardening
    case forceFactorLoss = "force-factor-loss"
  }

  fileprivate init(_ node: YAMLNode, from base: Self?) throws(RigFileError) {
    let map = try MapReader<Key>(node, "a linear plant")
    self.init(
      resonance: try map.value(
        .resonance, .frequency, .from(1, upTo: 20_000), or: base?.resonance, example: "170 Hz"),
      quality: try map.value(
        .quality, .ratio, .from(0.1, upTo: 1000), or: base?.quality, example: "9"),
      resistance: try map.value(
        .resistance, .resistance, .above(0, upTo: 1e6), or: base?.resistance, example: "13.8 ohm"),
      movingMass: try map.value(
        .movingMass, .mass, .above(0, upTo: 100), or: base?.movingMass, example: "1.2 g"),
      travel: try map.value(
        .travel, .length, .above(0, upTo: 1), or: base?.travel, example: "0.75 mm"),
      forceFactor: try map.value(
        .forceFactor, .forceFactor, .above(0, upTo: 1000), or: base?.forceFactor,
        example: "0.445 N/A"))
    // These have a default of their own where there is no base.
    let standard = base ?? self
    inductance =
      try map[.inductance]?.quantity(.inductance, .from(0, upTo: 10)) ?? standard.inductance
    mountMass = try map[.mountMass]?.quantity(.mass, .above(0, upTo: 1000)) ?? standard.mountMass
    hardening = try map[.hardening]?.quantity(.ratio, .from(0, upTo: 10)) ?? standard.hardening
    forceFactorLoss =
      try map[.forceFactorLoss]?.quantity(.ratio, .from(0, upTo: 0.9)) ?? standard.forceFactorLoss
  }
}

extension PlantParameters.RotatingMotor {
  fileprivate enum Key: String, FileKey {
    case from
    case ratedSpeed = "rated-speed"
    case ratedVoltage = "rated-voltage"
    case resistance
    case spinUp = "spin-up"
    case staticMoment = "static-moment"
    case startVoltage = "start-voltage"
    case mountMass = "mount-mass"
  }

  fileprivate init(_ node: YAMLNode, from base: Self?) throws(RigFileError) {
    let map = try MapReader<Key>(node, "a rotating plant")
    self.init(
      ratedSpeed: try map.value(
        .ratedSpeed, .frequency, .from(1, upTo: 20_000), or: base?.ratedSpeed, example: "200 Hz"),
      ratedVolts: try map.value(
        .ratedVoltage, .voltage, .above(0, upTo: 1000), or: base?.ratedVolts, example: "3 V"),
      resistance: try map.value(
        .resistance, .resistance, .above(0, upTo: 1e6), or: base?.resistance, example: "35 ohm"),
      spinUpTime: try map.value(
        .spinUp, .time, .from(1e-4, upTo: 100), or: base?.spinUpTime, example: "60 ms"),
      staticMoment: try map.staticMoment(or: base?.staticMoment))
    // These have a default of their own where there is no base.
    let standard = base ?? self
    startVolts =
      try map[.startVoltage]?.quantity(.voltage, .from(0, upTo: 1000)) ?? standard.startVolts
    mountMass = try map[.mountMass]?.quantity(.mass, .above(0, upTo: 1000)) ?? standard.mountMass
    guard startVolts < ratedVolts else {
      throw map.error(
        at: .startVoltage,
        "the start voltage of \(EngineeringFormat.text(startVolts, .volt)) must be below the "
          + "rated one of \(EngineeringFormat.text(ratedVolts, .volt))")
    }
  }
}

extension MapReader<PlantParameters.RotatingMotor.Key> {
  fileprivate func staticMoment(or standard: Double?) throws(RigFileError) -> Double {
    if self[.staticMoment] == nil, let standard { return standard }
    return try require(.staticMoment, example: "1.0 g*mm").staticMoment()
  }
}

extension MapReader {
  /// A quantity in SI units; where the map has none, a default, and where there is none, an error.
  fileprivate func value(
    _ key: Key, _ dimension: Dimension, _ bounds: Bounds, or standard: Double?, example: String
  ) throws(RigFileError) -> Double {
    if self[key] == nil, let standard { return standard }
    return try require(key, example: example).quantity(dimension, bounds)
  }
}

extension YAMLNode {
  fileprivate func isScalar(_ text: String) -> Bool {
    if case .scalar(text) = content { true } else { false }
  }

  /// A mass times a length in kilogram metres, written `1.0 g*mm` or `1e-6 kg*m`.
  fileprivate func staticMoment() throws(RigFileError) -> Double {
    let text = try text()
    for (symbol, factor) in [("g*mm", 1e-6), ("kg*m", 1.0)] where text.hasSuffix(symbol) {
      let number = text.dropLast(symbol.count).filter { $0 != " " }
      guard let value = Double(number), value.isFinite, !number.contains("x") else { break }
      guard value > 0, value * factor <= 1 else {
        throw error("\(label) is \(text.quoted): it must be above 0 and at most 1 kg*m")
      }
      return value * factor
    }
    throw error("\(text.quoted) is not a static moment: write for example '1.0 g*mm' (or kg*m)")
  }
}
