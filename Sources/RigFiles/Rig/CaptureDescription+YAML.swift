import Devices

extension CaptureDescription {
  private enum Key: String, FileKey {
    case device, channels
  }

  /// Reads the capture of a rig file whose drive is of a kind.
  init(_ node: YAMLNode, kind: DeviceKind) throws(RigFileError) {
    let map = try MapReader<Key>(node, "the capture")
    if let device = map[.device] {
      guard try device.choice(DeviceKind.self, "a kind of device") == kind else {
        throw device.error(
          "drive and capture are one device on this kind of rig: write 'device: \(kind.rawValue)' "
            + "as in the drive, or leave it out")
      }
    }
    let list = try map.require(.channels, example: "{z: {role: acceleration, ...}}")
    let entries = try list.entries()
    guard entries.count <= 64 else {
      throw list.error("the capture has \(entries.count) channels: at most 64")
    }
    var channels: [CaptureChannelDescription] = []
    for (offset, entry) in entries.enumerated() {
      let channel = try CaptureChannelDescription(entry, kind: kind, position: offset + 1)
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
    self.init(kind: kind, channels: channels.sorted { $0.input < $1.input })
  }
}
