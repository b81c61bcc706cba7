// SPDX-License-Identifier: Apache-2.0

package import AHAP
package import Bench
package import Composing
package import JSONText
import Paths
import Reporting
import RunArchive
package import SoundFiles
import Units

/// Sound files to patterns: two passes over each file, so that memory does not grow with its length.
package enum ComposeWorkflow {
  /// What became of one sound.
  package struct Composed: Sendable {
    package let composition: Composition
    package let loudness: SoundLoudness
    package let info: SoundFile.Info
    /// The SHA-256 of the sound's file.
    package let digest: String
  }

  /// A sound and the file of its pattern.
  package struct Entry: Sendable, Equatable {
    package let sound: String
    package let pattern: String
  }

  /// The endings by which sounds are found in a folder.
  package static let endings: Set = [
    "wav", "flac", "ogg", "oga", "opus", "mp3", "aif", "aiff", "aifc", "caf", "au", "w64", "rf64",
    "m4a", "aac", "mp4", "mov", "mkv", "webm", "avi", "ts", "wma",
  ]
  /// The points of a line of a picture.
  private static let mostPoints = 4_000
  /// The most sounds of one order.
  private static let mostSounds = 100_000
  /// Blocks are all that is in memory, so this bounds the time alone: two days of stereo at 48 kHz.
  private static let limit = SoundFile.Limit(bytes: 64 << 30)

  /// Composes a sound file; `progress` is told the part that is done.
  package static func compose(
    _ path: String, _ settings: ComposeSettings, tracing: Bool = false,
    progress: (Double) -> Void = { _ in }
  ) throws -> Composed {
    var meter: LoudnessMeter?
    var isFirst = true
    let info = try SoundFile.scan(path: path, limit: limit) { block, shape in
      if isFirst, Composer.rates.contains(shape.rate.hertz) {
        meter = LoudnessMeter(rate: shape.rate, channelCount: shape.channelCount)
      }
      isFirst = false
      meter?.append(block)
    }
    guard let loudness = meter.take()?.finish() else {
      throw InputError(
        "\(path): sounds are composed at 8 to 192 kHz, and this has \(info.rate): resample it")
    }
    var composer = Optional(
      Composer(
        settings, rate: info.rate, channelCount: info.channelCount, loudness: loudness,
        tracePoints: tracing ? mostPoints : nil))
    var frames = 0
    _ = try SoundFile.scan(path: path, limit: limit) { block, shape in
      composer?.append(block)
      frames += block.count / shape.channelCount
      progress(Double(frames) / Double(info.frameCount))
    }
    guard let composition = composer.take()?.finish() else { preconditionFailure("it was made") }
    return Composed(
      composition: composition, loudness: loudness, info: info, digest: try digest(of: path))
  }

  /// The SHA-256 of a sound's file.
  package static func digest(of path: String) throws(InputError) -> String {
    let file = try RegularFile(path: path)
    guard let hash = ContentHash(descriptor: file.descriptor) else {
      throw InputError("\(path): this cannot be read: check the disk")
    }
    return hash.description
  }

  /// Says which pattern each sound becomes: `out` itself where it ends in .ahap, else a file of that folder.
  ///
  /// Folders give the sounds in them, by name.
  package static func entries(of sounds: [String], out: String) throws -> [Entry] {
    let files = try PatternSet.files(sounds, of: endings, "sound file", limit: mostSounds)
    if FilePath.ending(of: out) == "ahap" {
      guard files.count == 1 else {
        throw InputError("\(out): several sounds become files of a folder: name one")
      }
      return [Entry(sound: files[0], pattern: out)]
    }
    var known: [String: String] = [:]
    return try files.map { sound in
      let pattern = FilePath.join(out, FilePath.stem(of: sound) + ".ahap")
      if let other = known.updateValue(sound, forKey: pattern) {
        throw InputError("\(sound), \(other): both would become \(pattern): compose them apart")
      }
      return Entry(sound: sound, pattern: pattern)
    }
  }

  /// The pattern as it is written: with how it was made, and with its sound where that is wished.
  ///
  /// `sound` is the path of the sound's file from the pattern's folder; nil leaves it out.
  package static func written(
    _ composed: Composed, _ settings: ComposeSettings, of name: String, playing sound: String?
  ) -> HapticPattern {
    var pattern = composed.composition.pattern
    pattern.metadata = .object(of: [
      "Description":
        "Composed of \(name) by the method '\(settings.method.rawValue)'.",
      "Composed": origin(of: sound ?? name, digest: composed.digest, settings),
    ])
    if let sound {
      var event = HapticEvent(kind: .audioCustom, time: 0, waveformPath: sound, order: -1)
      // As it is: without fades.
      event.useVolumeEnvelope = false
      pattern.events.insert(event, at: 0)
    }
    return pattern
  }

  /// What a pattern says of its making: enough to make it again, and to see that its sound has changed.
  package static func origin(
    of sound: String, digest: String, _ settings: ComposeSettings
  ) -> JSONValue {
    .object(of: ["Sound": sound, "Digest": digest, "Settings": settings.preset])
  }

  /// The path of a sound from its pattern's folder; one that lies elsewhere is put beside the pattern.
  package static func embed(_ entry: Entry) throws -> String {
    let folder = FilePath.folder(of: entry.pattern)
    let file = try RegularFile(path: entry.sound)
    if let path = file.path(below: folder) { return path }
    let copy = FilePath.name(of: entry.sound)
    try AtomicFile.write(try file.bytes(limit: largestCopy), to: FilePath.join(folder, copy))
    return copy
  }

  private static let largestCopy = 1 << 30
}
