// SPDX-License-Identifier: Apache-2.0

import DeviceStreams
package import Devices
package import USBTransport

/// A DualSense over USB: its inertial sensor, and its coils by classic rumble where they are not left to the
/// sound interface.
struct DualSense: ControllerDevice, ~Copyable {
  private var link: HIDLink
  private let rumble: DualSenseRumble?
  private let hasLaterRumble: Bool
  /// `nil` for the nominal scale.
  private let calibration: DualSenseCalibration?
  private var counter = CounterUnwrapper(bits: 32)
  private var sequence: UInt8?
  private var reports: [MotionReport] = []
  private(set) var mayDrive = false

  /// Opens the HID interface of a controller and reads the sensor's constants; the coils are at rest, by rumble
  /// of nothing, or haptics selected for the sound interface.
  init(_ device: consuming USBDeviceHandle, rumble: DualSenseRumble?) throws(DeviceError) {
    var link = try HIDLink(device)
    let bytes = try link.feature(
      DualSenseFacts.calibrationReport, count: DualSenseFacts.calibrationSize)
    let calibration = try Self.calibration(bytes, of: link.device)
    var hasLaterRumble = false
    if rumble != nil { hasLaterRumble = try Self.hasLaterRumble(&link) }
    let first = rumble?.command(0, isLater: hasLaterRumble) ?? .haptics
    try link.send(first.bytes, milliseconds: 100)
    self.rumble = rumble
    self.hasLaterRumble = hasLaterRumble
    self.calibration = calibration
    self.link = link
  }

  /// The sensor's constants; `nil` where they have no span, as those of some controllers.
  private static func calibration(
    _ bytes: [UInt8], of device: borrowing USBDeviceHandle
  ) throws(DeviceError) -> DualSenseCalibration? {
    do throws(CodecError) {
      return try DualSenseCalibration(bytes)
    } catch {
      guard error.code != .range else { return nil }
      throw device.error(
        .garbled, "tells no calibration of its sensor (\(error)): plug it in again")
    }
  }

  private static func hasLaterRumble(_ link: inout HIDLink) throws(DeviceError) -> Bool {
    if KnownUSBDevice.dualSenseEdge.includes(link.device.record) { return true }
    let bytes = try link.feature(
      DualSenseFacts.firmwareReport, count: DualSenseFacts.firmwareSize)
    do throws(CodecError) {
      return try DualSenseFirmware(bytes).hasLaterRumble
    } catch {
      throw link.device.error(
        .garbled, "does not tell its firmware (\(error)): plug it in again")
    }
  }

  var rig: String { link.device.rig }

  var summary: String { link.device.record.summary }

  var tickRate: Double { DualSenseFacts.tickRate }

  var range: Double {
    32_767 / DualSenseFacts.accelerationResolution * MotionSample.gravity
  }

  var polling: USBPolling { link.device.polling(of: link.inputEndpoint) }

  var now: UInt64 { link.now }

  var latency: (output: JitterHistogram, input: JitterHistogram) { link.latency }

  mutating func begin() throws(DeviceError) {
    link.rest()
    sequence = nil
    counter = CounterUnwrapper(bits: 32)
    reports = []
  }

  mutating func play(_ tone: DriveTone) throws(DeviceError) {
    guard let rumble else { return }
    mayDrive = true
    let command = rumble.command(tone.amplitude, isLater: hasLaterRumble)
    try link.send(command.bytes, milliseconds: HIDLink.patience)
  }

  mutating func rest(microseconds: Int) throws(DeviceError) {
    for arrival in try link.listen(microseconds: microseconds) { take(arrival) }
  }

  mutating func takeReports() -> [MotionReport] {
    defer { reports = [] }
    return reports
  }

  mutating func end() throws(DeviceError) {
    if mayDrive { try play(.silent) }
    mayDrive = false
    link.rest()
  }

  mutating func shutOff() -> Bool {
    if mayDrive, let rumble {
      let neutral = rumble.command(0, isLater: hasLaterRumble)
      mayDrive = !link.sendLast(neutral.bytes, milliseconds: HIDLink.lastPatience)
    }
    link.rest()
    return !mayDrive
  }

  private mutating func take(_ arrival: HIDLink.Arrival) {
    // What is no report of motion is nobody's: the next one counts as after a loss.
    guard let report = try? DualSenseReport(arrival.bytes) else { return }
    let sample =
      calibration.map { $0.sample(report) } ?? DualSenseCalibration.nominalSample(report)
    reports.append(
      MotionReport(
        ticks: counter.unwrap(report.ticks), samples: [sample.acceleration],
        isAfterLoss: sequence.map { $0 &+ 1 != report.sequence } ?? false,
        nanoseconds: arrival.nanoseconds))
    sequence = report.sequence
  }
}

package enum DualSenseHaptics {
  package static func select(
    _ selection: USBSelection, rig: String, on backend: any USBBackend
  ) throws(DeviceError) {
    let device = try USBContext(backend).open(selection, kind: .dualSense, rig: rig)
    var link = try HIDLink(device)
    try link.send(DualSenseCommand.haptics.bytes, milliseconds: 100)
  }
}

extension USBDeviceKind {
  static let dualSense = USBDeviceKind(name: "a DualSense") { record in
    KnownUSBDevice.dualSense.includes(record) || KnownUSBDevice.dualSenseEdge.includes(record)
  }
}

/// How a rig drives one coil of a DualSense: a strength of 256 steps, at the frequency that the firmware plays.
struct DualSenseRumble: Sendable, Hashable {
  /// Hertz of what the coil plays, as measured: no maker says it.
  let frequency: Double
  let isLeft: Bool

  init(_ controller: DualSenseDescription, of rig: RigDescription) throws(DeviceError) {
    guard let frequency = controller.rumbleFrequency else {
      throw rig.error(
        .refused,
        "a DualSense drives by rumble or by its sound interface: write 'frequency', what its "
          + "coil plays in rumble mode, or 'device: alsa' and 'haptics: dualsense' in the drive")
    }
    self.frequency = frequency
    isLeft = try ControllerSide(of: rig) == .left
  }

  var expressible: ExpressibleDrive {
    .dualSenseRumble(frequency: frequency)
  }

  func command(_ share: Double, isLater: Bool) -> DualSenseCommand {
    let strength = UInt8(min(255, max(0, (share * 255).rounded())))
    let (left, right) = isLeft ? (strength, 0) : (0, strength)
    return isLater ? .rumble2(left: left, right: right) : .rumble(left: left, right: right)
  }
}

/// Which actuator of a controller a rig drives: the drive's channel 1 or 2.
enum ControllerSide: Sendable, Hashable {
  case left
  case right

  init(of rig: RigDescription) throws(DeviceError) {
    switch rig.drive.channels {
    case [.haptic: 1]: self = .left
    case [.haptic: 2]: self = .right
    default:
      throw rig.error(
        .refused,
        "a controller has a left and a right actuator and nothing else: write 'channels: "
          + "{haptic: 1}' or '{haptic: 2}'")
    }
  }
}
