import Actuators
import Devices
import Units

extension Actuator {
  private enum Key: String, FileKey {
    case id, model, kind, channel, limits, mass, contact, temperature
  }

  /// Reads an actuator and the drive channel that it is on.
  static func read(
    _ node: YAMLNode, drive: DriveDescription
  ) throws(RigFileError) -> (actuator: Actuator, channel: Int) {
    let map = try MapReader<Key>(node, "an actuator")
    let id = try map.require(.id, example: "lra-1").identifier()
    let model = try map.require(.model, example: "coinZ-170").text()
    let kind = try map[.kind]?.choice(ActuatorKind.self, "a kind of actuator") ?? .lra
    let channel = try Self.channel(map[.channel], drive)
    let actuator = Actuator(
      id: id, model: model, kind: kind,
      limits: try DriveLimits(
        map.require(.limits, example: "{continuous: 2.0 Vrms, peak: 4.0 V}")),
      mass: try map[.mass]?.quantity(.mass, .above(0, upTo: 1000)),
      contact: try map[.contact]?.text(),
      temperature: try map[.temperature]?.quantity(.temperature, .from(-100, upTo: 200)))
    return (actuator, channel)
  }

  private static func channel(
    _ node: YAMLNode?, _ drive: DriveDescription
  ) throws(RigFileError) -> Int {
    guard let node else { return drive.channels[.haptic] ?? 1 }
    let channel = try node.integer(1...64)
    let role = DriveRole.allCases.first { drive.channels[$0] == channel }
    if let role, role != .haptic {
      throw node.error(
        "drive channel \(channel) has the role '\(role.rawValue)': an actuator is on a channel "
          + "of its own")
    }
    return channel
  }

  /// Refuses a simulated plant that is another kind of motor than the actuator.
  func check(_ plant: PlantParameters, at node: YAMLNode) throws(RigFileError) {
    switch (plant, kind) {
    case (.rotating, .lra), (.rotating, .vcm), (.rotating, .piezo):
      throw node.error(
        "the actuator '\(id)' is of kind \(kind.rawValue), but the simulated plant is a rotating "
          + "motor: write 'kind: erm', or choose a linear plant")
    case (.linear, .erm):
      throw node.error(
        "the actuator '\(id)' is of kind erm, but the simulated plant is a linear motor: choose "
          + "a rotating plant such as 'erm-200', or another kind")
    default: break
    }
  }
}

extension DriveLimits {
  private enum Key: String, FileKey {
    case continuous, peak, slope, thermal
  }

  /// Reads what an actuator bears.
  init(_ node: YAMLNode) throws(RigFileError) {
    let map = try MapReader<Key>(node, node.label)
    let continuous = try map.require(.continuous, example: "2.0 Vrms")
    let continuousVolts = try continuous.quantity(.effectiveVoltage, .above(0, upTo: 1000))
    let peakVolts = try map.require(.peak, example: "4.0 V")
      .quantity(.voltage, .above(0, upTo: 1000))
    guard continuousVolts <= peakVolts else {
      throw continuous.error(
        "'continuous' is \(try continuous.text().quoted), more than 'peak' with "
          + "\(EngineeringFormat.text(peakVolts, .volt)): no signal is larger in effect than at "
          + "its peak")
    }
    self.init(
      continuousVolts: continuousVolts, peakVolts: peakVolts,
      slope: try map[.slope]?.quantity(.voltageSlope, .above(0, upTo: 1e9)),
      thermalTime: try map[.thermal]?.quantity(.time, .from(1e-3, upTo: 3600)) ?? 1)
  }
}
