// SPDX-License-Identifier: Apache-2.0

import Devices

extension CaptureDescription {
  private enum Key: String, FileKey {
    case device, channels
    case pcm, period, buffer, periods, format, access, resample
    case driver, id, serial, port, transfers, timeout
    case joyCon = "joy-con"
    case path, baud, columns, packets, scale, ticks
    case sampleRate = "sample-rate"
    case counterBits = "counter-bits"
    case sensor, trigger
    case samplingFrequency = "sampling-frequency"
  }

  init(
    _ node: YAMLNode, drive: DriveDescription, certificates: CertificateFolder
  ) throws(RigFileError) {
    let map = try MapReader<Key>(node, "the capture")
    let kind = try Self.kind(map, drive: drive)
    func keep(_ keys: [Key], for kinds: DeviceKind...) throws(RigFileError) {
      try map.keep(keys, with: "device", kinds, kind)
    }
    try keep([.pcm, .period, .buffer, .periods, .format, .access, .resample], for: .alsa)
    try keep([.driver, .id, .port, .transfers, .joyCon], for: .usb)
    try keep([.serial], for: .usb, .alsa)
    try keep([.timeout], for: .usb, .serial, .iio)
    try keep([.path, .baud, .columns, .packets, .scale, .ticks, .counterBits], for: .serial)
    try keep([.sampleRate], for: .serial, .iio)
    try keep([.sensor, .trigger, .samplingFrequency], for: .iio)
    let card = kind == .alsa ? try Self.card(map, drive: drive) : nil
    let board = kind == .usb ? try Self.board(map, drive: drive) : nil
    let breakout = kind == .serial ? try SerialDescription(map.part()) : nil
    let kernel = kind == .iio ? try IIODescription(map.part()) : nil
    let list = try map.require(.channels, example: "{z: {role: acceleration, ...}}")
    let entries = try list.entries()
    try list.check(entries.count <= 64, "the capture has \(entries.count) channels: at most 64")
    var channels: [CaptureChannelDescription] = []
    for (offset, entry) in entries.enumerated() {
      let channel = try CaptureChannelDescription(
        entry, kind: kind, position: offset + 1, certificates: certificates,
        isVirtual: card?.virtualCard != nil)
      if let controller = board?.driver.name.controller {
        try channel.checkInertial(of: controller, at: entry)
      }
      if kind == .iio { try channel.checkAxis(at: entry) }
      if let other = channels.first(where: { $0.input == channel.input }) {
        throw entry.key.error(
          "the channels '\(other.name)' and '\(channel.name)' are both on input "
            + "\(channel.input): give each its own 'input'")
      }
      channels.append(channel)
    }
    try list.check(
      channels.contains(where: { $0.role == .acceleration }),
      "the capture has no acceleration channel: haprig cannot feel without one, write for "
        + "example 'z: {role: acceleration, ...}'")
    self.init(
      kind: kind, channels: channels.sorted { $0.input < $1.input }, alsa: card, usb: board,
      serial: breakout, iio: kernel)
  }

  /// The kind of the capture: the drive's, but for what may be beside a sound card or a USB device.
  private static func kind(
    _ map: MapReader<Key>, drive: DriveDescription
  ) throws(RigFileError) -> DeviceKind {
    let kind = drive.device.kind
    guard let device = map[.device] else { return kind }
    let written = try device.choice(DeviceKind.self, "a kind of device")
    let mixing: Set<DeviceKind> = [.alsa, .usb]
    var isVirtual = false
    if case .alsa(let card) = drive.device { isVirtual = card.virtualCard != nil }
    let beside = mixing.union([.serial, .iio])
    try device.check(
      written == kind || (mixing.contains(kind) && beside.contains(written) && !isVirtual),
      "drive and capture are one device on this kind of rig: write 'device: \(kind.rawValue)' "
        + "as in the drive, or leave it out; only a sound card ('alsa') and a USB device ('usb') can be mixed, "
        + "and drive beside 'serial' or 'iio'")
    return written
  }

  /// The USB device that captures: the drive's own where nothing else is written.
  private static func board(
    _ map: MapReader<Key>, drive: DriveDescription
  ) throws(RigFileError) -> USBDescription {
    let device: MapReader<USBDescription.Key> = map.part()
    let owner = map[.driver] ?? map.node
    if case .usb(let driving) = drive.device, device.isEmpty {
      try checkFeeling(driving.driver.name, at: owner)
      return driving
    }
    let name = try USBDescription.driver(map[.driver])
    try checkFeeling(name, at: owner)
    try map.keep([.transfers], with: "driver", [.board], name)
    try map.keep([.joyCon], with: "driver", [.switchController], name, inWords: name.inWords)
    let joyCon = try map[.joyCon]?
      .choice(SwitchControllerDescription.JoyCon.self, "a Joy-Con")
    return try USBDescription(device, driver: feeling(name, joyCon, drive: drive))
  }

  /// The driver of a capture: as the drive has it where that is of the same name, so that the same device written
  /// twice is one.
  private static func feeling(
    _ name: USBDriver.Name, _ joyCon: SwitchControllerDescription.JoyCon?, drive: DriveDescription
  ) -> USBDriver {
    var driving: USBDriver?
    if case .usb(let device) = drive.device { driving = device.driver }
    switch (name, driving) {
    case (.dualSense, .dualSense(let same)): return .dualSense(same)
    case (.dualSense, _): return .dualSense(DualSenseDescription())
    case (.switchController, .switchController(let same)) where same.joyCon == joyCon:
      return .switchController(same)
    case (.switchController, _):
      return .switchController(SwitchControllerDescription(joyCon: joyCon))
    case (.board, _), (.drv2605L, _): return .board
    }
  }

  private static func checkFeeling(
    _ driver: USBDriver.Name, at node: YAMLNode
  ) throws(RigFileError) {
    guard driver == .drv2605L else { return }
    throw node.error(
      "a DRV2605L drives and feels nothing: let a sound card capture ('device: alsa'), another USB "
        + "device ('driver: board'), or a sensor with a clock of its own ('device: serial' or 'iio')"
    )
  }

  /// The card that captures: the drive's own where nothing else is written.
  private static func card(
    _ map: MapReader<Key>, drive: DriveDescription
  ) throws(RigFileError) -> ALSADescription {
    guard case .alsa(let driving) = drive.device else {
      return try ALSADescription(
        map.part(), fallback: nil, periodFrames: drive.periodFrames, simulation: nil, file: "")
    }
    if let pcm = try map[.pcm]?.text(),
      (pcm == ALSADescription.virtualCardName) != (driving.virtualCard != nil)
    {
      throw map.error(
        at: .pcm, "the virtual card is drive and capture in one: name it in both, or in neither")
    }
    // Another card offers what it offers; the drive's own is asked for the same as the drive.
    let isSame = map[.pcm] == nil && map[.serial] == nil
    var card = try ALSADescription(
      map.part(), fallback: driving.pcm, periodFrames: drive.periodFrames,
      simulation: driving.virtualCard, file: driving.rigFile)
    if isSame {
      card.serial = driving.serial
      card.format = card.format ?? driving.format
      if map[.access] == nil { card.access = driving.access }
      card.bufferFrames = card.bufferFrames ?? driving.bufferFrames
      if map[.resample] == nil { card.isResamplingAllowed = driving.isResamplingAllowed }
    }
    card.link = driving.link
    return card
  }
}

extension USBDriver.Name {
  /// What a game controller is called; `nil` for what is none.
  fileprivate var controller: String? {
    switch self {
    case .dualSense: "a DualSense"
    case .switchController: "a Switch controller"
    case .board, .drv2605L: nil
    }
  }
}

extension CaptureChannelDescription {
  fileprivate func checkAxis(at entry: YAMLNode.Entry) throws(RigFileError) {
    try entry.key.check(
      (1...3).contains(input),
      "an accelerometer of the kernel has inputs 1, 2 and 3, along x, y and z: write for example "
        + "'\(name): {role: acceleration, axis: z, input: 3}'")
  }

  /// Refuses what is none of a controller's three axes.
  fileprivate func checkInertial(
    of controller: String, at entry: YAMLNode.Entry
  ) throws(RigFileError) {
    try entry.key.check(
      role == .acceleration && (1...3).contains(input) && fullScaleVolts == nil,
      "the sensor of \(controller) has inputs 1, 2 and 3, acceleration along x, y and z on its own "
        + "scale: write for example '\(name): {role: acceleration, axis: z, input: 3}'")
  }
}
