// SPDX-License-Identifier: Apache-2.0

import ALSADevices
import Devices
import SampledSensors
import USBDevices
import USBTransport
import Units

/// A rig whose drive and capture are two devices with two clocks: a USB device beside a sound card, two
/// USB devices, or either of them beside a sensor with a clock of its own.
///
/// Both start together as far as the host can; the markers on the reference say how far they are apart
/// and how their clocks drift. The ports count both in frames of their own, as on two sound cards. No wire leads to a
/// sensor with a clock of its own: its samples are laid on the drive by the host's clock.
struct MixedRig {
  let drive: any DriveOutput
  let sensors: any SensorInput
  /// The rig with what the devices themselves had to say.
  let description: RigDescription
  /// Whether the devices keep their own time: all do but those on a virtual bus.
  private(set) var isPaced = true

  init(
    _ rig: RigDescription, slack: DriveSlack = .live, stop: StopSignal,
    on makeBus: () throws(DeviceError) -> any USBBackend
  ) throws(DeviceError) {
    var described = rig
    switch (rig.drive.device, rig.capture.kind) {
    case (.usb(let board), .alsa):
      let driving = try USBRig(
        rig, device: board, halves: .drive, on: makeBus(), slack: slack, stop: stop)
      let listening = try ALSARig(try Self.listening(rig), slack: slack, stop: stop)
      guard let output = driving.drive else { throw Self.refusal(rig) }
      described.capture = listening.description.capture
      // A card captures while it plays: it is given silence, as much as the board is given drive.
      drive = PairedDrive(
        output,
        beside: SilentPartner(listening.drive, frames: rig.drive.format.periodFrames * 64))
      sensors = listening.sensors
    case (.alsa, .usb):
      let listening = try Self.board(rig, stop: stop, on: makeBus)
      guard let input = listening.sensors else { throw Self.refusal(rig) }
      // The board captures while the drive's queue fills: a deep one would put the markers too late.
      drive = try Self.drive(rig, beside: BoardPartner(listening), .live, stop: stop)
      sensors = input
    case (.alsa, .serial), (.alsa, .iio):
      let listening = try Self.sampled(rig)
      drive = try Self.drive(
        rig, beside: SampledPartner(listening, isOnHostClock: false), slack, stop: stop)
      sensors = listening
    case (.usb(let device), .serial), (.usb(let device), .iio):
      let listening = try Self.sampled(rig)
      let driving = try USBRig(
        rig, device: device, halves: .drive, on: makeBus(), slack: slack, stop: stop)
      guard let output = driving.drive else { throw Self.refusal(rig) }
      drive = PairedDrive(
        output, beside: SampledPartner(listening, isOnHostClock: driving.isOnHostClock))
      sensors = listening
    case (.usb(let board), .usb):
      let bus = try makeBus()
      let driving = try USBRig(
        rig, device: board, halves: .drive, on: bus, slack: .live, stop: stop)
      let listening = try Self.board(rig, stop: stop) { bus }
      guard let output = driving.drive, let input = listening.sensors else {
        throw Self.refusal(rig)
      }
      driving.accompany(listening)
      isPaced = driving.isPaced
      drive = PairedDrive(output, beside: BoardPartner(listening))
      sensors = input
    default: throw Self.refusal(rig)
    }
    description = described
  }

  private static func board(
    _ rig: RigDescription, stop: StopSignal, on makeBus: () throws(DeviceError) -> any USBBackend
  ) throws(DeviceError) -> USBRig {
    guard let board = rig.capture.usb else { throw refusal(rig) }
    return try USBRig(rig, device: board, halves: .sensors, on: makeBus(), stop: stop)
  }

  private static func sampled(_ rig: RigDescription) throws(DeviceError) -> SampledSensors {
    rig.capture.kind == .serial ? try SerialRig(rig).sensors : try IIORig(rig).sensors
  }

  /// The drive on a sound card, with what goes along with it.
  private static func drive(
    _ rig: RigDescription, beside partner: any DrivePartner, _ slack: DriveSlack, stop: StopSignal
  ) throws(DeviceError) -> PairedDrive {
    PairedDrive(try ALSARig(try driving(rig), slack: slack, stop: stop).drive, beside: partner)
  }

  /// The card's half of a rig that it only listens in: the card plays on its first channel, silence.
  private static func listening(_ rig: RigDescription) throws(DeviceError) -> RigDescription {
    guard let card = rig.capture.alsa else { throw refusal(rig) }
    var half = rig
    half.drive.device = .alsa(card)
    half.drive.channels = [.haptic: 1]
    return half
  }

  /// The card's half of a rig that it only drives: whatever it captures is not looked at.
  private static func driving(_ rig: RigDescription) throws(DeviceError) -> RigDescription {
    guard case .alsa(let card) = rig.drive.device else { throw refusal(rig) }
    var half = rig
    half.capture = CaptureDescription(
      kind: .alsa,
      channels: [
        CaptureChannelDescription(
          name: "unused", role: .voltage, unit: .volt, input: 1, fullScaleVolts: 1)
      ], alsa: card)
    return half
  }

  private static func refusal(_ rig: RigDescription) -> DeviceError {
    rig.error(
      .refused,
      "a drive of kind \(rig.drive.device.kind.rawValue) and a capture of kind "
        + "\(rig.capture.kind.rawValue) are no rig: mix only a USB device and a sound card, or a drive on "
        + "either of them with a capture on a serial port or of the kernel's Industrial I/O")
  }
}

/// What goes along with a drive on another device: it learns how far the drive went.
protocol DrivePartner: Sendable {
  func start() throws(DeviceError)
  /// The drive took so many frames, and told this of its clock.
  func follow(frames: Int, clock: ClockReading?) throws(DeviceError)
  func stop() throws(DeviceError)
  /// How its own stream went, after `stop`.
  func statistics() -> StreamStatistics?
  func complete(_ statistics: inout StreamStatistics)
}

extension DrivePartner {
  func start() throws(DeviceError) {}

  func statistics() -> StreamStatistics? { nil }

  func complete(_ statistics: inout StreamStatistics) {
    statistics.start = .separate(reason: "drive and capture are two devices")
    statistics.captureRate = nil
    guard let other = self.statistics() else { return }
    statistics.captureRate = other.captureRate
    statistics.negotiations =
      statistics.negotiations.filter { $0.direction != "capture" }
      + other.negotiations.filter { $0.direction == "capture" }
    statistics.xruns += other.xruns
    statistics.suspensions += other.suspensions
    statistics.restartUncertainty =
      [statistics.restartUncertainty, other.restartUncertainty].compactMap(\.self).max()
    statistics.transfers = statistics.transfers ?? other.transfers
    statistics.statements += other.statements
  }
}

final class PairedDrive: DriveOutput {
  private let drive: any DriveOutput
  private let partner: any DrivePartner

  init(_ drive: any DriveOutput, beside partner: any DrivePartner) {
    self.drive = drive
    self.partner = partner
  }

  var format: StreamFormat { drive.format }

  var expressible: ExpressibleDrive? { drive.expressible }

  func start() throws(DeviceError) {
    try partner.start()
    try drive.start()
  }

  func write(_ frames: Span<Float>) throws(DeviceError) -> Int {
    let taken = try drive.write(frames)
    try partner.follow(frames: taken, clock: drive.clockReading())
    return taken
  }

  func silence() { drive.silence() }

  func stop() throws(DeviceError) {
    // Both are stopped whatever the first one says.
    var fault: DeviceError?
    do throws(DeviceError) {
      try drive.stop()
      // A drive that was all taken before it began has told of its clock only now.
      try partner.follow(frames: 0, clock: drive.clockReading())
    } catch {
      fault = error
    }
    do throws(DeviceError) { try partner.stop() } catch { fault = fault ?? error }
    if let fault { throw fault }
  }

  func takeEvents() -> [StreamEvent] { drive.takeEvents() }

  func seenEvents() -> [StreamEvent] { drive.seenEvents() }

  func clockReading() -> ClockReading? { drive.clockReading() }

  func statistics() -> StreamStatistics? {
    var statistics = drive.statistics() ?? StreamStatistics()
    partner.complete(&statistics)
    return statistics
  }
}

struct BoardPartner: DrivePartner {
  private let board: USBRig

  init(_ board: USBRig) { self.board = board }

  func follow(frames: Int, clock: ClockReading?) throws(DeviceError) {
    board.advance(frames: frames)
  }

  func stop() throws(DeviceError) { board.endDrive() }

  func statistics() -> StreamStatistics? { board.statistics() }
}

/// Sensors with a clock of their own beside another drive: they learn where its frame 0 was.
struct SampledPartner: DrivePartner {
  private let sensors: SampledSensors
  /// Whether the drive is on the host's own clock.
  private let isOnHostClock: Bool

  init(_ sensors: SampledSensors, isOnHostClock: Bool) {
    self.sensors = sensors
    self.isOnHostClock = isOnHostClock
  }

  func follow(frames: Int, clock: ClockReading?) { sensors.follow(frames: frames, clock: clock) }

  func stop() throws(DeviceError) { sensors.endDrive() }

  func complete(_ statistics: inout StreamStatistics) {
    // What the drive's device itself captures is not looked at.
    statistics.negotiations = statistics.negotiations.filter { $0.direction == "playback" }
    statistics.captureRate = sensors.clockRate
    if isOnHostClock {
      statistics.driveRate = sensors.clockRate.map { rate in .host(pairCount: rate.pairCount) }
    }
    statistics.start = .unlinked(
      offset: 0, uncertainty: 1e-3,
      reason: "the sensor's samples were laid on the drive by when the earliest of them came")
  }
}

/// A card's own drive, given silence, so that the card captures.
///
/// Its start is the capture's: the first frames of silence go in with the first frames of drive.
final class SilentPartner: DrivePartner {
  private let drive: any DriveOutput
  private let zeros: [Float]

  init(_ drive: any DriveOutput, frames: Int) {
    self.drive = drive
    zeros = [Float](repeating: 0, count: frames * drive.format.channelCount)
  }

  func start() throws(DeviceError) {
    try drive.start()
  }

  func follow(frames: Int, clock: ClockReading?) throws(DeviceError) {
    let width = drive.format.channelCount
    // A span is of a local value, not of what the reference holds.
    let zeros = zeros
    var left = frames
    while left > 0 {
      let count = min(left, zeros.count / width)
      left -= try drive.write(zeros.span.extracting(0..<(count * width)))
    }
  }

  func stop() throws(DeviceError) { try drive.stop() }

  func statistics() -> StreamStatistics? { drive.statistics() }
}
