// SPDX-License-Identifier: Apache-2.0

extension LiveEvent.Channels {
  /// The waves of these channels.
  var layout: WavesLayout {
    WavesLayout(rate: rate, driveChannels: count(.drive), captureChannels: count(.capture))
  }
}

/// Where everything stands in a file of waves (`haprig.waves/1`), in bytes of a little-endian machine.
///
/// A header page, and for each channel, the drive's first, a ring of frames (float32) and three rings of bins, each a
/// smallest and a largest sample (two float32).
package struct WavesLayout: Sendable, Equatable {
  package static let magic = Array("HAPWAVE1".utf8)
  package static let version: UInt32 = 1
  package static let headerBytes = 4096
  /// Frames of the finest ring.
  package static let ringFrames = 32_768
  /// Bins of each of the other rings.
  package static let ringBins = 16_384
  /// Frames of a bin of each ring, the finest first.
  package static let sizes = [1, 64, 1024, 16_384]
  /// The writer tells of its frames after so many at most: what is older by that than a ring's oldest may be torn.
  package static let stretch = 1024
  package static let mostChannels = 256

  static let channelBytes = 4 * ringFrames + 3 * 8 * ringBins

  // Of the header.
  static let versionOffset = 8
  static let driveChannelsOffset = 12
  static let captureChannelsOffset = 16
  static let ringFramesOffset = 20
  static let ringBinsOffset = 24
  static let headerBytesOffset = 28
  static let rateOffset = 32
  /// Each of these on a line of the cache of its own.
  static let driveCountOffset = 128
  static let captureCountOffset = 256
  static let lastBlockOffset = 384

  package let rate: Double
  package let driveChannels: Int
  package let captureChannels: Int

  package init(rate: Double, driveChannels: Int, captureChannels: Int) {
    self.rate = rate
    self.driveChannels = driveChannels
    self.captureChannels = captureChannels
  }

  package var channels: Int { driveChannels + captureChannels }

  package var byteCount: Int { Self.headerBytes + channels * Self.channelBytes }

  /// Where a ring of a channel begins: level 0 is that of frames.
  static func offset(ofChannel channel: Int, level: Int) -> Int {
    let start = headerBytes + channel * channelBytes
    return level == 0 ? start : start + 4 * ringFrames + (level - 1) * 8 * ringBins
  }

  /// Entries of a ring: frames or bins.
  static func entries(_ level: Int) -> Int { level == 0 ? ringFrames : ringBins }
}
