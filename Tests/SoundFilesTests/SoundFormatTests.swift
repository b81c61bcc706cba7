// SPDX-License-Identifier: Apache-2.0

import CSndFile
import Glibc
import ScratchFolder
import SoundFiles
import Testing
import Units

/// Files of every container that patterns name, written by libsndfile itself.
struct SoundFormatTests {
  /// A container and what its coding loses.
  struct Format: CustomTestStringConvertible, Sendable {
    let name: String
    let code: Int
    /// The greatest difference of a sample.
    let tolerance: Float

    var testDescription: String { name }
  }

  static let formats = [
    Format(name: "wav", code: SF_FORMAT_WAV | SF_FORMAT_PCM_24, tolerance: 2e-7),
    Format(name: "flac", code: SF_FORMAT_FLAC | SF_FORMAT_PCM_24, tolerance: 2e-7),
    Format(name: "aiff", code: SF_FORMAT_AIFF | SF_FORMAT_PCM_16, tolerance: 4e-5),
    Format(name: "ogg", code: SF_FORMAT_OGG | SF_FORMAT_VORBIS, tolerance: 0.03),
    Format(
      name: "mp3", code: SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III, tolerance: 0.03),
  ]

  /// A click of a few milliseconds in silence, different on the two channels.
  private func samples(rate: Double) -> [[Float]] {
    [440.0, 660].map { hertz in
      (0..<Int(rate / 2)).map { frame in
        let age = (Double(frame) - rate / 4) / rate
        return Float(0.5 * exp(-(age * 60) * (age * 60)) * cos(2 * .pi * hertz * age))
      }
    }
  }

  private func write(_ channels: [[Float]], rate: Int, _ format: Format, to path: String) throws {
    var info = SF_INFO()
    info.samplerate = Int32(rate)
    info.channels = Int32(channels.count)
    info.format = Int32(format.code)
    let file = try #require(sf_open(path, Int32(SFM_WRITE), &info), "no writer of \(format.name)")
    defer { sf_close(file) }
    let count = channels[0].count
    let interleaved = (0..<count).flatMap { frame in channels.map { $0[frame] } }
    // In parts: some encoders keep a whole write on the stack.
    for start in stride(from: 0, to: count, by: 1000) {
      let part = Array(interleaved[(2 * start)..<(2 * min(count, start + 1000))])
      #expect(sf_writef_float(file, part, Int64(part.count / 2)) == Int64(part.count / 2))
    }
  }

  @Test(arguments: formats, [44_100, 48_000])
  func `a file is decoded in its place`(format: Format, rate: Int) throws {
    let folder = try ScratchFolder()
    let path = folder.file("sound.\(format.name)")
    let channels = samples(rate: Double(rate))
    try write(channels, rate: rate, format, to: path)
    let sound = try SoundFile.read(path: path)
    #expect(sound.info.rate.hertz == Double(rate))
    #expect(sound.channels.count == 2)
    #expect(sound.info.frameCount == channels[0].count)
    for (decoded, original) in zip(sound.channels, channels) {
      let worst = zip(decoded.samples, original).reduce(0) { max($0, abs($1.0 - $1.1)) }
      #expect(worst <= format.tolerance, "\(worst)")
    }
    #expect(try SoundFile.read(bytes: folder.bytes(of: "sound.\(format.name)"), name: "a") == sound)
  }

  @Test(arguments: formats)
  func `a file at another rate keeps its click at its time`(format: Format) throws {
    let folder = try ScratchFolder()
    let path = folder.file("sound.\(format.name)")
    try write(samples(rate: 44_100), rate: 44_100, format, to: path)
    let sound = try SoundFile.read(path: path)
    let resampled = try Resampler.resample(sound.channels[0], to: .standard)
    // The crest lies at a quarter of a second: frame 12,000 of 48 kHz.
    let crest = resampled.samples.indices.max {
      resampled.samples[$0] < resampled.samples[$1]
    }
    #expect(abs((crest ?? 0) - 12_000) <= 1)
    let expected = samples(rate: 48_000)[0]
    let worst = zip(resampled.samples, expected).reduce(0) { max($0, abs($1.0 - $1.1)) }
    #expect(worst < max(1e-4, format.tolerance), "\(worst)")
  }
}
