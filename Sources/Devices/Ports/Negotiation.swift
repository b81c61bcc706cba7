/// What a PCM agreed to, read back from it: one direction of a sound card.
public struct Negotiation: Sendable, Hashable {
  /// `playback` or `capture`.
  public var direction: String
  /// ALSA's name of the PCM.
  public var pcm: String
  /// The card's and the device's own names, where they have any.
  public var cardName: String
  /// `mmap` or `rw`.
  public var access: String
  /// The sample format.
  public var format: SampleFormat
  /// Channels of a frame on the card, of which a rig may use fewer.
  public var channelCount: Int
  /// Frames a second.
  public var rate: Double
  /// Frames from one interrupt to the next.
  public var periodFrames: Int
  /// Frames that the card holds.
  public var bufferFrames: Int
  /// True where ALSA converts on the way: allowed by the rig file, and no longer the card alone.
  public var isConverted: Bool
  /// The clock of the card's time stamps, as it was granted.
  public var timestampClock: String
  /// ALSA's own account of the set-up.
  public var dump: String

  /// Makes an account.
  public init(
    direction: String, pcm: String, cardName: String, access: String, format: SampleFormat,
    channelCount: Int, rate: Double, periodFrames: Int, bufferFrames: Int,
    isConverted: Bool = false, timestampClock: String = "", dump: String = ""
  ) {
    self.direction = direction
    self.pcm = pcm
    self.cardName = cardName
    self.access = access
    self.format = format
    self.channelCount = channelCount
    self.rate = rate
    self.periodFrames = periodFrames
    self.bufferFrames = bufferFrames
    self.isConverted = isConverted
    self.timestampClock = timestampClock
    self.dump = dump
  }
}
