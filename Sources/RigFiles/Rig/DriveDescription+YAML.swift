// SPDX-License-Identifier: Apache-2.0

import Devices
import Paths
import Units

extension DriveDescription {
  private enum Key: String, FileKey {
    case device, rate, channels
    case fullScale = "full-scale"
    case period, run, timeout, stimulus, response
    case pcm, buffer, periods, format, access, resample, link
    case driver, id, serial, port, transfers
    case bridge, resonance
    case openLoop = "open-loop"
    case calibration, update, haptics, frequency, band
    case joyCon = "joy-con"
  }

  /// Reads the drive of a rig file, which is named as it was opened.
  init(_ node: YAMLNode, simulation: YAMLNode?, file: String) throws(RigFileError) {
    let map = try MapReader<Key>(node, "the drive")
    let kind = try map.require(.device, example: "simulated")
      .choice(DeviceKind.self, "a kind of device")
    self.init(
      device: try Self.device(kind, map, simulation: simulation, file: file),
      rate: try Self.rate(map.require(.rate, example: "48 kHz")),
      channels: try Self.channels(map.require(.channels, example: "{haptic: 1}")),
      fullScaleVolts: try map.require(.fullScale, example: "4.0 V")
        .quantity(.voltage, .above(0, upTo: 1000)),
      periodFrames: try map[.period]?.integer(8...65_536) ?? 256,
      dualSenseHaptics: try map[.haptics].map(USBSelection.init(dualSense:)))
  }

  private static func device(
    _ kind: DeviceKind, _ map: MapReader<Key>, simulation: YAMLNode?, file: String
  ) throws(RigFileError) -> DeviceSelection {
    let folder = FilePath.folder(of: file)
    func keep(_ keys: [Key], for kinds: DeviceKind...) throws(RigFileError) {
      try map.keep(keys, with: "device", kinds, kind)
    }
    try keep([.run], for: .command)
    try keep([.timeout], for: .command, .usb)
    try keep(
      [
        .driver, .id, .port, .transfers, .bridge, .resonance, .openLoop, .calibration, .update,
        .frequency, .band, .joyCon,
      ], for: .usb)
    try keep([.serial], for: .usb, .alsa)
    try keep([.stimulus, .response], for: .file)
    try keep([.pcm, .buffer, .periods, .format, .access, .resample, .link, .haptics], for: .alsa)
    switch kind {
    case .simulated:
      guard let simulation else {
        throw map.error(
          at: .device,
          "a simulated rig needs 'simulation' beside 'drive': write for example "
            + "'simulation: {plant: coinZ-170}'")
      }
      let described = try SimulationDescription(simulation)
      try simulation.check(
        described.wiring == nil,
        "'wiring' goes with 'pcm: virtual-card': a simulated rig without a card has no wires to swap"
      )
      return .simulated(described)
    case .command:
      let run = try map.require(.run, example: "[python3, plant.py]")
      let arguments = try run.items(example: "[python3, plant.py]")
        .map { item throws(RigFileError) in try item.argument() }
      try run.check(
        arguments.first?.isEmpty == false,
        "'run' must begin with a program, but its first item is empty")
      return .command(
        CommandDescription(
          arguments: arguments, folder: folder,
          timeout: try map[.timeout]?.quantity(.time, .above(0, upTo: 3600)) ?? 10))
    case .file:
      return .file(
        FileDescription(
          stimulus: try map[.stimulus]?.path(folder), response: try map[.response]?.path(folder)))
    case .alsa: return .alsa(try card(map, simulation: simulation, file: file))
    case .usb: return .usb(try USBDescription(map.part(), driver: driver(map)))
    case .serial, .iio:
      throw map.error(
        at: .device,
        "\(kind.sensorInWords) feels and drives nothing: write it as the capture's 'device', "
          + "beside a drive of 'alsa' or 'usb'")
    }
  }

  /// What speaks to the USB device, with what that driver alone is asked.
  private static func driver(_ map: MapReader<Key>) throws(RigFileError) -> USBDriver {
    let name = try USBDescription.driver(map[.driver])
    func keep(_ keys: [Key], for driver: USBDriver.Name) throws(RigFileError) {
      try map.keep(keys, with: "driver", [driver], name, inWords: name.inWords)
    }
    try keep([.bridge, .resonance, .openLoop, .calibration, .update], for: .drv2605L)
    try keep([.frequency], for: .dualSense)
    try keep([.band, .joyCon], for: .switchController)
    switch name {
    case .board: return .board
    case .dualSense:
      try keep([.transfers], for: .board)
      guard let frequency = map[.frequency] else {
        throw map.error(
          at: .driver,
          "a DualSense drives by rumble, at a frequency that no maker says: measure it and write for "
            + "example 'frequency: 65 Hz'; or let its sound interface drive, by 'device: alsa' with its "
            + "'pcm' and 'haptics: dualsense'")
      }
      return .dualSense(
        DualSenseDescription(
          rumbleFrequency: try frequency.quantity(.frequency, .from(20, upTo: 500))))
    case .switchController:
      try keep([.transfers], for: .board)
      return .switchController(
        SwitchControllerDescription(
          band: try map[.band]?
            .choice(SwitchControllerDescription.Band.self, "a band of HD rumble") ?? .low,
          joyCon: try map[.joyCon]?
            .choice(SwitchControllerDescription.JoyCon.self, "a Joy-Con")))
    case .drv2605L:
      try map.refuse(
        [.transfers, .timeout],
        because: "a DRV2605L is asked one thing at a time, and has limits "
          + "of its own")
      return .drv2605L(try DRV2605LDescription(map.part()))
    }
  }

  private static func card(
    _ map: MapReader<Key>, simulation: YAMLNode?, file: String
  ) throws(RigFileError) -> ALSADescription {
    let isVirtual = try map[.pcm]?.text() == ALSADescription.virtualCardName
    if isVirtual, simulation == nil {
      throw map.error(
        at: .pcm,
        "the virtual card needs 'simulation' beside 'drive': write for example "
          + "'simulation: {plant: coinZ-170}'")
    }
    return try ALSADescription(
      map.part(), fallback: nil, periodFrames: try map[.period]?.integer(8...65_536) ?? 256,
      simulation: isVirtual ? try simulation.map(SimulationDescription.init) : nil, file: file)
  }

  private static func rate(_ node: YAMLNode) throws(RigFileError) -> SampleRate {
    // Sound files and converters count whole hertz; 44.1 kHz is whole but for a rounding.
    let hertz = try node.bareFrequency(.from(8000, upTo: 192_000))
    try node.check(
      abs(hertz - hertz.rounded()) < 1e-6,
      "\(node.label) is \(try node.text().quoted): it must be a whole number of hertz")
    return SampleRate(hertz: hertz.rounded())
  }

  private static func channels(_ node: YAMLNode) throws(RigFileError) -> [DriveRole: Int] {
    let map = try MapReader<DriveRole>(node, "the drive's channels")
    var channels: [DriveRole: Int] = [:]
    for role in DriveRole.allCases {
      guard let value = map[role] else { continue }
      let number = try value.integer(1...64)
      if let other = DriveRole.allCases.first(where: { channels[$0] == number }) {
        throw value.error(
          "drive channel \(number) has the roles '\(other.rawValue)' and '\(role.rawValue)': "
            + "give each its own")
      }
      channels[role] = number
    }
    try node.check(
      channels[.haptic] != nil, "the drive has no haptic channel: write for example '{haptic: 1}'")
    if channels[.audio] != nil {
      try map.refuse(
        [.audioLeft, .audioRight],
        because: "'audio' is all sound on one channel: use it alone, or the left and right ones")
    }
    if (channels[.audioLeft] == nil) != (channels[.audioRight] == nil) {
      throw node.error(
        "'audio-left' and 'audio-right' go together: write both, or 'audio' for one channel")
    }
    return channels
  }
}

extension DriveRole: FileKey {}

extension YAMLNode {
  /// An argument of a program, which may be empty.
  fileprivate func argument() throws(RigFileError) -> String {
    if case .scalar("") = content { "" } else { try text() }
  }

  /// A path, taken from a folder unless it is absolute.
  fileprivate func path(_ folder: String) throws(RigFileError) -> String {
    let path = try text()
    return path.hasPrefix("/") ? path : FilePath.join(folder, path)
  }
}
