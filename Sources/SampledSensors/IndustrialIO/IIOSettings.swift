// SPDX-License-Identifier: Apache-2.0

import DeviceStreams
import Devices
import Glibc

/// What a rig wants of an Industrial I/O device, and how each part of it is asked for.
///
/// The order is the kernel's: nothing can be set while a buffer is on, the trigger decides who has the sampling
/// frequency, and the time stamps' clock is the device's.
struct IIOSettings: Sendable {
  let rig: String
  let device: IIODevice
  let description: IIODescription
  let axes: [String]
  let files: SystemFiles
  let access: any IIOAccess

  /// Seconds of samples that the kernel is to keep for a reader that is late.
  private static let kept = 1.0
  /// Seconds of samples that wake the reader together.
  private static let together = 0.01

  var enable: String { "\(device.bufferFolder(files))/enable" }

  private var elements: [String] {
    axes.map { "in_accel_\($0)" } + (device.hasTimestamp ? ["in_timestamp"] : [])
  }

  /// Opens the device's node, which the kernel gives to one reader at a time.
  func openNode() throws(DeviceError) -> Int32 {
    let node = "/dev/\(device.node)"
    let descriptor = access.openNode(node)
    guard descriptor < 0 else { return descriptor }
    switch -descriptor {
    case EBUSY:
      throw error(
        .busy,
        "'\(node)' is in use: \(files.holder(ofNode: node) ?? "another program") reads it; end that",
        EBUSY)
    case ENOENT, ENODEV, ENXIO:
      throw error(
        .notFound, "'\(node)' is not there: plug the sensor in again, and check that udev runs",
        -descriptor)
    default:
      throw refusal(
        -descriptor, at: node, doing: "start reading", otherwise: "check its driver in 'dmesg'")
    }
  }

  /// Sets everything but the length; gives whether time stamps are this computer's raw monotonic clock.
  func prepare(_ journal: inout AttributeJournal) throws(DeviceError) -> Bool {
    guard files.text(enable) != "1" else {
      throw error(
        .busy,
        "the buffer of \(device.summary) is on: end what uses it (such as iio-sensor-proxy), or, where a "
          + "program was killed, write 0 to '\(enable)'")
    }
    if let trigger = description.trigger { try setTrigger(trigger, &journal) }
    if let frequency = description.samplingFrequency { try setFrequency(frequency, &journal) }
    let clock = "\(device.folder)/current_timestamp_clock"
    let isOnHostClock =
      device.hasTimestamp && files.exists(clock) && journal.set("monotonic_raw", at: clock) == 0
    try setElements(&journal)
    return isOnHostClock
  }

  private func setTrigger(
    _ trigger: String, _ journal: inout AttributeJournal
  ) throws(DeviceError) {
    let path = "\(device.folder)/trigger/current_trigger"
    guard files.exists(path) else {
      throw error(
        .refused,
        "\(device.summary) takes its samples without a trigger: remove 'trigger' from the rig file")
    }
    let number = journal.set(trigger, at: path)
    guard number == 0 else {
      throw refusal(
        number, at: path, doing: "set trigger '\(trigger)'", otherwise: triggersThere)
    }
    // The kernel takes a name that it does not know for no trigger at all.
    guard files.text(path) == trigger else {
      throw error(.refused, "there is no trigger '\(trigger)' for '\(path)': \(triggersThere)")
    }
  }

  var triggersThere: String {
    let names = files.iioTriggers().map(\.name)
    return names.isEmpty
      ? "there is no trigger: 'sudo modprobe iio-trig-hrtimer' and 'sudo mkdir "
        + "/sys/kernel/config/iio/triggers/hrtimer/haprig' make one"
      : "there is \(names.joined(separator: ", "))"
  }

  /// The files that may have the sampling frequency, the one that counts first.
  private var frequencyPaths: [String] {
    let current = files.text("\(device.folder)/trigger/current_trigger")
    let trigger = files.iioTriggers().first { $0.name == current }
    return (trigger.map { ["\($0.folder)/sampling_frequency"] } ?? [])
      + ["sampling_frequency", "in_accel_sampling_frequency"].map { "\(device.folder)/\($0)" }
  }

  func frequency() throws(DeviceError) -> Double {
    if let rate = files.iioNumber(frequencyPaths), (1...1_000_000).contains(rate) { return rate }
    if let rate = description.sampleRate { return rate }
    throw error(
      .refused,
      "\(device.summary) does not say how many samples it takes: write 'sample-rate' in the rig file"
    )
  }

  private func setFrequency(
    _ frequency: Double, _ journal: inout AttributeJournal
  ) throws(DeviceError) {
    guard let path = frequencyPaths.first(where: files.exists) else {
      throw error(
        .refused,
        "\(device.summary) has no sampling frequency to set: remove 'sampling-frequency' and write "
          + "'sample-rate'")
    }
    if files.iioNumber([path]) == frequency { return }
    let text = Self.short(frequency)
    let number = journal.set(text, at: path)
    let offered = files.text("\(path)_available").map { "it offers \($0)" } ?? "write another one"
    guard number == 0 else {
      throw refusal(number, at: path, doing: "set \(text) samples a second", otherwise: offered)
    }
    guard let now = files.iioNumber([path]), abs(now / frequency - 1) < 1e-3 else {
      throw error(
        .refused,
        "\(device.summary) takes no \(text) samples a second: \(offered)")
    }
  }

  static func short(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e9 ? String(Int(value)) : String(value)
  }

  /// Has the axes and the time stamp in a scan, and nothing else.
  private func setElements(_ journal: inout AttributeJournal) throws(DeviceError) {
    let folder = device.scanFolder(files)
    let wanted = Set(elements.map { "\($0)_en" })
    for name in files.names(folder) where name.hasSuffix("_en") {
      let path = "\(folder)/\(name)"
      let value = wanted.contains(name) ? "1" : "0"
      let number = journal.set(value, at: path)
      guard number == 0 else {
        throw refusal(number, at: path, doing: "write \(value)", otherwise: "check its driver")
      }
      guard files.text(path) == value else {
        throw error(
          .refused,
          "'\(path)' stays \(files.text(path) ?? "unreadable"): \(device.summary) has its axes together "
            + "alone; feel with all of x, y and z")
      }
    }
  }

  /// Gives the kernel room for a second, and wakes the reader a hundred times a second; gives the room in scans.
  func setLength(
    _ journal: inout AttributeJournal, rate: Double
  ) throws(DeviceError) -> Int {
    let folder = device.bufferFolder(files)
    let wanted = min(1 << 20, max(128, Int((rate * Self.kept).rounded(.up))))
    let (path, watermark) = ("\(folder)/length", "\(folder)/watermark")
    let now = files.text(path).flatMap { Int($0) } ?? 0
    if now < wanted, files.isSettable(path) {
      let number = journal.set(String(wanted), at: path)
      // A buffer of one length says so by this number.
      guard number == 0 || number == EIO else {
        throw refusal(number, at: path, doing: "write \(wanted)", otherwise: "check its driver")
      }
    }
    let length = max(1, min(1 << 20, files.text(path).flatMap { Int($0) } ?? wanted))
    if files.isSettable(watermark) {
      let level = max(1, min(length / 4, Int(rate * Self.together)))
      // Without it the reader wakes for each sample: no more than that.
      _ = journal.set(String(level), at: watermark)
    }
    return length
  }

  func layout() throws(DeviceError) -> ScanLayout {
    let folder = device.scanFolder(files)
    var channels: [ScanLayout.Channel] = []
    for element in elements {
      let name = String(element.dropFirst(3))
      guard let type = files.text("\(folder)/\(element)_type"),
        let index = files.text("\(folder)/\(element)_index").flatMap({ Int($0) })
      else {
        throw error(
          .garbled,
          "'\(folder)' does not say how \(element) lies in a scan: its '_type' or '_index' is missing"
        )
      }
      let isTime = name == "timestamp"
      var channel = ScanLayout.Channel(
        name: name, index: index, type: try self.type(type, at: "\(folder)/\(element)_type"))
      if !isTime {
        channel.scale = try scale(of: element)
        channel.offset = number(element, "offset") ?? 0
      }
      channels.append(channel)
    }
    do throws(CodecError) {
      return try ScanLayout(channels)
    } catch {
      throw self.error(.garbled, "'\(folder)': \(error)")
    }
  }

  /// m/s2 of a step: the axis' own, or that of all axes.
  private func scale(of element: String) throws(DeviceError) -> Double {
    guard let scale = number(element, "scale"), scale != 0 else {
      throw error(
        .garbled,
        "'\(device.folder)' has no scale of \(element), neither its own nor 'in_accel_scale': update "
          + "the sensor's driver")
    }
    return scale
  }

  private func number(_ element: String, _ property: String) -> Double? {
    files.iioNumber([element, "in_accel"].map { "\(device.folder)/\($0)_\(property)" })
  }

  private func type(_ text: String, at path: String) throws(DeviceError) -> ScanElement {
    let type: ScanElement
    do throws(CodecError) { type = try ScanElement(text) } catch {
      throw self.error(.garbled, "'\(path)': \(error)")
    }
    guard type.count == 1 else {
      throw error(.garbled, "'\(path)': an axis is one number in a scan, and '\(text)' repeats it")
    }
    return type
  }
}

extension IIOSettings {
  /// Turns the buffer on, with the device's own trigger where it has none yet and needs one.
  func turnOn(_ journal: inout AttributeJournal) throws(DeviceError) {
    var number = journal.put("1", at: enable)
    let path = "\(device.folder)/trigger/current_trigger"
    let hasNone = files.exists(path) && files.text(path)?.isEmpty == true
    guard number == EINVAL, hasNone else {
      guard number == 0 else {
        throw refusal(
          number, at: enable, doing: "turn the buffer on",
          otherwise: "the sensor takes no samples by its trigger '\(files.text(path) ?? "none")'")
      }
      return
    }
    guard let own = files.ownTrigger(of: device) else {
      throw error(
        .refused,
        "\(device.summary) has no trigger, and none of its own: write 'trigger' in the rig file; "
          + triggersThere, EINVAL)
    }
    number = journal.set(own, at: path)
    if number == 0 { number = journal.put("1", at: enable) }
    guard number == 0 else {
      throw refusal(
        number, at: enable, doing: "turn the buffer on by trigger '\(own)'",
        otherwise: triggersThere)
    }
  }

  func error(_ code: DeviceError.Code, _ message: String, _ number: Int32 = 0) -> DeviceError {
    DeviceError(code, device: rig, message: message, errno: number == 0 ? nil : number)
  }

  /// The kernel's refusal in words, with the file and what to do.
  func refusal(
    _ number: Int32, at path: String, doing operation: String, otherwise: String
  ) -> DeviceError {
    let (code, advice): (DeviceError.Code, String) =
      switch number {
      case EACCES, EPERM, EROFS:
        (.denied, "no permission: \(IIODevice.advice), or run as root")
      case EBUSY:
        (.busy, "the buffer is in use: end what uses it, such as iio-sensor-proxy")
      case ENODEV, ENXIO, ENOENT: (.unplugged, "\(device.summary) is gone: plug it in again")
      default: (.refused, "\(Self.text(number)); \(otherwise)")
      }
    return error(code, "could not \(operation) at '\(path)': \(advice)", number)
  }

  static func text(_ number: Int32) -> String { String(cString: strerror(number)) }
}
