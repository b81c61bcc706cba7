// SPDX-License-Identifier: Apache-2.0

package import Devices
import Paths
import Units

package struct IIORig: Sendable {
  package let sensors: SampledSensors

  package init(
    _ rig: RigDescription, files: SystemFiles = SystemFiles()
  ) throws(DeviceError) {
    try self.init(rig, files: files, access: files)
  }

  init(
    _ rig: RigDescription, files: SystemFiles, access: any IIOAccess
  ) throws(DeviceError) {
    guard let wanted = rig.capture.iio else {
      throw rig.error(
        .refused, "the capture is of kind \(rig.capture.kind.rawValue), not iio")
    }
    let device = try Self.device(wanted.sensor, rig: rig.name, among: files.iioDevices())
    let axes = try rig.capture.channels.map { channel throws(DeviceError) in
      try Self.axis(of: channel, on: device, rig: rig.name)
    }
    let settings = IIOSettings(
      rig: rig.name, device: device, description: wanted, axes: axes, files: files,
      access: access)
    let buffer = try IIOBuffer(settings)
    let inScan = buffer.layout.channels.map(\.name).filter { $0 != "timestamp" }
    let setup = SampledSetup(
      rig: rig.name, sensor: device.summary, sampleRate: buffer.sampleRate,
      frameRate: rig.drive.rate,
      fields: (device.hasTimestamp ? [.counter(bits: 32)] : []) + inScan.indices.map { .axis($0) },
      axes: axes.map { axis in inScan.firstIndex(of: "accel_\(axis)") ?? 0 },
      scales: rig.capture.channels.map { 1 / ($0.sensor?.sensitivity ?? 1) },
      timeout: wanted.timeout, advice: .iio)
    defer { buffer.stop() }
    try buffer.restart()
    try setup.awaitSample(of: buffer)
    sensors = SampledSensors(
      buffer, setup: setup, channels: rig.capture.channels.map(\.port),
      periodFrames: rig.drive.periodFrames)
  }

  private static func device(
    _ word: String, rig: String, among devices: [IIODevice]
  ) throws(DeviceError) -> IIODevice {
    let meant = devices.filter { $0.isMeant(by: word) }
    if meant.count == 1, let device = meant.first { return device }
    let there = devices.map(\.summary).joined(separator: ", ")
    guard meant.isEmpty else {
      throw DeviceError(
        .refused, device: rig,
        message: "'\(word)' is the name of several sensors: write one of "
          + meant.map { "'sensor: \($0.node)'" }.joined(separator: ", "))
    }
    throw DeviceError(
      .notFound, device: rig,
      message: devices.isEmpty
        ? "there is no accelerometer with a buffer on this computer: load its driver, or plug it in"
        : "there is no sensor '\(word)': correct 'sensor' (there is \(there))")
  }

  private static func axis(
    of channel: CaptureChannelDescription, on device: IIODevice, rig: String
  ) throws(DeviceError) -> String {
    let axes = ["x", "y", "z"]
    guard axes.indices.contains(channel.input - 1), device.axes.contains(axes[channel.input - 1])
    else {
      throw DeviceError(
        .refused, device: rig,
        message:
          "\(device.summary) has no axis for input \(channel.input) of channel '\(channel.name)': inputs 1, "
          + "2, 3 are x, y, z, and it has \(device.axes.joined(separator: ", "))")
    }
    return axes[channel.input - 1]
  }
}

/// An accelerometer of the kernel's Industrial I/O with a buffer, as sysfs tells of it.
package struct IIODevice: Sendable, Hashable {
  /// The kernel's name, `iio:device0`; its number depends on what was found first.
  package let node: String
  /// What the driver calls it, mostly the chip.
  package let name: String?
  /// What the board's maker calls it.
  package let label: String?
  package let axes: [String]
  package let hasTimestamp: Bool
  package let samplingFrequency: Double?
  /// The file that this user may not read or write; `nil` where nothing is missing.
  package let forbidden: String?

  /// The line of the rules file that lets the group plugdev use buffers: the node, the attributes, the triggers.
  package static let rule =
    #"SUBSYSTEM=="iio", KERNEL=="iio:device*|trigger*", MODE="0660", GROUP="\#(group)", "#
    + #"RUN+="/usr/bin/find /sys%p -type f -perm -u+w -exec chgrp \#(group) {} + "#
    + #"-exec chmod g+w {} +""#
  private static let group = SystemFiles.deviceGroup

  /// What a user does who may not use one, as a part of a sentence.
  package static let advice =
    "run 'make install-udev' and 'sudo usermod -aG \(group) $USER', log in again, and plug the "
    + "sensor in again"

  func isMeant(by word: String) -> Bool { [node, name, label].contains(word) }

  /// What tells it from the others: `adxl355 (iio:device0)`.
  package var summary: String {
    [label, name].compactMap(\.self).first.map { "\($0) (\(node))" } ?? node
  }

  // The folders are those of the first buffer: the older names, which every kernel still has, or the
  // newer ones.
  var folder: String { "/sys/bus/iio/devices/\(node)" }

  func scanFolder(_ files: SystemFiles) -> String {
    files.exists("\(folder)/scan_elements") ? "\(folder)/scan_elements" : "\(folder)/buffer0"
  }

  func bufferFolder(_ files: SystemFiles) -> String {
    files.exists("\(folder)/buffer") ? "\(folder)/buffer" : "\(folder)/buffer0"
  }
}

extension SystemFiles {
  package func iioDevices() -> [IIODevice] {
    names("/sys/bus/iio/devices").filter { $0.hasPrefix("iio:device") }.compactMap(iioDevice)
  }

  private func iioDevice(_ node: String) -> IIODevice? {
    let folder = "/sys/bus/iio/devices/\(node)"
    let elements = Set(names("\(folder)/scan_elements") + names("\(folder)/buffer0"))
    let axes = ["x", "y", "z"].filter { elements.contains("in_accel_\($0)_en") }
    guard !axes.isEmpty else { return nil }
    let enable =
      exists("\(folder)/buffer") ? "\(folder)/buffer/enable" : "\(folder)/buffer0/enable"
    let device = "/dev/\(node)"
    return IIODevice(
      node: node, name: text("\(folder)/name").map(\.printable),
      label: text("\(folder)/label").map(\.printable), axes: axes,
      hasTimestamp: elements.contains("in_timestamp_en"),
      samplingFrequency: iioNumber(
        ["sampling_frequency", "in_accel_sampling_frequency"].map { "\(folder)/\($0)" }),
      forbidden: exists(device) && !mayRead(device) ? device : mayWrite(enable) ? nil : enable)
  }

  /// The number in the first of some files that has one.
  func iioNumber(_ paths: [String]) -> Double? {
    for path in paths {
      // Some attributes have their unit after the number.
      if let word = text(path)?.split(separator: " ").first, let value = Double(word),
        value.isFinite
      {
        return value
      }
    }
    return nil
  }

  func iioTriggers() -> [(name: String, folder: String)] {
    names("/sys/bus/iio/devices").filter { $0.hasPrefix("trigger") }.compactMap { node in
      let folder = "/sys/bus/iio/devices/\(node)"
      return text("\(folder)/name").map { ($0, folder) }
    }
  }

  /// The one trigger that hangs on the same chip as a device; `nil` where there is none, or several.
  func ownTrigger(of device: IIODevice) -> String? {
    guard let chip = chip(device.folder) else { return nil }
    let own = iioTriggers().filter { self.chip($0.folder) == chip }
    return own.count == 1 ? own.first?.name : nil
  }

  /// Where the chip stands in the kernel's tree: the folder above that of a device of it.
  private func chip(_ folder: String) -> String? { link(folder).map(FilePath.folder) }
}
