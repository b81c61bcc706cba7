public import Devices
import Synchronization

/// The drive of a command rig.
///
/// `write` returns when the program has answered every whole block; what does not fill a block waits for
/// the next call, or for `stop`, which fills it with zeros.
public final class CommandDrive: DriveOutput {
  /// The format that `write` expects.
  public let format: StreamFormat

  private let link: CommandLink

  init(_ link: CommandLink) {
    self.link = link
    format = link.language.driveFormat
  }

  /// Starts the program, or joins the take for which the sensors started it.
  public func start() throws(DeviceError) {
    link.isSilent.store(false, ordering: .releasing)
    try link.session.withLock { (session) throws(DeviceError) in try session.start(.drive) }
  }

  /// Sends frames to the program and returns their count: all of them.
  public func write(_ frames: Span<Float>) throws(DeviceError) -> Int {
    format.frameCount(ofSamples: frames.count)
    return try link.session.withLock { (session) throws(DeviceError) in
      try session.write(frames) { self.link.isSilent.load(ordering: .acquiring) }
    }
  }

  /// Sends zeros until the next start, in place of an unfinished block too.
  public func silence() { link.isSilent.store(true, ordering: .releasing) }

  /// Sends the last block, filled with zeros, and lets the program end.
  public func stop() throws(DeviceError) {
    try link.session.withLock { (session) throws(DeviceError) in
      try session.stopDrive(isSilent: self.link.isSilent.load(ordering: .acquiring))
    }
  }

  /// Takes the overloads since the last call.
  public func takeEvents() -> [StreamEvent] { link.session.withLock { $0.driveEvents.take() } }

  /// A program has no clock of its own: there is nothing to read.
  public func clockReading() -> ClockReading? { nil }
}
