// SPDX-License-Identifier: Apache-2.0

import AHAP
import Composing
import Devices
import SoundFiles
import Units
import Workflows

/// A sound with what does not depend on a method: what is heard of it, its loudness, onsets and beats.
struct HeardSound: Sendable {
  let digest: String
  let loudness: SoundLoudness
  /// The moments of onsets in seconds, by the standard settings of `onsets`.
  let onsets: [Double]
  let beats: Beats?
  private let place: SoundPlace
  private let info: SoundFile.Info
  /// What is heard of it; `nil` of a sound that is too long to be kept.
  private let kept: KeptSound?

  /// The longest sound that is composed here, in seconds.
  static let longest = 900.0
  /// The most samples that are kept of a sound.
  private static let mostKept = 16 << 20
  /// What a sound of the longest kind may decode to.
  private static let limit = SoundFile.Limit(bytes: 4 << 30)
  /// Every hop of the longest sound: beats want all of them.
  private static let everyHop = Int(longest / 2.5e-3) + 1

  init(_ place: SoundPlace) throws {
    var meter: LoudnessMeter?
    var kept: [Float] = []
    var isFirst = true
    var hasAll = true
    let info = try Self.scan(place) { block, shape in
      if isFirst, Composer.rates.contains(shape.rate.hertz) {
        meter = LoudnessMeter(rate: shape.rate, channelCount: shape.channelCount)
      }
      isFirst = false
      meter?.append(block)
      guard hasAll, kept.count + block.count <= Self.mostKept else {
        (hasAll, kept) = (false, [])
        return
      }
      for index in block.indices { kept.append(block[index]) }
    }
    guard info.duration <= Self.longest else {
      throw HTTPFault(
        422, "too-long",
        "the sound '\(place.name)' lasts \(Int(info.duration.rounded())) s, and at most "
          + "\(Int(Self.longest)) s are composed here: use 'haprig compose'")
    }
    guard let loudness = meter.take()?.finish() else {
      throw HTTPFault(
        422, "rate",
        "the sound '\(place.name)' has \(info.rate), and 8 to 192 kHz are composed: resample it")
    }
    digest = try ComposeWorkflow.digest(of: place.path)
    (self.place, self.info, self.loudness) = (place, info, loudness)
    self.kept =
      hasAll
      ? KeptSound(
        kept.span, rate: info.rate, channelCount: info.channelCount, loudness: loudness) : nil
    let heard = try Self.compose(
      ComposeSettings(.onsets), place, info, loudness, self.kept, tracePoints: Self.everyHop)
    onsets = heard.pattern.events.filter { $0.kind == .hapticTransient }.map(\.time)
    beats = heard.trace.flatMap { [onsets] trace in
      Beats(rise: trace.rise, step: trace.step, onsets: onsets)
    }
  }

  func compose(_ settings: ComposeSettings, tracePoints: Int) throws -> Composition {
    try Self.compose(settings, place, info, loudness, kept, tracePoints: tracePoints)
  }

  private static func compose(
    _ settings: ComposeSettings, _ place: SoundPlace, _ info: SoundFile.Info,
    _ loudness: SoundLoudness, _ kept: KeptSound?, tracePoints: Int
  ) throws -> Composition {
    if let kept { return kept.compose(settings, tracePoints: tracePoints) }
    var composer = Optional(
      Composer(
        settings, rate: info.rate, channelCount: info.channelCount, loudness: loudness,
        tracePoints: tracePoints))
    // A file that has become another one meanwhile may have other channels.
    _ = try scan(place) { block, shape in
      if shape.channelCount == info.channelCount { composer?.append(block) }
    }
    guard let composition = composer.take()?.finish() else { preconditionFailure("it was made") }
    return composition
  }

  private static func scan(
    _ place: SoundPlace, _ body: (_ block: Span<Float>, _ shape: SoundFile.Shape) -> Void
  ) throws(HTTPFault) -> SoundFile.Info {
    do throws(SoundFileError) {
      return try SoundFile.scan(path: place.path, limit: limit, body)
    } catch {
      // By the name that the pattern has for it.
      let sentence = error.description.dropFirst(error.path.count + 2)
      throw HTTPFault(422, "sound", "the sound '\(place.name)' cannot be used: \(sentence)")
    }
  }
}

/// The sounds that were heard last, each again where its file has changed.
final class SoundShelf: Sendable {
  private let kept = Guarded<[(path: String, stamp: FileStamp, sound: HeardSound)]>([])
  /// Each may have 64 MiB of samples.
  private static let most = 2

  func sound(_ place: SoundPlace) throws -> HeardSound {
    let stamp = FileStamp(place.path)
    if let known = kept.withLock({ kept in
      kept.first { $0.path == place.path && $0.stamp == stamp }
    }) {
      return known.sound
    }
    let sound = try HeardSound(place)
    guard let stamp else { return sound }
    kept.withLock { kept in
      kept.removeAll { $0.path == place.path }
      kept.insert((place.path, stamp, sound), at: 0)
      if kept.count > Self.most { kept.removeLast() }
    }
    return sound
  }
}
