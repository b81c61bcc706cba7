import Devices
import Units

extension SimulationDescription {
  private enum Key: String, FileKey {
    case seed, clock, plant, drive, capture, sensor, sound, transport, faults
  }

  /// Reads what a simulated rig is made of.
  init(_ node: YAMLNode) throws(RigFileError) {
    let map = try MapReader<Key>(node, "the simulation")
    self.init(
      seed: try map[.seed]?.integer(0...UInt64.max) ?? 1,
      clock: try map[.clock]?.choice(Clock.self, "a clock") ?? .virtual,
      plant: try PlantParameters(map.require(.plant, example: "coinZ-170")),
      drive: try map[.drive].map { node throws(RigFileError) in
        try Converter(node, "the simulated drive")
      } ?? Converter(),
      capture: try map[.capture].map { node throws(RigFileError) in
        try Converter(node, "the simulated capture")
      } ?? Converter(),
      sensor: try map[.sensor].map(Sensor.init) ?? Sensor(),
      sound: try map[.sound].map(SoundPath.init) ?? SoundPath(),
      transportDelay: try map[.transport]?.quantity(.time, .from(0, upTo: 1)) ?? 0,
      faults: try Self.faults(map[.faults]))
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

  fileprivate init(_ node: YAMLNode, _ subject: String) throws(RigFileError) {
    let map = try MapReader<Key>(node, subject)
    let standard = Self()
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
      gain: try map[.gain].map { node throws(RigFileError) in
        try node.soundLevel(.from(0, upTo: 1000))
      } ?? standard.gain,
      noise: try map[.noise].map { node throws(RigFileError) in
        try node.soundLevel(.from(0, upTo: 100))
      } ?? standard.noise)
  }
}

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
