// SPDX-License-Identifier: Apache-2.0

import Actuators
package import Devices
import Paths
import Units

extension RigDescription {
  private enum Key: String, FileKey {
    case name, drive, capture, actuator, actuators, temperature, simulation
  }

  /// Reads a rig file.
  ///
  /// Paths in it are taken from the file's own folder, which is read off its name; nothing is
  /// opened but sensor files, by the caller. The form is in docs/FILE-FORMATS.md. A file has at most
  /// 1 MiB. `certificate` reads the sensor file that a channel names: the path as written, from the rig
  /// file's folder, without `..` and not absolute. What links lead to is the caller's to check; what it
  /// throws becomes the end of a sentence.
  package init(
    yaml bytes: [UInt8], file: String,
    certificate: @escaping (_ path: String) throws -> [UInt8] = Self.noCertificates
  ) throws(RigFileError) {
    try self.init(
      YAMLNode(SourceText(bytes: bytes, file: file)), file: file, certificate: certificate)
  }

  /// Reads the tree of a rig file.
  init(
    _ root: YAMLNode, file: String, certificate: @escaping (_ path: String) throws -> [UInt8]
  ) throws(RigFileError) {
    let map = try MapReader<Key>(root, "a rig file")
    let name = try map.require(.name, example: "bench-1").text()
    let drive = try DriveDescription(
      map.require(.drive, example: "{device: simulated, ...}"), simulation: map[.simulation],
      file: file)
    if drive.simulation == nil {
      try map.refuse(
        [.simulation],
        because: "it goes with 'device: simulated' or 'pcm: virtual-card', and the drive's device "
          + "is \(drive.device.kind.rawValue)")
    }
    let capture = try CaptureDescription(
      map.require(.capture, example: "{channels: {...}}"), drive: drive,
      certificates: CertificateFolder(path: FilePath.folder(of: file), read: certificate))
    let actuators = try Self.actuators(map).map { node throws(RigFileError) in
      let (actuator, channel) = try Actuator.read(node, drive: drive)
      return (node: node, actuator: actuator, channel: channel)
    }
    try Self.checkUnique(actuators)
    if let simulation = drive.simulation {
      for (node, actuator, _) in actuators { try actuator.check(simulation.plant, at: node) }
    }
    self.init(
      name: name, drive: drive, capture: capture, actuators: actuators.map(\.actuator),
      actuatorChannels: Dictionary(
        uniqueKeysWithValues: actuators.map { ($0.actuator.id, $0.channel) }))
    if let node = map[.temperature] { thermometer = try ThermometerDescription(node) }
    try checkDriver(
      at: map.require(.drive, example: "{device: usb, ...}"), actuators: actuators.map(\.node))
  }

  /// Refuses every sensor file, for callers that read none.
  package static func noCertificates(_ path: String) throws -> [UInt8] {
    throw SensorFileRefusal(description: "no sensor files are read here: write the scale itself")
  }

  private static func actuators(_ map: MapReader<Key>) throws(RigFileError) -> [YAMLNode] {
    if let one = map[.actuator] {
      try map.refuse([.actuators], because: "'actuator' is already here: list all in 'actuators'")
      return [one]
    }
    guard let several = map[.actuators] else {
      return [
        try map.require(
          .actuator, example: "{id: lra-1, model: X, limits: {continuous: 2 Vrms, peak: 4 V}}")
      ]
    }
    return try several.items(example: "[{id: lra-1, ...}]")
  }

  private static func checkUnique(
    _ actuators: [(node: YAMLNode, actuator: Actuator, channel: Int)]
  ) throws(RigFileError) {
    for (index, later) in actuators.enumerated() {
      for earlier in actuators[..<index] {
        if earlier.actuator.id == later.actuator.id {
          throw later.node.error(
            "two actuators have the id '\(later.actuator.id)': an id is one physical piece")
        }
        if earlier.channel == later.channel {
          throw later.node.error(
            "the actuators '\(earlier.actuator.id)' and '\(later.actuator.id)' are both on drive "
              + "channel \(later.channel): give each its own 'channel'")
        }
      }
    }
  }
}

extension DriveDescription {
  /// What is simulated, behind a port of its own or behind the virtual card.
  fileprivate var simulation: SimulationDescription? {
    switch device {
    case .simulated(let simulation): simulation
    case .alsa(let card): card.virtualCard
    case .command, .file, .usb: nil
    }
  }
}

/// Why a sensor file is not read.
private struct SensorFileRefusal: Error, CustomStringConvertible {
  let description: String
}

extension RigDescription {
  /// Refuses a rig that the driver of its USB device cannot be.
  func checkDriver(at drive: YAMLNode, actuators: [YAMLNode]) throws(RigFileError) {
    guard case .usb(let device) = self.drive.device else { return }
    switch device.driver {
    case .board: break
    case .drv2605L: try checkChip(at: drive, actuators: actuators)
    case .dualSense: try checkController(at: drive, actuators: actuators)
    case .switchController(let controller):
      try drive.check(
        controller.joyCon == nil || self.drive.channels == [.haptic: 1],
        "a Joy-Con has one actuator: write 'channels: {haptic: 1}'")
      try checkController(at: drive, actuators: actuators)
    }
  }

  /// Refuses what no controller is: one actuator, on the left or on the right, and nothing else.
  private func checkController(
    at drive: YAMLNode, actuators: [YAMLNode]
  ) throws(RigFileError) {
    try drive.check(
      [[.haptic: 1], [.haptic: 2]].contains(self.drive.channels),
      "a controller has a left and a right actuator, and no output for sound or a reference: write "
        + "'channels: {haptic: 1}' for the left one, '{haptic: 2}' for the right one")
    guard self.actuators.count == 1 else {
      throw actuators[1].error(
        "a rig drives one actuator of a controller: write one, and another rig file for the other")
    }
  }

  /// Refuses what a DRV2605L cannot be: one LRA, within its limits, on a channel alone.
  private func checkChip(at drive: YAMLNode, actuators: [YAMLNode]) throws(RigFileError) {
    try drive.check(
      self.drive.channels == [.haptic: 1],
      "a DRV2605L has one output and no second for sound or a reference: write 'channels: "
        + "{haptic: 1}'")
    guard self.actuators.count == 1, self.actuators[0].kind == .lra else {
      throw actuators[0].error(
        "a DRV2605L is set up for one LRA here: write one actuator of 'kind: lra'")
    }
    let limits = self.actuators[0].limits
    let full = self.drive.fullScaleVolts
    try drive.check(
      full <= limits.peakVolts * (1 + 1e-9)
        && full / 2.0.squareRoot() <= limits.continuousVolts * (1 + 1e-9),
      "'full-scale' is \(EngineeringFormat.text(full, .volt)), and the chip keeps no time of it: it "
        + "must not be above 'peak', nor above 1.414 times 'continuous' of the actuator, so at most "
        + EngineeringFormat.text(
          min(limits.peakVolts, limits.continuousVolts * 2.0.squareRoot()), .volt))
  }
}

extension Actuator {
  private enum Key: String, FileKey {
    case id, model, kind, channel, limits, mass, contact, temperature
  }

  fileprivate static func read(
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

  init(_ node: YAMLNode) throws(RigFileError) {
    let map = try MapReader<Key>(node, node.label)
    let continuous = try map.require(.continuous, example: "2.0 Vrms")
    let continuousVolts = try continuous.quantity(.effectiveVoltage, .above(0, upTo: 1000))
    let peakVolts = try map.require(.peak, example: "4.0 V")
      .quantity(.voltage, .above(0, upTo: 1000))
    try continuous.check(
      continuousVolts <= peakVolts,
      "'continuous' is \(try continuous.text().quoted), more than 'peak' with "
        + "\(EngineeringFormat.text(peakVolts, .volt)): no signal is larger in effect than at "
        + "its peak")
    self.init(
      continuousVolts: continuousVolts, peakVolts: peakVolts,
      slope: try map[.slope]?.quantity(.voltageSlope, .above(0, upTo: 1e9)),
      thermalTime: try map[.thermal]?.quantity(.time, .from(1e-3, upTo: 3600)) ?? 1)
  }
}
