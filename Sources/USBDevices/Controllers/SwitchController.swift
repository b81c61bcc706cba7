import DeviceStreams
import Devices
import USBTransport

/// A Nintendo Switch Pro controller over USB, or a Joy-Con in the charging grip: one actuator by HD rumble, and the
/// inertial sensor.
///
/// The controller holds a pattern until the next; how long without one no maker says. So every way out of here
/// ends with the neutral pattern, where the controller can be reached: twice at the end of a take, as the kernel's driver
/// sends it more than once too.
struct SwitchController: ControllerDevice, ~Copyable {
  private static let neutral = SwitchControllerCommand.rumble(left: .off, right: .off)
  private static let neutralCount = 2

  private var link: SwitchLink
  /// `nil` where the drive is elsewhere.
  private let drive: SwitchDrive?
  private let calibration: SwitchControllerCalibration
  private let isRightJoyCon: Bool
  private var timer = SwitchControllerTimer()
  private var reports: [MotionReport] = []
  private(set) var mayDrive = false

  static func open(
    _ selection: USBSelection, joyCon: SwitchControllerDescription.JoyCon?, drive: SwitchDrive?,
    rig: String, on backend: any USBBackend
  ) throws(DeviceError) -> SwitchController {
    let context = USBContext(backend)
    guard let joyCon else {
      let device = try context.open(selection, kind: .switchController, rig: rig)
      return try SwitchController(SwitchLink(device), drive: drive, isRightJoyCon: false)
    }
    // Each Joy-Con has an interface of the grip, and says itself which it is.
    let wanted: SwitchControllerReport.Kind = joyCon == .left ? .leftJoyCon : .rightJoyCon
    for place in 0..<2 {
      let device = try context.open(selection, kind: .chargingGrip, rig: rig)
      var link = try SwitchLink(device, at: place)
      if try link.connected() == wanted {
        return try SwitchController(link, drive: drive, isRightJoyCon: joyCon == .right)
      }
    }
    throw DeviceError(
      .notFound, device: rig,
      message: "no \(joyCon.rawValue) Joy-Con is in the charging grip: put it in")
  }

  private init(
    _ link: consuming SwitchLink, drive: SwitchDrive?, isRightJoyCon: Bool
  ) throws(DeviceError) {
    var link = link
    let calibration = try link.start()
    self.isRightJoyCon = isRightJoyCon
    self.drive = drive
    self.calibration = calibration
    self.link = link
  }

  var rig: String { link.hid.device.rig }

  var summary: String { link.hid.device.record.summary }

  var tickRate: Double { SwitchControllerFacts.tickRate }

  /// Of the nominal scale: that of its own constants is within percents.
  var range: Double { 32_767.0 / 4096 * MotionSample.gravity }

  var polling: USBPolling { link.hid.device.polling(of: link.hid.inputEndpoint) }

  var now: UInt64 { link.hid.now }

  var latency: (output: JitterHistogram, input: JitterHistogram) { link.hid.latency }

  mutating func begin() throws(DeviceError) {
    link.hid.rest()
    timer = SwitchControllerTimer()
    reports = []
  }

  mutating func play(_ tone: DriveTone) throws(DeviceError) {
    guard let drive else { return }
    mayDrive = true
    try link.send(drive.command(tone), milliseconds: HIDLink.patience)
  }

  mutating func rest(microseconds: Int) throws(DeviceError) {
    for arrival in try link.hid.listen(microseconds: microseconds) { take(arrival) }
  }

  mutating func takeReports() -> [MotionReport] {
    defer { reports = [] }
    return reports
  }

  mutating func end() throws(DeviceError) {
    if mayDrive {
      for _ in 0..<Self.neutralCount {
        try link.send(Self.neutral, milliseconds: HIDLink.patience)
      }
    }
    mayDrive = false
    link.hid.rest()
  }

  mutating func shutOff() -> Bool {
    if mayDrive {
      mayDrive = !link.sendLast(Self.neutral, milliseconds: HIDLink.lastPatience)
    }
    link.hid.rest()
    return !mayDrive
  }

  private mutating func take(_ arrival: HIDLink.Arrival) {
    // What is no full report is nobody's: the next one counts as after a loss.
    guard case .motion(let motion) = try? SwitchControllerReport(arrival.bytes) else { return }
    let noted = timer.note(motion.timer, at: arrival.nanoseconds)
    reports.append(
      MotionReport(
        ticks: noted.ticks, spacing: 1,
        samples: motion.samples.map { calibration.sample($0, isRight: isRightJoyCon).acceleration },
        isAfterLoss: noted.isAfterLoss, nanoseconds: arrival.nanoseconds))
  }
}

extension USBDeviceKind {
  static let switchController = USBDeviceKind(name: "a Switch Pro controller") { record in
    record.vendor == SwitchControllerFacts.vendor
      && record.product == SwitchControllerFacts.proController
  }

  static let chargingGrip = USBDeviceKind(name: "a Joy-Con charging grip") { record in
    record.vendor == SwitchControllerFacts.vendor
      && record.product == SwitchControllerFacts.chargingGrip
  }
}

/// How a rig drives one actuator of a Switch controller: one band of HD rumble, the other silent.
struct SwitchDrive: Sendable, Hashable {
  let isHighBand: Bool
  let side: ControllerSide

  init(_ controller: SwitchControllerDescription, of rig: RigDescription) throws(DeviceError) {
    isHighBand = controller.band == .high
    let asked = try ControllerSide(of: rig)
    // A Joy-Con has one actuator, and listens to its own half of a report.
    side = controller.joyCon.map { $0 == .left ? .left : .right } ?? asked
  }

  var expressible: ExpressibleDrive { .switchController(highBand: isHighBand) }

  /// The report for a tone: the nearest on the grid, never above the safe amplitude.
  func command(_ tone: DriveTone) -> SwitchControllerCommand {
    let neutral = (
      high: SwitchRumble.frequency(code: SwitchRumble.off.highCode),
      low: SwitchRumble.frequency(code: SwitchRumble.off.lowCode)
    )
    let rumble =
      isHighBand
      ? SwitchRumble(
        highHertz: tone.frequency, highAmplitude: tone.amplitude, lowHertz: neutral.low,
        lowAmplitude: 0)
      : SwitchRumble(
        highHertz: neutral.high, highAmplitude: 0, lowHertz: tone.frequency,
        lowAmplitude: tone.amplitude)
    let played = tone.amplitude > 0 ? rumble : .off
    return side == .left
      ? .rumble(left: played, right: .off) : .rumble(left: .off, right: played)
  }
}
