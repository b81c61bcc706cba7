import DeviceStreams

/// One sample of a sensor that sends by itself.
public struct SensorSample: Sendable, Hashable {
  /// The sample's number as sent; `nil` where the stream has none.
  public var counter: UInt32?
  /// The sensor's clock as sent; `nil` where the stream has none.
  public var ticks: UInt32?
  /// When it was taken, in nanoseconds of the host's raw monotonic clock; `nil` where nothing says.
  public var time: UInt64?
  /// m/s2 along x, y, z, as many as the stream has.
  public var acceleration: [Double]

  /// Makes a sample.
  public init(
    counter: UInt32? = nil, ticks: UInt32? = nil, time: UInt64? = nil, acceleration: [Double]
  ) {
    self.counter = counter
    self.ticks = ticks
    self.time = time
    self.acceleration = acceleration
  }
}

/// What was found in a sensor's stream.
public enum SensorEvent: Sendable, Hashable {
  /// A sample.
  case sample(SensorSample)
  /// What looked like one and was not.
  case damaged(CodecError)
  /// So many bytes that are no sample.
  case skipped(Int)
}
