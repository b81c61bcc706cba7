// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Devices
import SoundFiles
import Units

/// A sound file of channels of a take, and the samples that whoever reads it gets: those are measured.
///
/// Packed, every channel is of 24-bit integers of its own scale, a power of two just above its peak
/// (decision 055). What FLAC does not take is kept as floats: more than eight channels, and rates that
/// no file of it has.
struct KeptSound {
  /// The file's name.
  let file: String
  /// The channels with their scales; one that is zero throughout is told, and not in the file.
  let channels: [RunRecord.FileChannel]
  /// What the file holds, in the channels' units, with the zeros that it does not.
  let samples: [Samples]

  /// Steps of the integers up to full scale.
  private static let steps: Float = 0x1p23
  /// Frames that are written in one go.
  private static let stretch = 16_384

  /// Writes channels of one length, one at least; goes over each twice.
  init(
    _ samples: [Samples], as channels: [RunRecord.FileChannel], _ form: Plan.Recordings,
    stem: String, in folder: String, rate: SampleRate
  ) throws {
    precondition(
      !samples.isEmpty && samples.count == channels.count,
      "\(samples.count) signals are kept as \(channels.count) channels")
    let peaks = samples.map(\.peak)
    // A file has a channel, and how long it is tells how long those are that it leaves out.
    let hasSound = peaks.contains { $0 > 0 }
    let written = peaks.indices.filter { peaks[$0] > 0 || !hasSound && $0 == 0 }
    let isPacked =
      form == .packed && written.count <= SoundFileFormat.flac24.maximumChannels
      && peaks.allSatisfy { $0 < 0x1p125 }
    var (kept, named) = (samples, channels)
    for place in channels.indices {
      if !written.contains(place) {
        named[place].scale = 0
        kept[place] = samples[place].rounded(to: 1)
      } else if isPacked {
        let scale = Self.scale(ofPeak: peaks[place])
        named[place].scale = Double(scale)
        kept[place] = samples[place].rounded(to: scale / Self.steps)
      }
    }
    file = stem + (isPacked ? ".flac" : ".wav")
    self.channels = named
    self.samples = kept
    try Self.write(
      written.map { (kept[$0], named[$0].gain) }, to: "\(folder)/\(file)",
      format: isPacked ? .flac24 : .wavFloat, rate: rate)
  }

  /// The smallest power of two that holds a peak, and after it is rounded to a step of that.
  static func scale(ofPeak peak: Float) -> Float {
    guard peak > 0 else { return 1 }
    // Steps of a smaller scale would be no normal numbers.
    let scale = Float(sign: .plus, exponent: max(peak.exponent + 1, -100), significand: 1)
    let isWithin = (peak / scale * steps).rounded(.toNearestOrEven) < steps
    return isWithin ? scale : 2 * scale
  }

  private static func write(
    _ channels: [(samples: Samples, gain: Float)], to path: String, format: SoundFileFormat,
    rate: SampleRate
  ) throws {
    var writer = try SoundFileWriter(
      path: path, format: format, channels: channels.count, rate: rate)
    let count = channels[0].samples.count
    for first in stride(from: 0, to: count, by: stretch) {
      let frames = first..<min(count, first + stretch)
      var block = [Float](repeating: 0, count: frames.count * channels.count)
      for (place, channel) in channels.enumerated() {
        for (index, sample) in channel.samples[frames].enumerated() {
          block[index * channels.count + place] = sample / channel.gain
        }
      }
      try writer.write(block)
    }
    try writer.close()
  }
}
