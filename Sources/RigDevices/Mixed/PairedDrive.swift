import Devices
import SampledSensors
import USBDevices

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
  /// The drive's account with what the other device kept of its capture.
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

  func clockReading() -> ClockReading? { drive.clockReading() }

  func statistics() -> StreamStatistics? {
    var statistics = drive.statistics() ?? StreamStatistics()
    partner.complete(&statistics)
    return statistics
  }
}

/// The sensors of a board beside another drive.
struct BoardPartner: DrivePartner {
  private let board: USBRig

  init(_ board: USBRig) { self.board = board }

  func start() throws(DeviceError) {}

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

  func start() throws(DeviceError) {}

  func follow(frames: Int, clock: ClockReading?) { sensors.follow(frames: frames, clock: clock) }

  func stop() throws(DeviceError) { sensors.endDrive() }

  func statistics() -> StreamStatistics? { nil }

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
