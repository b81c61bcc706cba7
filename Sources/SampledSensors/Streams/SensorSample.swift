public import DeviceStreams

/// One sample of a sensor that sends by itself.
public struct SensorSample: Sendable, Hashable {
  /// The sample's number as sent; `nil` where the stream has none.
  package var counter: UInt32?
  /// The sensor's clock as sent; `nil` where the stream has none.
  package var ticks: UInt32?
  /// When it was taken, in nanoseconds of the host's raw monotonic clock; `nil` where nothing says.
  package var time: UInt64?
  /// m/s2 along x, y, z, as many as the stream has.
  public var acceleration: [Double]
}

/// What was found in a sensor's stream.
public enum SensorEvent: Sendable, Hashable {
  case sample(SensorSample)
  /// What looked like one and was not.
  case damaged(CodecError)
  case skipped(Int)
}

/// What a stream lost: by the sensor's own counter where it has one, else by what was damaged.
public struct SensorTally: Sendable {
  package private(set) var sampleCount = 0
  /// Samples that never came, by the counter.
  package private(set) var lostCount = 0
  package private(set) var damagedCount = 0
  package private(set) var skippedByteCount = 0
  private var tracker: SequenceTracker?

  /// Makes a tally; `counterBits` is `nil` where the stream has no counter.
  public init(counterBits: Int?) { tracker = counterBits.map { SequenceTracker(bits: $0) } }

  /// Counts an event; gives the sample if it is to be used, that is neither late nor a duplicate.
  public mutating func note(_ event: SensorEvent) -> SensorSample? {
    switch event {
    case .damaged:
      damagedCount += 1
      return nil
    case .skipped(let count):
      skippedByteCount += count
      return nil
    case .sample(let sample):
      if let counter = sample.counter, tracker?.note(counter).isUsable == false { return nil }
      lostCount = tracker?.lostCount ?? 0
      sampleCount += 1
      return sample
    }
  }
}
