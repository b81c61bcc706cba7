public import Units

/// A decoded sound: its channels and what its file said of itself.
public struct SoundFile: Sendable, Equatable {
  /// How much a caller takes; what is more is an error before memory is asked for.
  public struct Limit: Sendable, Equatable {
    /// The most bytes of decoded samples, four for each.
    public var bytes: Int
    /// The most channels.
    public var channels: Int
    /// The highest rate in hertz.
    public var rate: Int

    /// Makes a limit; as it comes, 512 MiB, 16 channels and 192 kHz.
    public init(bytes: Int = 512 << 20, channels: Int = 16, rate: Int = 192_000) {
      self.bytes = bytes
      self.channels = channels
      self.rate = rate
    }
  }

  /// What a file says of itself.
  public struct Info: Sendable, Equatable {
    /// Frames a second.
    public let rate: SampleRate
    /// How many channels there are.
    public let channelCount: Int
    /// How many frames each channel has.
    public let frameCount: Int
    /// The container and the coding, for example `WAV (Microsoft), 32 bit float`.
    public let formatName: String

    /// The length in seconds.
    public var duration: Double { rate.seconds(Double(frameCount)) }
  }

  /// One signal a channel, in the order of the file, all of one length.
  public let channels: [Signal]
  /// What the file says of itself.
  public let info: Info
}
