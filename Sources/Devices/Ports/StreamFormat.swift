// SPDX-License-Identifier: Apache-2.0

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

/// How a converter's samples lie in memory, little-endian, the widest first.
public enum SampleFormat: String, Sendable, Hashable, CaseIterable {
  /// Floating point, 32 bits, full scale at 1.
  case float = "FLOAT"
  case s32 = "S32"
  case s24 = "S24"
  case s24in3 = "S24_3"
  case s16 = "S16"
}

/// What a channel of the drive feeds.
public enum DriveRole: String, Sendable, Hashable, CaseIterable {
  case haptic
  /// One loudspeaker or line for all sound.
  case audio
  case audioLeft = "audio-left"
  case audioRight = "audio-right"
  /// A wire back to the capture: carries time from one clock to the other.
  case reference
}

/// What a channel of the capture is wired to.
public enum CaptureRole: String, Sendable, Hashable, CaseIterable {
  /// An accelerometer on the actuator or its mount.
  case acceleration
  /// A microphone or a line from the sound output.
  case audio
  /// The wire from the drive's reference output.
  case reference
  case voltage
  case current
}

/// What a PCM agreed to, read back from it: one direction of a sound card.
public struct Negotiation: Sendable, Hashable {
  package var direction: String
  package var pcm: String
  /// The card's and the device's own names, where they have any.
  package var cardName: String
  /// `mmap` or `rw`.
  package var access: String
  package var format: SampleFormat
  /// Channels of a frame on the card, of which a rig may use fewer.
  package var channelCount: Int
  package var rate: Double
  /// Frames from one interrupt to the next.
  package var periodFrames: Int
  /// Frames that the card holds.
  package var bufferFrames: Int
  /// True where ALSA converts on the way: allowed by the rig file, and no longer the card alone.
  package var isConverted: Bool
  /// The clock of the card's time stamps, as it was granted.
  package var timestampClock: String
  package var dump: String

  package init(
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
