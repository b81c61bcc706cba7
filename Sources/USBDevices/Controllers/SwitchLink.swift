import DeviceStreams
import Devices
import USBTransport

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

  /// Has the controller talk over USB and report in full, and gives its sensor's constants.
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
    throw DeviceError(
      .stalled, device: hid.device.rig,
      message: "\(hid.device.record.summary) does not obey command 0x\(String(number, radix: 16)): "
        + "plug it in again, and let no other program use it")
  }

  /// Sends a command and waits for its answer; `nil` where none came in its time.
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
    DeviceError(
      .garbled, device: hid.device.rig,
      message:
        "\(hid.device.record.summary) tells no calibration of its sensor (\(error)): plug it "
        + "in again")
  }
}
