// SPDX-License-Identifier: Apache-2.0

import Devices
import Units

extension SimulationDescription {
  private enum Key: String, FileKey {
    case seed, clock, plant, drive, capture, sensor, sound, transport, faults, wiring
  }

  init(_ node: YAMLNode) throws(RigFileError) {
    let map = try MapReader<Key>(node, "the simulation")
    self.init(
      seed: try map[.seed]?.integer(0...UInt64.max) ?? 1,
      clock: try map[.clock]?.choice(Clock.self, "a clock") ?? .virtual,
      plant: try PlantParameters(map.require(.plant, example: "coinZ-170")),
      drive: try Converter(map[.drive], "the simulated drive"),
      capture: try Converter(map[.capture], "the simulated capture"),
      sensor: try map[.sensor].map(Sensor.init) ?? Sensor(),
      sound: try map[.sound].map(SoundPath.init) ?? SoundPath(),
      transportDelay: try map[.transport]?.quantity(.time, .from(0, upTo: 1)) ?? 0,
      faults: try Self.faults(map[.faults]), wiring: try map[.wiring].map(Wiring.init))
  }

  private static func faults(_ node: YAMLNode?) throws(RigFileError) -> [Fault] {
    guard let node else { return [] }
    if case .list(let items) = node.content, items.isEmpty { return [] }
    return try node.items(example: "[{kind: xrun, at: 1.2 s, for: 20 ms}]").map(Fault.init)
  }
}

extension SimulationDescription.Converter {
  private enum Key: String, FileKey {
    case latency, jitter, clock, bits, noise
  }

  fileprivate init(_ node: YAMLNode?, _ subject: String) throws(RigFileError) {
    let standard = Self()
    self = standard
    guard let node else { return }
    let map = try MapReader<Key>(node, subject)
    self.init(
      latency: try map[.latency]?.quantity(.time, .from(0, upTo: 1)) ?? standard.latency,
      jitter: try map[.jitter]?.quantity(.time, .from(0, upTo: 0.1)) ?? standard.jitter,
      clockOffset: try map[.clock]?.quantity(.ratio, .from(-0.01, upTo: 0.01))
        ?? standard.clockOffset,
      bits: try map[.bits]?.integer(0...32) ?? standard.bits,
      noiseVolts: try map[.noise]?.quantity(.voltage, .from(0, upTo: 100)) ?? standard.noiseVolts)
  }
}

extension SimulationDescription.Sensor {
  private enum Key: String, FileKey {
    case noise, bandwidth
    case fullScale = "full-scale"
    case gravity
    case crossAxis = "cross-axis"
  }

  fileprivate init(_ node: YAMLNode) throws(RigFileError) {
    let map = try MapReader<Key>(node, "the simulated sensor")
    let standard = Self()
    self.init(
      noiseDensity: try map[.noise]?.quantity(.accelerationNoiseDensity, .from(0, upTo: 100))
        ?? standard.noiseDensity,
      bandwidth: try map[.bandwidth]?.quantity(.frequency, .from(1, upTo: 1e6))
        ?? standard.bandwidth,
      fullScale: try map[.fullScale]?.quantity(.acceleration, .above(0, upTo: 1e6))
        ?? standard.fullScale,
      gravity: try map[.gravity]?.quantity(.ratio, .from(-1, upTo: 1)) ?? standard.gravity,
      crossAxis: try map[.crossAxis]?.quantity(.ratio, .from(-1, upTo: 1)) ?? standard.crossAxis)
  }
}

extension SimulationDescription.SoundPath {
  private enum Key: String, FileKey {
    case latency, gain, noise
  }

  fileprivate init(_ node: YAMLNode) throws(RigFileError) {
    let map = try MapReader<Key>(node, "the simulated sound path")
    let standard = Self()
    self.init(
      latency: try map[.latency]?.quantity(.time, .from(0, upTo: 1)) ?? standard.latency,
      gain: try map[.gain]?.soundLevel(.from(0, upTo: 1000)) ?? standard.gain,
      noise: try map[.noise]?.soundLevel(.from(0, upTo: 100)) ?? standard.noise)
  }
}

extension SimulationDescription.Wiring {
  private enum Key: String, FileKey {
    case drive, capture
  }

  fileprivate init(_ node: YAMLNode) throws(RigFileError) {
    let map = try MapReader<Key>(node, "the simulated wiring")
    self.init(
      outputs: try Self.ends(map.require(.drive, example: "{haptic: 2, reference: -1}")),
      inputs: try Self.ends(map.require(.capture, example: "{acceleration: 2, reference: 1}")))
  }

  /// The channel of each role; below zero for a reversed wire.
  private static func ends<Role: FileKey>(_ node: YAMLNode) throws(RigFileError) -> [Role: Int] {
    let map = try MapReader<Role>(node, node.label)
    var ends: [Role: Int] = [:]
    for role in Role.allCases {
      guard let value = map[role] else { continue }
      let end: Int = try value.integer(-64...64)
      try value.check(end != 0, "channels count from 1: -1 is channel 1 with its wire reversed")
      if let other = ends.first(where: { abs($0.value) == abs(end) }) {
        throw value.error("'\(other.key.rawValue)' and '\(role.rawValue)' end at one channel")
      }
      ends[role] = end
    }
    return ends
  }
}

extension CaptureRole: FileKey {}

extension SimulationDescription.Fault {
  private enum Key: String, FileKey {
    case kind, at
    case duration = "for"
  }

  fileprivate init(_ node: YAMLNode) throws(RigFileError) {
    let map = try MapReader<Key>(node, "a fault")
    self.init(
      kind: try map.require(.kind, example: "xrun").choice(Kind.self, "a kind of fault"),
      time: try map.require(.at, example: "1.2 s").quantity(.time, .from(0, upTo: 1e6)),
      duration: try map[.duration]?.quantity(.time, .above(0, upTo: 1e6)))
  }
}

extension YAMLNode {
  /// Volts of a line, or pascals of a microphone: what the capture's audio channel has.
  fileprivate func soundLevel(_ bounds: Bounds) throws(RigFileError) -> Double {
    let isPressure = try text().hasSuffix("Pa")
    return try quantity(isPressure ? .pressure : .voltage, bounds)
  }
}

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
  func isScalar(_ text: String) -> Bool {
    if case .scalar(text) = content { true } else { false }
  }

  /// A mass times a length in kilogram metres, written `1.0 g*mm` or `1e-6 kg*m`.
  fileprivate func staticMoment() throws(RigFileError) -> Double {
    let text = try text()
    for (symbol, factor) in [("g*mm", 1e-6), ("kg*m", 1.0)] where text.hasSuffix(symbol) {
      let number = text.dropLast(symbol.count).filter { $0 != " " }
      guard let value = Double(number), value.isFinite, !number.contains("x") else { break }
      try check(
        value > 0 && value * factor <= 1,
        "\(label) is \(text.quoted): it must be above 0 and at most 1 kg*m")
      return value * factor
    }
    throw error("\(text.quoted) is not a static moment: write for example '1.0 g*mm' (or kg*m)")
  }
}
