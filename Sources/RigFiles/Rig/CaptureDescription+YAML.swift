import Devices

extension CaptureDescription {
  private enum Key: String, FileKey {
    case device, channels
    case pcm, period, buffer, periods, format, access, resample
  }

  /// Reads the capture of a rig file with its drive.
  init(
    _ node: YAMLNode, drive: DriveDescription, certificates: CertificateFolder
  ) throws(RigFileError) {
    let kind = drive.device.kind
    let map = try MapReader<Key>(node, "the capture")
    if let device = map[.device] {
      guard try device.choice(DeviceKind.self, "a kind of device") == kind else {
        throw device.error(
          "drive and capture are one device on this kind of rig: write 'device: \(kind.rawValue)' "
            + "as in the drive, or leave it out")
      }
    }
    if kind != .alsa {
      try map.refuse(
        [.pcm, .period, .buffer, .periods, .format, .access, .resample],
        because: "it goes with 'device: alsa', and this is \(kind.rawValue)")
    }
    let card = try Self.card(map, drive: drive)
    let list = try map.require(.channels, example: "{z: {role: acceleration, ...}}")
    let entries = try list.entries()
    guard entries.count <= 64 else {
      throw list.error("the capture has \(entries.count) channels: at most 64")
    }
    var channels: [CaptureChannelDescription] = []
    for (offset, entry) in entries.enumerated() {
      let channel = try CaptureChannelDescription(
        entry, kind: kind, position: offset + 1, certificates: certificates,
        isVirtual: card?.virtualCard != nil)
      if let other = channels.first(where: { $0.input == channel.input }) {
        throw entry.key.error(
          "the channels '\(other.name)' and '\(channel.name)' are both on input "
            + "\(channel.input): give each its own 'input'")
      }
      channels.append(channel)
    }
    guard channels.contains(where: { $0.role == .acceleration }) else {
      throw list.error(
        "the capture has no acceleration channel: haprig cannot feel without one, write for "
          + "example 'z: {role: acceleration, ...}'")
    }
    self.init(kind: kind, channels: channels.sorted { $0.input < $1.input }, alsa: card)
  }

  /// The card that captures: the drive's own where nothing else is written.
  private static func card(
    _ map: MapReader<Key>, drive: DriveDescription
  ) throws(RigFileError) -> ALSADescription? {
    guard case .alsa(let driving) = drive.device else { return nil }
    let isVirtual = try map[.pcm].map { node throws(RigFileError) in
      try node.text() == ALSADescription.virtualCardName
    }
    if let isVirtual, isVirtual != (driving.virtualCard != nil) {
      throw map.error(
        at: .pcm, "the virtual card is drive and capture in one: name it in both, or in neither")
    }
    // Another card offers what it offers; the drive's own is asked for the same as the drive.
    let isSame = map[.pcm] == nil
    var card = try ALSADescription(
      ALSANodes(
        pcm: map[.pcm], format: map[.format], access: map[.access], period: map[.period],
        periods: map[.periods], buffer: map[.buffer], resample: map[.resample]),
      fallback: driving.pcm, periodFrames: drive.periodFrames, simulation: driving.virtualCard,
      file: driving.rigFile, owner: map.node)
    if isSame {
      card.format = card.format ?? driving.format
      card.access = map[.access] == nil ? driving.access : card.access
      card.bufferFrames = card.bufferFrames ?? driving.bufferFrames
      card.isResamplingAllowed =
        map[.resample] == nil
        ? driving.isResamplingAllowed : card.isResamplingAllowed
    }
    card.link = driving.link
    return card
  }
}
