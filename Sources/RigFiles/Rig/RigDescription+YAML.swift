import Actuators
public import Devices
import Paths

extension RigDescription {
  private enum Key: String, FileKey {
    case name, drive, capture, actuator, actuators, simulation
  }

  /// Reads a rig file.
  ///
  /// Paths in it are taken from the file's own folder, which is read off its name; nothing is
  /// opened but sensor files, by the caller. The form is in docs/FILE-FORMATS.md. A file has at most
  /// 1 MiB.
  ///
  /// - Parameters:
  ///   - bytes: The file's content.
  ///   - file: The file's path, as errors shall show it.
  ///   - certificate: Reads the sensor file that a channel names: the path as written, from the rig
  ///     file's folder, without `..` and not absolute. What links lead to is the caller's to check.
  ///     What it throws becomes the end of a sentence.
  /// - Throws: The first thing that is wrong, with its line and column, in the rig file or in the
  ///   sensor file.
  public init(
    yaml bytes: [UInt8], file: String,
    certificate: @escaping (_ path: String) throws -> [UInt8] = Self.noCertificates
  ) throws(RigFileError) {
    let root = try YAMLNode(SourceText(bytes: bytes, file: file))
    let map = try MapReader<Key>(root, "a rig file")
    let name = try map.require(.name, example: "bench-1").text()
    let drive = try DriveDescription(
      map.require(.drive, example: "{device: simulated, ...}"), simulation: map[.simulation],
      file: RigFilePath(path: file))
    if drive.simulation == nil {
      try map.refuse(
        [.simulation],
        because: "it goes with 'device: simulated' or 'pcm: virtual-card', and the drive's device "
          + "is \(drive.device.kind.rawValue)")
    }
    let capture = try CaptureDescription(
      map.require(.capture, example: "{channels: {...}}"), drive: drive,
      certificates: CertificateFolder(rigFile: RigFilePath(path: file), read: certificate))
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
    try checkDriver(
      at: map.require(.drive, example: "{device: usb, ...}"), actuators: actuators.map(\.node))
  }

  /// Refuses every sensor file, for callers that read none.
  public static func noCertificates(_ path: String) throws -> [UInt8] {
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

/// The path of a rig file as it was named.
struct RigFilePath {
  let path: String

  /// The folder it lies in.
  var folder: String { FilePath.folder(of: path) }
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
