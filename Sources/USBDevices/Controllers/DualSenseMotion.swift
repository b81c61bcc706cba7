public import Devices

/// The inertial sensor of a DualSense over USB; its coils belong to the sound interface as long.
struct DualSenseMotion: MotionDevice, ~Copyable {
  private var link: HIDLink
  /// `nil` for the nominal scale.
  private let calibration: DualSenseCalibration?
  private var sequence: UInt8?

  /// Opens the HID interface of a controller, reads the sensor's constants and selects haptics.
  init(_ device: consuming USBDeviceHandle) throws(DeviceError) {
    var link = try HIDLink(device)
    let bytes = try link.feature(
      DualSenseFacts.calibrationReport, count: DualSenseFacts.calibrationSize)
    let calibration = try Self.calibration(bytes, of: link.device)
    try link.send(DualSenseCommand.haptics.bytes, milliseconds: 100)
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

  var tickRate: Double { DualSenseFacts.tickRate }

  var range: Double {
    32_767 / DualSenseFacts.accelerationResolution * MotionSample.gravity
  }

  var polling: USBPolling {
    link.device.polling(of: link.inputEndpoint)
  }

  var summary: String { link.device.record.summary }

  var now: UInt64 { link.now }

  var latency: (output: JitterHistogram, input: JitterHistogram) { link.latency }

  mutating func begin() throws(DeviceError) {
    link.rest()
    sequence = nil
  }

  mutating func serve(microseconds: Int) throws(DeviceError) -> [MotionReport] {
    var reports: [MotionReport] = []
    for arrival in try link.serve(microseconds: microseconds) {
      // What is no report of motion is nobody's: the next one counts as after a loss.
      guard let report = try? DualSenseReport(arrival.bytes) else { continue }
      let sample =
        calibration.map { $0.sample(report) } ?? DualSenseCalibration.nominalSample(report)
      reports.append(
        MotionReport(
          ticks: report.ticks, acceleration: sample.acceleration,
          isAfterLoss: sequence.map { $0 &+ 1 != report.sequence } ?? false,
          nanoseconds: arrival.nanoseconds))
      sequence = report.sequence
    }
    return reports
  }

  mutating func rest() { link.rest() }
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
