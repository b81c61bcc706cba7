// SPDX-License-Identifier: Apache-2.0

private import Synchronization
public import Units

/// A whole sound and what is heard of it, whatever the method: settings are tried without hearing it again.
///
/// It holds four bytes a sample and some forty kilobytes a second of sound.
public struct KeptSound: Sendable {
  private let rate: SampleRate
  private let loudness: SoundLoudness
  /// Of one channel, with the silence that ends a sound.
  private let samples: [Float]
  private let frameCount: Int
  private let faultCount: Int
  private let hearing: Hearing
  private let heard: [Heard]
  private let places = PlacedOnsets()

  /// Hears interleaved samples of whole frames.
  ///
  /// Takes the loudness of the whole sound, which `LoudnessMeter` measures. Traps unless the rate is one of
  /// `Composer.rates` and there is a channel.
  ///
  /// - Complexity: Linear in the length of the sound.
  public init(
    _ samples: Span<Float>, rate: SampleRate, channelCount: Int, loudness: SoundLoudness
  ) {
    precondition(
      Composer.rates.contains(rate.hertz), "sounds are composed at 8 to 192 kHz, not at \(rate)")
    var mixer = Mixer(channelCount: channelCount)
    var mixed = mixer.mix(samples)
    frameCount = mixed.count
    faultCount = mixer.faultCount
    mixed += [Float](repeating: 0, count: Int(HopComposer.tail * rate.hertz))
    var ear = Ear(
      for: ComposeMethod.allCases, reference: loudness.reference, rate: rate.hertz)
    let length = ear.hearing.hopLength
    var heard: [Heard] = []
    heard.reserveCapacity(mixed.count / length)
    for first in stride(from: 0, through: mixed.count - length, by: length) {
      heard.append(ear.hear(mixed.span.extracting(first..<(first + length))))
    }
    hearing = ear.hearing
    self.samples = mixed
    self.heard = heard
    self.rate = rate
    self.loudness = loudness
  }

  /// Composes a pattern of it, the same as a `Composer` of these settings.
  public func compose(_ settings: ComposeSettings, tracePoints: Int? = nil) -> Composition {
    var maker = HopComposer(
      settings, hearing, reference: loudness.reference, rate: rate.hertz,
      tracePoints: tracePoints, places: places)
    maker.frameCount = frameCount
    let length = hearing.hopLength
    for hop in heard.indices {
      maker.take(
        heard[hop], samples.span.extracting((hop * length)..<((hop + 1) * length)))
    }
    return maker.finish(faultCount: faultCount)
  }
}

/// Where onsets of one sound lie that were placed already: most are those of the settings before.
final class PlacedOnsets: Sendable {
  private let known = Mutex<[Double: Double]>([:])

  /// The place of an onset near a time, both in seconds.
  func place(of onset: Double, in history: SoundHistory) -> Double {
    if let place = known.withLock({ $0[onset] }) { return place }
    let place = OnsetLocator().locate(onset, in: history)
    known.withLock { $0[onset] = place }
    return place
  }
}
