// SPDX-License-Identifier: Apache-2.0

import Devices
import Glibc
import ScratchFolder

@testable import SampledSensors

/// An accelerometer of the kernel below a folder: files for its attributes, a pipe for its node, and the kernel's
/// rules for what may be written when.
///
/// The rules are those of drivers/iio/industrialio-buffer.c and industrialio-trigger.c: nothing is set while
/// the buffer is on, a triggered buffer does not start without a trigger, a name that no trigger has is none.
final class KernelModel: IIOAccess {
  struct Rules: Sendable {
    /// Whether the buffer starts by a trigger alone.
    var needsTrigger = false
    /// What a path answers instead.
    var refusals: [String: Int32] = [:]
    /// Elements that come together alone: an element that stays off.
    var stuckElement: String?
  }

  static let folder = "sys/bus/iio/devices/iio:device0"
  static let enable = "\(folder)/buffer/enable"

  let files: SystemFiles
  private let tree: SystemTree
  private let rules: Guarded<Rules>
  private let log = Guarded<[String]>([])
  private let pipe: Guarded<Int32>

  /// Makes a sensor of three axes, 12 bits of 16, with time stamps or without.
  init(hasTimestamp: Bool = true, rules: Rules = Rules()) throws {
    tree = try SystemTree()
    files = SystemFiles(root: tree.root)
    self.rules = Guarded(rules)
    let chip = "sys/devices/i2c-1/1-001d"
    try tree.link(Self.folder, to: "../../../devices/i2c-1/1-001d/iio:device0")
    try tree.link(
      "sys/bus/iio/devices/trigger0", to: "../../../devices/i2c-1/1-001d/trigger0")
    try tree.link("sys/bus/iio/devices/trigger1", to: "../../../devices/trigger1")
    for (path, text) in [
      ("name", "adxl99"), ("in_accel_scale", "0.5"), ("in_accel_y_offset", "10"),
      ("sampling_frequency", "500"), ("sampling_frequency_available", "250 500 1000"),
      ("current_timestamp_clock", "realtime"), ("trigger/current_trigger", ""),
      ("buffer/enable", "0"), ("buffer/length", "2"), ("buffer/watermark", "1"),
      ("scan_elements/in_temp_en", "1"), ("scan_elements/in_temp_index", "3"),
      ("scan_elements/in_temp_type", "le:s16/16>>0"),
    ] {
      try tree.write("\(text)\n", to: "\(chip)/iio:device0/\(path)")
    }
    for (index, axis) in ["x", "y", "z"].enumerated() {
      let element = "\(chip)/iio:device0/scan_elements/in_accel_\(axis)"
      try tree.write("0\n", to: "\(element)_en")
      try tree.write("\(index)\n", to: "\(element)_index")
      try tree.write("le:s12/16>>4\n", to: "\(element)_type")
    }
    if hasTimestamp {
      let element = "\(chip)/iio:device0/scan_elements/in_timestamp"
      try tree.write("0\n", to: "\(element)_en")
      try tree.write("4\n", to: "\(element)_index")
      try tree.write("le:s64/64>>0\n", to: "\(element)_type")
    }
    try tree.write("adxl99-dev0\n", to: "\(chip)/trigger0/name")
    try tree.write("timer\n", to: "sys/devices/trigger1/name")
    try tree.write("100\n", to: "sys/devices/trigger1/sampling_frequency")
    let node = "\(tree.root)/dev/iio:device0"
    mkdir("\(tree.root)/dev", 0o755)
    guard mkfifo(node, 0o600) == 0 else { throw CancellationError() }
    pipe = Guarded(Glibc.open(node, O_RDWR | O_NONBLOCK | O_CLOEXEC))
  }

  deinit { unplug() }

  /// What was written, in order, as `file=value` below the device.
  var written: [String] { log.withLock { $0 } }

  /// The value of an attribute of the device.
  func value(_ name: String) -> String? { files.text("/\(Self.folder)/\(name)") }

  /// All attributes that can be set, as they are.
  var settings: [String] {
    let names = [
      "sampling_frequency", "current_timestamp_clock", "trigger/current_trigger", "buffer/enable",
      "buffer/length", "buffer/watermark", "scan_elements/in_temp_en",
      "scan_elements/in_accel_x_en", "scan_elements/in_accel_y_en",
      "scan_elements/in_accel_z_en", "scan_elements/in_timestamp_en",
    ]
    return names.map { "\($0)=\(value($0) ?? "none")" }
  }

  /// Changes a file of the device before it is opened.
  func put(_ text: String?, at name: String) throws {
    let path = "\(Self.folder)/\(name)"
    guard let text else {
      guard Glibc.unlink("\(tree.root)/\(path)") == 0 else { throw CancellationError() }
      return
    }
    try tree.write("\(text)\n", to: path)
  }

  /// Lays a second sensor of the same name beside it.
  func addTwin() throws {
    let folder = "sys/bus/iio/devices/iio:device1"
    try tree.write("adxl99\n", to: "\(folder)/name")
    try tree.write("0\n", to: "\(folder)/scan_elements/in_accel_x_en")
  }

  /// Changes the rules.
  func change(_ body: @Sendable (inout Rules) -> Void) { rules.withLock { body(&$0) } }

  /// Gives whole scans to whoever reads the node.
  func give(_ scans: [[UInt8]]) {
    pipe.withLock { pipe in
      for start in stride(from: 0, to: scans.count, by: 128) {
        // A write of at most 4,096 bytes is one piece to the reader.
        let bytes = Array(scans[start..<min(start + 128, scans.count)].joined())
        _ = Glibc.write(pipe, bytes, bytes.count)
      }
    }
  }

  /// Takes the sensor away.
  func unplug() {
    pipe.withLock { pipe in
      if pipe >= 0 { close(pipe) }
      pipe = -1
    }
  }

  func openNode(_ path: String) -> Int32 {
    if let number = rules.withLock({ $0.refusals[path] }) { return -number }
    return files.openNode(path)
  }

  func write(_ value: String, to path: String) -> Int32 {
    let name = String(path.dropFirst(Self.folder.utf8.count + 2))
    let (refusal, needsTrigger, stuck) = rules.withLock {
      ($0.refusals[path], $0.needsTrigger, $0.stuckElement)
    }
    if let refusal { return refusal }
    log.withLock { $0.append("\(name)=\(value)") }
    let isOn = self.value("buffer/enable") == "1"
    if name == stuck { return 0 }
    switch name {
    case "buffer/enable" where value == "1":
      let hasElement = files.names("/\(Self.folder)/scan_elements").contains {
        $0.hasSuffix("_en") && self.value("scan_elements/\($0)") == "1"
      }
      let hasTrigger = self.value("trigger/current_trigger")?.isEmpty == false
      guard hasElement, hasTrigger || !needsTrigger else { return EINVAL }
    case "buffer/enable": break
    case "trigger/current_trigger":
      guard !isOn else { return EBUSY }
      let isKnown = files.iioTriggers().contains { $0.name == value }
      return files.write(isKnown ? value : "", to: path)
    case "sampling_frequency":
      guard !isOn else { return EBUSY }
      let offered = self.value("sampling_frequency_available") ?? ""
      guard offered.split(separator: " ").contains(Substring(value)) else { return EINVAL }
    case "buffer/watermark":
      guard !isOn else { return EBUSY }
      let length = self.value("buffer/length").flatMap { Int($0) } ?? 0
      guard Int(value).map({ $0 <= length }) == true else { return EINVAL }
    default:
      guard !isOn else { return EBUSY }
    }
    return files.write(value, to: path)
  }
}

/// A scan's bytes: numbers of 12 bits above four, and eight bytes of time stamp.
func scan(_ axes: [Int16], at stamp: UInt64? = nil) -> [UInt8] {
  var bytes: [UInt8] = []
  for value in axes {
    let stored = UInt16(bitPattern: value) << 4
    bytes += [UInt8(truncatingIfNeeded: stored), UInt8(truncatingIfNeeded: stored >> 8)]
  }
  guard let stamp else { return bytes }
  while !bytes.count.isMultiple(of: 8) { bytes.append(0xee) }
  for place in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: stamp >> UInt64(8 * place))) }
  return bytes
}
