public import Units

/// Where the sensors' frames come in, already in SI units.
///
/// Life: `start` (with the drive's), any number of `read`, `stop`. All calls come from one thread at a time.
public protocol SensorInput: AnyObject, Sendable {
  /// The format that `read` delivers. Returns cached data.
  var format: StreamFormat { get }

  /// The channels in the order of a frame's samples. Returns cached data.
  var channels: [CaptureChannel] { get }

  /// Makes the device ready and sets the frame counter to zero.
  func start() throws(DeviceError)

  /// Fills interleaved frames and returns how many frames were delivered.
  ///
  /// Blocks until at least one frame is there, but returns 0 when the drive has to go on first: its
  /// capture frames never run ahead of the drive's, and a device that plays from a queue of its own wants
  /// that full before anybody waits. Frames that were lost are delivered as zeros, and named by a gap event, so that a frame's index
  /// is its time whatever happens.
  func read(into frames: inout MutableSpan<Float>) throws(DeviceError) -> Int

  /// Ends the capture.
  func stop() throws(DeviceError)

  /// Takes what happened since the last call, in the order of frames.
  func takeEvents() -> [StreamEvent]

  /// The latest pair of capture frame and host time, where the device has one.
  func clockReading() -> ClockReading?
}

/// What one channel of a capture device carries.
public struct CaptureChannel: Sendable, Hashable {
  /// The name from the rig file, unique in a rig.
  public let name: String
  /// What the channel is wired to.
  public let role: CaptureRole
  /// The SI unit of the samples that the port delivers.
  public let unit: MeasurementUnit

  /// Makes a channel.
  public init(name: String, role: CaptureRole, unit: MeasurementUnit) {
    self.name = name
    self.role = role
    self.unit = unit
  }
}
