// SPDX-License-Identifier: Apache-2.0

/// A tap of a pattern before it is an event.
package struct Tap: Sendable, Equatable {
  /// In seconds from the beginning of the sound.
  package var time: Double
  package var intensity: Double
  package var sharpness: Double
}

/// How strong and how sharp a tap is, by what an onset adds to the sound.
///
/// Both are absolute: no other event of the sound changes them.
struct TapVoice {
  private let map: TapLevel
  private let place: SpectralPlace
  /// The K-weighting of each octave, by power.
  private let weights: SIMD8<Float>
  private let hop: Double

  /// Makes the voice of a method; nil for one without taps.
  init?(_ settings: ComposeSettings, reference: Double, rate: Double, hop: Double) {
    guard let headroom = settings[.tapHeadroom] else { return nil }
    map = TapLevel(
      full: reference + headroom, dynamics: settings.value(.dynamics),
      gate: settings.value(.gate))
    place = SpectralPlace(settings)
    weights = LoudnessWeighting.octaves(rate: rate)
    self.hop = hop
  }

  /// How long after an onset is listened for its strength, and how long before it, in hops.
  static let (after, before) = (16, 8)

  /// The tap of an onset, or nil where it adds nothing that is loud enough.
  func tap(at time: Double, _ history: SoundHistory) -> Tap? {
    let own = Int(time / hop)
    var (after, before) = (SIMD8<Float>(), SIMD8<Float>())
    for place in own..<(own + Self.after) {
      after += history.hop(place).octaves / Float(Self.after)
    }
    for place in (own - Self.before)..<own {
      before += history.hop(place).octaves / Float(Self.before)
    }
    // A note that takes the place of a louder one adds less than nothing, and yet it begins.
    let added = pointwiseMax(after - before, 0.1 * after)
    let loudness =
      decibels(ofPower: Double((added * weights).sum())) + LoudnessWeighting.offset
    guard let intensity = map.intensity(loudness) else { return nil }
    return Tap(time: time, intensity: intensity, sharpness: place.sharpness(of: added) ?? 0.5)
  }
}

/// How the loudness of an onset becomes intensity.
private struct TapLevel {
  let full: Double
  let dynamics: Double
  let gate: Double

  func intensity(_ loudness: Double) -> Double? {
    let relative = loudness - full
    return relative >= gate ? Intensity.of(level: min(0, relative * dynamics)) : nil
  }
}
