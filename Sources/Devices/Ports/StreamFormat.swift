public import Units

/// How frames cross a port: interleaved float32, one rate, a fixed count of channels.
public struct StreamFormat: Sendable, Hashable {
  /// Frames a second, nominal: the device's own clock may differ by parts per million.
  public let rate: SampleRate
  /// Samples in one frame.
  public let channelCount: Int
  /// The block the device works in.
  ///
  /// Callers may pass any count of frames; multiples of it are cheapest.
  public let periodFrames: Int

  /// Makes a format.
  public init(rate: SampleRate, channelCount: Int, periodFrames: Int) {
    precondition(channelCount > 0, "a stream needs a channel, not \(channelCount)")
    precondition(periodFrames > 0, "a period needs a frame, not \(periodFrames)")
    self.rate = rate
    self.channelCount = channelCount
    self.periodFrames = periodFrames
  }

  /// Counts the frames of an interleaved block.
  ///
  /// Traps for samples that are no whole frames: half of one would move every channel after it to its neighbour.
  @discardableResult
  public func frameCount(ofSamples count: Int) -> Int {
    precondition(
      count % channelCount == 0, "\(count) samples are no whole frames of \(channelCount)")
    return count / channelCount
  }
}
