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
