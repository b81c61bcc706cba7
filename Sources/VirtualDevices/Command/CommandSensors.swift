public import Devices
import Synchronization

/// The sensors of a command rig: what the program answered, in SI units.
///
/// `read` never waits: it returns 0 when the drive has to go on first.
public final class CommandSensors: SensorInput {
  /// The format that `read` delivers.
  public let format: StreamFormat
  /// The channels in the order of the rig file.
  public let channels: [CaptureChannel]

  private let link: CommandLink

  init(_ link: CommandLink) {
    self.link = link
    format = link.language.captureFormat
    channels = link.language.channels
  }

  /// Starts the program, or joins the take for which the drive started it.
  public func start() throws(DeviceError) {
    try link.session.withLock { (session) throws(DeviceError) in try session.start(.capture) }
  }

  /// Delivers what the program answered, never more frames than were sent.
  public func read(into frames: inout MutableSpan<Float>) throws(DeviceError) -> Int {
    format.frameCount(ofSamples: frames.count)
    return try link.session.withLock { (session) throws(DeviceError) in
      try session.read(into: &frames)
    }
  }

  /// Ends the capture; the program goes on until the drive stops.
  public func stop() throws(DeviceError) {
    link.session.withLock { $0.pairing.stop(.capture) }
  }

  /// A program tells of nothing but frames.
  public func takeEvents() -> [StreamEvent] { [] }

  /// A program has no clock of its own: there is nothing to read.
  public func clockReading() -> ClockReading? { nil }
}
