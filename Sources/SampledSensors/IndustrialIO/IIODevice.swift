package import Devices
import Paths

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
