import DeviceStreams
public import Devices
public import USBTransport

/// A DualSense over USB: its inertial sensor, and its coils by classic rumble where they are not left to the
/// sound interface.
struct DualSense: ControllerDevice, ~Copyable {
  private var link: HIDLink
  private let rumble: DualSenseRumble?
  /// Whether the firmware wants the later form of rumble.
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
      throw DeviceError(
        .garbled, device: device.rig,
        message:
          "\(device.record.summary) tells no calibration of its sensor (\(error)): plug it in "
          + "again")
    }
  }

  private static func hasLaterRumble(_ link: inout HIDLink) throws(DeviceError) -> Bool {
    if link.device.record.product == DualSenseFacts.edgeProduct { return true }
    let bytes = try link.feature(
      DualSenseFacts.firmwareReport, count: DualSenseFacts.firmwareSize)
    do throws(CodecError) {
      return try DualSenseFirmware(bytes).hasLaterRumble
    } catch {
      throw DeviceError(
        .garbled, device: link.device.rig,
        message: "\(link.device.record.summary) does not tell its firmware (\(error)): plug it in "
          + "again")
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

/// Gives the coils of a DualSense to its sound interface.
public enum DualSenseHaptics {
  /// Tells the controller that a selection means, and lets it go.
  ///
  /// - Throws: `DeviceError` with what to do: no such controller, several, no permission, in use.
  public static func select(
    _ selection: USBSelection, rig: String, on backend: any USBBackend
  ) throws(DeviceError) {
    let device = try USBContext(backend).open(selection, kind: .dualSense, rig: rig)
    var link = try HIDLink(device)
    try link.send(DualSenseCommand.haptics.bytes, milliseconds: 100)
  }
}

extension USBDeviceKind {
  /// Sony's controllers with voice coils.
  static let dualSense = USBDeviceKind(name: "a DualSense") { record in
    record.vendor == DualSenseFacts.vendor
      && (record.product == DualSenseFacts.product || record.product == DualSenseFacts.edgeProduct)
  }
}
