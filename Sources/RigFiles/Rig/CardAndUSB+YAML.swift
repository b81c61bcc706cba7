// SPDX-License-Identifier: Apache-2.0

import Devices
import Units

extension ALSADescription {
  enum Key: String, FileKey {
    case pcm, serial, format, access, period, periods, buffer, resample, link
  }

  /// Names that convert or share on the way, whatever stands after their colon.
  private static let convertingNames: Set<String> = [
    "default", "sysdefault", "plug", "plughw", "dmix", "dsnoop", "dshare", "front", "rate",
    "softvol",
  ]

  /// Reads a sound card's part of a drive or a capture.
  ///
  /// `fallback` names the PCM where none is written, `periodFrames` is the drive's period, which
  /// `periods` counts, and `file` is the rig file as it was named.
  init(
    _ map: MapReader<Key>, fallback: String?, periodFrames: Int, simulation: SimulationDescription?,
    file: String
  ) throws(RigFileError) {
    let mayResample = try map[.resample]?.flag() ?? false
    let pcm = try map[.pcm]?.text() ?? fallback
    guard let pcm else {
      throw map.node.error(
        "a sound card needs 'pcm': write for example 'pcm: \"hw:CARD=Controller,DEV=0\"'; "
          + "'haprig devices' lists the names")
    }
    if let node = map[.pcm] { try Self.check(pcm, at: node, mayResample: mayResample) }
    if let serial = map[.serial], !["hw:", "plughw:"].contains(where: pcm.hasPrefix) {
      throw serial.error(
        "'serial' chooses among cards on USB, and \(pcm.quoted) is no 'hw:' name of one: remove one of "
          + "the two")
    }
    if let periods = map[.periods], map[.buffer] != nil {
      throw periods.error("'periods' and 'buffer' both say how much the card holds: keep one")
    }
    let period = try map[.period]?.integer(8...65_536) ?? periodFrames
    let periods: Int? = try map[.periods]?.integer(2...64)
    let buffer: Int? = try map[.buffer]?.integer(16...1_048_576) ?? periods.map { $0 * period }
    if let buffer, buffer < 2 * period, let node = map[.buffer] {
      throw node.error(
        "'buffer' is \(buffer) frames: it must hold two periods of \(period), so at least "
          + "\(2 * period)")
    }
    self.init(
      pcm: pcm, serial: try map[.serial]?.text(),
      format: try map[.format]?.choice(SampleFormat.self, "a sample format"),
      access: try map[.access]?.choice(Access.self, "a way of access") ?? .automatic,
      periodFrames: map[.period] == nil ? nil : period, bufferFrames: buffer,
      isResamplingAllowed: mayResample,
      link: try map[.link]?.choice(Link.self, "a way to start drive and capture") ?? .automatic,
      virtualCard: simulation, rigFile: file)
  }

  private static func check(
    _ pcm: String, at node: YAMLNode, mayResample: Bool
  ) throws(RigFileError) {
    try node.check(
      pcm.count <= 256 && !pcm.contains("\n"),
      "\(pcm.quoted) is no name of a PCM: at most 256 characters in one line")
    let plugin = String(pcm.prefix { $0 != ":" })
    guard convertingNames.contains(plugin), !mayResample else { return }
    throw node.error(
      "\(pcm.quoted) lets ALSA convert rate and format on the way, which would be measured as the "
        + "actuator's: name the card itself, such as 'hw:CARD=Controller,DEV=0' (see 'haprig "
        + "devices'), or write 'resample: true' to have it so, and in the record")
  }
}

extension USBDescription {
  enum Key: String, FileKey {
    case driver, id, serial, port, transfers, timeout
    case joyCon = "joy-con"
  }

  /// Reads a USB device's part of a drive or a capture; any device of the driver is meant where nothing is
  /// written.
  init(_ map: MapReader<Key>, driver: USBDriver) throws(RigFileError) {
    self.init(
      selection: try USBSelection(id: map[.id], serial: map[.serial], port: map[.port]),
      driver: driver, transfers: try map[.transfers]?.integer(2...64) ?? 8,
      timeout: try map[.timeout]?.quantity(.time, .from(0.05, upTo: 60)) ?? 1)
  }

  /// The name of the driver; a board's where nothing is written.
  static func driver(_ node: YAMLNode?) throws(RigFileError) -> USBDriver.Name {
    try node?.choice(USBDriver.Name.self, "a driver of USB devices") ?? .board
  }
}

extension USBDriver.Name {
  /// The name as the end of a sentence has it.
  var inWords: String { self == .board ? "a board" : rawValue }
}

extension USBSelection {
  private enum Key: String, FileKey {
    case id, serial, port
  }

  init(id: YAMLNode?, serial: YAMLNode?, port: YAMLNode?) throws(RigFileError) {
    self.init(
      identity: try id.map(Self.identity),
      serial: try serial?.text(),
      port: try port.map(Self.place))
  }

  /// Reads which DualSense is meant: its name where there is one alone, or what tells it from others.
  init(dualSense node: YAMLNode) throws(RigFileError) {
    guard case .map = node.content else {
      let name = USBDriver.Name.dualSense.rawValue
      try node.check(
        node.text() == name,
        "\(try node.text().quoted) has no coils that a sound interface could drive: write "
          + "'haptics: \(name)', or '{port: 1-2}' or '{serial: ...}' where there are several")
      self.init()
      return
    }
    let map = try MapReader<Key>(node, "the haptics of a DualSense")
    try self.init(id: map[.id], serial: map[.serial], port: map[.port])
  }

  private static func identity(_ node: YAMLNode) throws(RigFileError) -> USBSelection.Identity {
    let text = try node.text()
    guard let identity = USBSelection.Identity(text: text) else {
      throw node.error(
        "\(text.quoted) is no vendor and product: write four hexadecimal digits each, such as "
          + "'id: \"1209:4852\"' ('haprig devices' lists them)")
    }
    return identity
  }

  /// A place as the kernel names it: the bus, and port by port.
  private static func place(_ node: YAMLNode) throws(RigFileError) -> String {
    let text = try node.text()
    let halves = text.split(separator: "-", omittingEmptySubsequences: false)
    let numbers =
      halves.count == 2
      ? halves[1].split(
        separator: ".", omittingEmptySubsequences: false) : []
    let areNumbers = (halves.prefix(1) + numbers).allSatisfy { part in
      UInt8(part).map { $0 > 0 && String($0) == part } ?? false
    }
    try node.check(
      !numbers.isEmpty && numbers.count <= 7 && areNumbers,
      "\(text.quoted) is no place on a USB bus: write it as the kernel names it, such as "
        + "'port: 1-2.3' ('haprig devices' lists them)")
    return text
  }
}

extension DRV2605LDescription {
  enum Key: String, FileKey {
    case bridge, resonance, calibration, update
    case openLoop = "open-loop"
  }

  init(_ map: MapReader<Key>) throws(RigFileError) {
    if let calibration = map[.calibration], map[.openLoop] != nil {
      throw calibration.error(
        "'calibration' is of the closed loop, and 'open-loop' is asked for: keep one of the two")
    }
    self.init(
      bridge: try map.require(.bridge, example: "mcp2221a").choice(Bridge.self, "a USB-I2C bridge"),
      resonance: try map.require(.resonance, example: "175 Hz").quantity(
        .frequency, .from(50, upTo: 500)),
      openLoopFrequency: try map[.openLoop]?.quantity(.frequency, .from(80, upTo: 500)),
      calibration: try map[.calibration].map(Calibration.init) ?? .none,
      updateInterval: try map[.update]?.quantity(.time, .from(1e-3, upTo: 0.05)))
  }
}

extension DRV2605LDescription.Calibration {
  private enum Key: String, FileKey {
    case compensation
    case backEMF = "back-emf"
    case gain
  }

  private static let automaticWord = "auto"

  /// Reads `auto`, or the constants of an earlier calibration.
  init(_ node: YAMLNode) throws(RigFileError) {
    guard case .map = node.content else {
      try node.check(
        node.text() == Self.automaticWord,
        "\(try node.text().quoted) is no calibration: write 'auto', or the constants of an earlier "
          + "one, such as '{compensation: 13, back-emf: 128, gain: 2}'")
      self = .automatic
      return
    }
    let map = try MapReader<Key>(node, "the calibration of a DRV2605L")
    self = .constants(
      compensation: try map.require(.compensation, example: "13").integer(0...255),
      backEMF: try map.require(.backEMF, example: "128").integer(0...255),
      gain: try map.require(.gain, example: "2").integer(0...3))
  }
}
