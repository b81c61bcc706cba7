import Devices
import Units

/// What a drive or a capture has of a sound card, as its map's nodes.
struct ALSANodes {
  var pcm: YAMLNode?
  var serial: YAMLNode?
  var format: YAMLNode?
  var access: YAMLNode?
  var period: YAMLNode?
  var periods: YAMLNode?
  var buffer: YAMLNode?
  var resample: YAMLNode?
  var link: YAMLNode?
}

extension ALSADescription {
  /// Names that convert or share on the way, whatever stands after their colon.
  private static let convertingNames: Set<String> = [
    "default", "sysdefault", "plug", "plughw", "dmix", "dsnoop", "dshare", "front", "rate",
    "softvol",
  ]

  /// Reads a sound card's part of a drive or a capture.
  ///
  /// `fallback` names the PCM where none is written, `periodFrames` is the drive's period, which
  /// `periods` counts, `file` is the rig file as it was named, and `owner` is where a missing name
  /// is told.
  init(
    _ nodes: ALSANodes, fallback: String?, periodFrames: Int, simulation: SimulationDescription?,
    file: String, owner: YAMLNode
  ) throws(RigFileError) {
    let mayResample = try nodes.resample?.flag() ?? false
    let pcm = try nodes.pcm?.text() ?? fallback
    guard let pcm else {
      throw owner.error(
        "a sound card needs 'pcm': write for example 'pcm: \"hw:CARD=Controller,DEV=0\"'; "
          + "'haprig devices' lists the names")
    }
    if let node = nodes.pcm { try Self.check(pcm, at: node, mayResample: mayResample) }
    if let serial = nodes.serial, !["hw:", "plughw:"].contains(where: pcm.hasPrefix) {
      throw serial.error(
        "'serial' chooses among cards on USB, and \(pcm.quoted) is no 'hw:' name of one: remove one of "
          + "the two")
    }
    if let periods = nodes.periods, nodes.buffer != nil {
      throw periods.error("'periods' and 'buffer' both say how much the card holds: keep one")
    }
    let period = try nodes.period?.integer(8...65_536) ?? periodFrames
    let periods: Int? = try nodes.periods?.integer(2...64)
    let buffer: Int? = try nodes.buffer?.integer(16...1_048_576) ?? periods.map { $0 * period }
    if let buffer, buffer < 2 * period, let node = nodes.buffer {
      throw node.error(
        "'buffer' is \(buffer) frames: it must hold two periods of \(period), so at least "
          + "\(2 * period)")
    }
    self.init(
      pcm: pcm, serial: try nodes.serial?.text(),
      format: try nodes.format?.choice(SampleFormat.self, "a sample format"),
      access: try nodes.access?.choice(Access.self, "a way of access") ?? .automatic,
      periodFrames: nodes.period == nil ? nil : period, bufferFrames: buffer,
      isResamplingAllowed: mayResample,
      link: try nodes.link?.choice(Link.self, "a way to start drive and capture") ?? .automatic,
      virtualCard: simulation, rigFile: file)
  }

  private static func check(
    _ pcm: String, at node: YAMLNode, mayResample: Bool
  ) throws(RigFileError) {
    guard pcm.count <= 256, !pcm.contains("\n") else {
      throw node.error("\(pcm.quoted) is no name of a PCM: at most 256 characters in one line")
    }
    let plugin = String(pcm.prefix { $0 != ":" })
    guard convertingNames.contains(plugin), !mayResample else { return }
    throw node.error(
      "\(pcm.quoted) lets ALSA convert rate and format on the way, which would be measured as the "
        + "actuator's: name the card itself, such as 'hw:CARD=Controller,DEV=0' (see 'haprig "
        + "devices'), or write 'resample: true' to have it so, and in the record")
  }
}
