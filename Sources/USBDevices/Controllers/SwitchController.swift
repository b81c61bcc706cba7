// SPDX-License-Identifier: Apache-2.0

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
  static let switchController = USBDeviceKind(name: "a Switch Pro controller") {
    KnownUSBDevice.switchPro.includes($0)
  }

  static let chargingGrip = USBDeviceKind(name: "a Joy-Con charging grip") {
    KnownUSBDevice.chargingGrip.includes($0)
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

/// The conversation with a Switch controller: its start over USB, commands with an answer, rumble.
///
/// Noncopyable, for one thread.
struct SwitchLink: ~Copyable {
  /// How long an answer is waited for, and how often it is asked for, as the kernel's driver has to.
  private static let answerTime = 250
  private static let attempts = 2
  /// What the controller takes to stay on USB, which nothing answers, in microseconds.
  private static let settling = 20_000

  var hid: HIDLink
  private var counter: UInt8 = 0

  init(_ device: consuming USBDeviceHandle, at place: Int = 0) throws(DeviceError) {
    let hid = try HIDLink(device, at: place)
    self.hid = hid
  }

  /// Which controller is behind the interface; `nil` where none is, and where it does not say.
  mutating func connected() throws(DeviceError) -> SwitchControllerReport.Kind? {
    let kind: SwitchControllerReport.Kind?? = try ask(.usb(.status)) { report in
      if case .connected(let kind) = report { kind } else { nil }
    }
    return kind ?? nil
  }

  mutating func start() throws(DeviceError) -> SwitchControllerCalibration {
    for command in SwitchControllerCommand.USBCommand.start {
      // Shaking hands works once a session, and the kernel's driver may have done it: whether the controller talks
      // is seen by what is asked of it next.
      if command == .stay {
        try send(.usb(command), milliseconds: 100)
      } else {
        _ = try ask(.usb(command)) { $0 == .usb(command.rawValue) ? true : nil }
      }
    }
    _ = try hid.listen(microseconds: Self.settling)
    let calibration = try calibration()
    for subcommand in [
      SwitchControllerCommand.Subcommand.motionRange, .motion(true), .vibration(true),
      .fullReports,
    ] { _ = try obey(subcommand) }
    hid.rest()
    return calibration
  }

  mutating func send(
    _ command: SwitchControllerCommand, milliseconds: Int
  ) throws(DeviceError) {
    try hid.send(counted(command), milliseconds: milliseconds)
  }

  mutating func sendLast(_ command: SwitchControllerCommand, milliseconds: Int) -> Bool {
    hid.sendLast(counted(command), milliseconds: milliseconds)
  }

  private mutating func counted(_ command: SwitchControllerCommand) -> [UInt8] {
    defer { counter &+= 1 }
    return command.report(counter: counter)
  }

  /// The user's constants of the sensor where there are some, else the factory's; the nominal scale where these have
  /// none.
  private mutating func calibration() throws(DeviceError) -> SwitchControllerCalibration {
    let mark = SwitchControllerFacts.userCalibrationMark
    let size = SwitchControllerFacts.calibrationSize
    let user = try flash(SwitchControllerFacts.userCalibration, count: mark.count + size)
    let bytes =
      user.starts(with: mark)
      ? Array(user.dropFirst(mark.count))
      : try flash(SwitchControllerFacts.factoryCalibration, count: size)
    do throws(CodecError) {
      return try SwitchControllerCalibration(bytes)
    } catch {
      guard error.code != .range else { return .nominal }
      throw garbled(error)
    }
  }

  private mutating func flash(_ address: UInt32, count: Int) throws(DeviceError) -> [UInt8] {
    let answer = try obey(.readFlash(address: address, count: UInt8(count)))
    do throws(CodecError) {
      return try answer.flash().bytes
    } catch {
      throw garbled(error)
    }
  }

  private mutating func obey(
    _ subcommand: SwitchControllerCommand.Subcommand
  ) throws(DeviceError) -> SwitchControllerReport.Answer {
    let number = subcommand.number
    for _ in 0..<Self.attempts {
      let answer = try ask(.subcommand(subcommand, left: .off, right: .off)) { report in
        if case .answer(let answer) = report, answer.number == number { answer } else { nil }
      }
      guard let answer else { continue }
      guard answer.acknowledged else { break }
      return answer
    }
    throw hid.device.error(
      .stalled,
      "does not obey command 0x\(String(number, radix: 16)): "
        + "plug it in again, and let no other program use it")
  }

  private mutating func ask<Answer>(
    _ command: SwitchControllerCommand, _ answer: (SwitchControllerReport) -> Answer?
  ) throws(DeviceError) -> Answer? {
    try send(command, milliseconds: 100)
    let end = hid.now + UInt64(Self.answerTime) * 1_000_000
    while hid.now < end {
      for arrival in try hid.serve(microseconds: hid.now.microseconds(until: end)) {
        if let report = try? SwitchControllerReport(arrival.bytes), let found = answer(report) {
          return found
        }
      }
    }
    return nil
  }

  private func garbled(_ error: CodecError) -> DeviceError {
    hid.device.error(
      .garbled, "tells no calibration of its sensor (\(error)): plug it in again")
  }
}
