import Devices

extension CaptureDescription {
  private enum Key: String, FileKey {
    case device, channels
    case pcm, period, buffer, periods, format, access, resample
    case driver, id, serial, port, transfers, timeout
    case path, baud, columns, packets, scale, ticks
    case sampleRate = "sample-rate"
    case counterBits = "counter-bits"
  }

  /// Reads the capture of a rig file with its drive.
  init(
    _ node: YAMLNode, drive: DriveDescription, certificates: CertificateFolder
  ) throws(RigFileError) {
    let map = try MapReader<Key>(node, "the capture")
    let kind = try Self.kind(map, drive: drive)
    if kind != .alsa {
      try map.refuse(
        [.pcm, .period, .buffer, .periods, .format, .access, .resample],
        because: "it goes with 'device: alsa', and this is \(kind.rawValue)")
    }
    if kind != .usb {
      try map.refuse(
        [.driver, .id, .port, .transfers],
        because: "it goes with 'device: usb', and this is \(kind.rawValue)")
    }
    if kind != .usb, kind != .alsa {
      try map.refuse(
        [.serial], because: "it goes with 'device: usb' or 'alsa', and this is \(kind.rawValue)")
    }
    if kind != .usb, kind != .serial {
      try map.refuse(
        [.timeout],
        because: "it goes with 'device: usb' or 'serial', and this is \(kind.rawValue)")
    }
    if kind != .serial {
      try map.refuse(
        [.path, .baud, .columns, .packets, .scale, .ticks, .sampleRate, .counterBits],
        because: "it goes with 'device: serial', and this is \(kind.rawValue)")
    }
    let card = kind == .alsa ? try Self.card(map, drive: drive) : nil
    let board = kind == .usb ? try Self.board(map, drive: drive) : nil
    let breakout = kind == .serial ? try Self.breakout(map) : nil
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
      if board?.driver == .dualSense { try channel.checkInertial(at: entry) }
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
    self.init(
      kind: kind, channels: channels.sorted { $0.input < $1.input }, alsa: card, usb: board,
      serial: breakout)
  }

  private static func breakout(_ map: MapReader<Key>) throws(RigFileError) -> SerialDescription {
    try SerialDescription(
      SerialNodes(
        path: map[.path], baud: map[.baud], sampleRate: map[.sampleRate], columns: map[.columns],
        packets: map[.packets], scale: map[.scale], ticks: map[.ticks],
        counterBits: map[.counterBits], timeout: map[.timeout]), owner: map.node)
  }

  /// The kind of the capture: the drive's, but for a board or a breakout beside a sound card.
  private static func kind(
    _ map: MapReader<Key>, drive: DriveDescription
  ) throws(RigFileError) -> DeviceKind {
    let kind = drive.device.kind
    guard let device = map[.device] else { return kind }
    let written = try device.choice(DeviceKind.self, "a kind of device")
    let mixing: Set<DeviceKind> = [.alsa, .usb]
    var isVirtual = false
    if case .alsa(let card) = drive.device { isVirtual = card.virtualCard != nil }
    if written == .serial, kind == .alsa, !isVirtual { return written }
    guard written == kind || (mixing.isSuperset(of: [written, kind]) && !isVirtual) else {
      throw device.error(
        "drive and capture are one device on this kind of rig: write 'device: \(kind.rawValue)' "
          + "as in the drive, or leave it out; only a sound card ('alsa') can be mixed with 'usb', and "
          + "drive beside 'serial'")
    }
    return written
  }

  /// The USB device that captures: the drive's own where nothing else is written.
  private static func board(
    _ map: MapReader<Key>, drive: DriveDescription
  ) throws(RigFileError) -> USBDescription {
    let nodes = USBNodes(
      driver: map[.driver], id: map[.id], serial: map[.serial], port: map[.port],
      transfers: map[.transfers], timeout: map[.timeout])
    let owner = map[.driver] ?? map.node
    if case .usb(let driving) = drive.device, !nodes.areAny {
      try checkFeeling(driving.driver.name, at: owner)
      return driving
    }
    let name = try USBDescription.driver(map[.driver])
    try checkFeeling(name, at: owner)
    if name == .dualSense {
      try map.refuse([.transfers], because: "it goes with 'driver: board', and this is dualsense")
    }
    return try USBDescription(nodes, driver: name == .dualSense ? .dualSense : .board)
  }

  private static func checkFeeling(
    _ driver: USBDriver.Name, at node: YAMLNode
  ) throws(RigFileError) {
    guard driver == .drv2605L else { return }
    throw node.error(
      "a DRV2605L drives and feels nothing: let a sound card capture ('device: alsa'), or another USB "
        + "device ('driver: board')")
  }

  /// The card that captures: the drive's own where nothing else is written.
  private static func card(
    _ map: MapReader<Key>, drive: DriveDescription
  ) throws(RigFileError) -> ALSADescription {
    guard case .alsa(let driving) = drive.device else {
      return try ALSADescription(
        ALSANodes(
          pcm: map[.pcm], serial: map[.serial], format: map[.format], access: map[.access],
          period: map[.period], periods: map[.periods], buffer: map[.buffer],
          resample: map[.resample]),
        fallback: nil, periodFrames: drive.periodFrames, simulation: nil, file: "",
        owner: map.node)
    }
    let isVirtual = try map[.pcm].map { node throws(RigFileError) in
      try node.text() == ALSADescription.virtualCardName
    }
    if let isVirtual, isVirtual != (driving.virtualCard != nil) {
      throw map.error(
        at: .pcm, "the virtual card is drive and capture in one: name it in both, or in neither")
    }
    // Another card offers what it offers; the drive's own is asked for the same as the drive.
    let isSame = map[.pcm] == nil && map[.serial] == nil
    var card = try ALSADescription(
      ALSANodes(
        pcm: map[.pcm], serial: map[.serial], format: map[.format], access: map[.access],
        period: map[.period], periods: map[.periods], buffer: map[.buffer],
        resample: map[.resample]),
      fallback: driving.pcm, periodFrames: drive.periodFrames, simulation: driving.virtualCard,
      file: driving.rigFile, owner: map.node)
    if isSame {
      card.serial = driving.serial
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

extension CaptureChannelDescription {
  /// Refuses what is none of a controller's three axes.
  fileprivate func checkInertial(at entry: YAMLNode.Entry) throws(RigFileError) {
    guard role == .acceleration, (1...3).contains(input), fullScaleVolts == nil else {
      throw entry.key.error(
        "the sensor of a DualSense has inputs 1, 2 and 3, acceleration along x, y and z on its own "
          + "scale: write for example '\(name): {role: acceleration, axis: z, input: 3}'")
    }
  }
}
