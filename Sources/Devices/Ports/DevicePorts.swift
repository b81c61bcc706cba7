// SPDX-License-Identifier: Apache-2.0

public import Units

/// Where drive frames leave for an actuator: a sound card, a USB driver, a simulated coil, a file.
///
/// Life: `start`, any number of `write`, `stop`; then `start` again. Frame 0 of a start is the same
/// instant as frame 0 of the capture of the same rig. Samples are -1...1 of the device's full scale;
/// what lies outside is clipped by the device and reported as an overload. All calls but `silence`
/// come from one thread at a time.
public protocol DriveOutput: AnyObject, Sendable {
  /// The format that `write` expects. Returns cached data.
  var format: StreamFormat { get }

  /// What the device can express of the frames, where it makes tones of its own by commands; `nil` for a
  /// device that plays the waveform.
  ///
  /// Returns cached data, the same from opening to closing.
  var expressible: ExpressibleDrive? { get }

  /// Makes the device ready and sets the frame counter to zero; nothing is driven yet.
  func start() throws(DeviceError)

  /// Sends interleaved frames and returns how many frames were taken, at least one.
  ///
  /// Blocks while the device is full. `frames.count` is a multiple of `format.channelCount`.
  func write(_ frames: Span<Float>) throws(DeviceError) -> Int

  /// Drives zero at once and drops what was sent and not yet played. Any thread, any time.
  ///
  /// Until the next `start`, every later `write` drives zero.
  func silence()

  /// Lets what was sent play to its end, then rests the device at zero.
  func stop() throws(DeviceError)

  /// Takes what happened since the last call, in the order of frames.
  func takeEvents() -> [StreamEvent]

  /// Looks at what the next `takeEvents` will take, as far as it happened; what goes on still grows.
  func seenEvents() -> [StreamEvent]

  /// The latest pair of drive frame and host time, where the device has one.
  func clockReading() -> ClockReading?

  /// How the stream went since `start`, where the device keeps count of it. After `stop`.
  func statistics() -> StreamStatistics?
}

extension DriveOutput {
  /// The device plays the waveform.
  public var expressible: ExpressibleDrive? { nil }

  /// The device has no clock of its own.
  public func clockReading() -> ClockReading? { nil }

  /// Nothing is told before it is taken.
  public func seenEvents() -> [StreamEvent] { [] }

  /// No count is kept.
  public func statistics() -> StreamStatistics? { nil }
}

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

  /// Looks at what the next `takeEvents` will take, as far as it happened; what goes on still grows.
  func seenEvents() -> [StreamEvent]

  /// The latest pair of capture frame and host time, where the device has one.
  func clockReading() -> ClockReading?
}

extension SensorInput {
  /// The device tells of nothing but frames.
  public func takeEvents() -> [StreamEvent] { [] }

  /// Nothing is told before it is taken.
  public func seenEvents() -> [StreamEvent] { [] }

  /// The device has no clock of its own.
  public func clockReading() -> ClockReading? { nil }
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

/// Something that a device did besides carrying frames.
public struct StreamEvent: Sendable, Hashable {
  /// What happened.
  public enum Kind: String, Sendable, Hashable, CaseIterable, BitwiseCopyable {
    /// The drive ran dry: these drive frames were not played, zeros were.
    case underrun
    /// The capture ran over: these capture frames are lost and stand as zeros.
    case overrun
    /// Packets were lost on the way: these capture frames are lost and stand as zeros.
    case drop
    /// A converter or a sensor was at its end: these frames are clipped.
    case overload
  }

  /// What happened.
  public let kind: Kind
  /// The first frame it touches, counted from `start`.
  public let frame: Int
  /// How many frames it touches.
  public let length: Int
  /// The name of the channel, where one channel is meant.
  public let channel: String?

  /// Makes an event.
  public init(kind: Kind, frame: Int, length: Int, channel: String? = nil) {
    self.kind = kind
    self.frame = frame
    self.length = length
    self.channel = channel
  }

  /// The frames it touches.
  public var frames: Range<Int> { frame..<(frame + length) }
}

/// One look at a device's clock beside the host's.
///
/// Times of two clocks are never subtracted; pairs of one device are fitted by a line.
public struct ClockReading: Sendable, Hashable {
  /// The device's frame counter since `start`.
  public let frame: Int
  /// The host's monotonic raw clock, in nanoseconds; of a virtual clock, its virtual time.
  public let nanoseconds: UInt64

  /// Makes a pair.
  public init(frame: Int, nanoseconds: UInt64) {
    self.frame = frame
    self.nanoseconds = nanoseconds
  }
}

/// Why a device could not do what was asked, named for what a person can do about it.
public struct DeviceError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What a person can do.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The name as it stands in records.
    public let rawValue: String

    /// Makes a code of another back end.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Nothing by that name is there: check the name and the cable.
    public static let notFound = Code(rawValue: "not-found")
    /// The device went away: plug it in again.
    public static let unplugged = Code(rawValue: "unplugged")
    /// The device does not answer in time.
    public static let stalled = Code(rawValue: "stalled")
    /// The device or program ended.
    public static let ended = Code(rawValue: "ended")
    /// What the device says cannot be understood.
    public static let garbled = Code(rawValue: "garbled")
    /// The device cannot do what the rig file asks.
    public static let refused = Code(rawValue: "refused")
    /// Somebody else holds the device.
    public static let busy = Code(rawValue: "busy")
    /// The operating system refuses access.
    public static let denied = Code(rawValue: "denied")
    /// The run was stopped from outside.
    public static let interrupted = Code(rawValue: "interrupted")
  }

  /// What a person can do.
  public let code: Code
  /// The device, as the rig file names it.
  public let device: String
  /// One sentence: what happened, with its values, and what to do.
  public let message: String
  /// The error number of the operating system, where there is one.
  public let errno: Int32?

  /// Makes an error.
  public init(_ code: Code, device: String, message: String, errno: Int32? = nil) {
    self.code = code
    self.device = device
    self.message = message
    self.errno = errno
  }

  /// The device and the sentence.
  public var description: String { "\(device): \(message)" }
}
