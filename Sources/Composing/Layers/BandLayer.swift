// SPDX-License-Identifier: Apache-2.0

/// The method `bands`: four bands, each with a noise gate and a compression of its own, mixed.
///
/// After the energy envelopes of google/audio-to-tactile (docs, signal processing): bass, low vowels, high
/// vowels, fricatives. Its automatic gain is left out: the loudness of the whole sound is known.
package struct BandLayer: Sendable {
  private var bands: (Band, Band, Band, Band)
  private let place: SpectralPlace
  private var gate: LevelMap
  private var whole: LevelFollower
  private let dynamics: Double

  /// From a sound to the value that it has a part in, in seconds.
  package let delay: Double

  package init(_ settings: ComposeSettings, reference: Double, hop: Double) {
    let full = reference + settings.value(.headroom)
    func band() -> Band {
      Band(
        follower: LevelFollower(settings, hop: hop), full: full,
        margin: settings.value(.noiseMargin), hop: hop)
    }
    bands = (band(), band(), band(), band())
    place = SpectralPlace(settings)
    dynamics = settings.value(.dynamics)
    gate = LevelMap(settings, reference: reference)
    whole = LevelFollower(settings, hop: hop)
    delay = hop + settings.value(.attack)
  }

  @_noAllocation @_noLocks
  package mutating func value(for hop: Hop) -> LayerValue {
    let o = hop.octaves
    let isOpen = gate.map(whole.follow(hop.power)) > -.infinity
    let first = bands.0.power(of: o[0] + o[1] + o[2], dynamics)
    let second = bands.1.power(of: o[3] + o[4], dynamics)
    let third = bands.2.power(of: o[5], dynamics)
    let fourth = bands.3.power(of: o[6] + o[7], dynamics)
    let sum = first + second + third + fourth
    guard isOpen, sum > 0 else { return .silence }
    let centre = (1 * first + 3.5 * second + 5 * third + 6.5 * fourth) / sum
    return LayerValue(
      level: min(0, decibels(ofPower: sum)), sharpness: place.sharpness(atOctave: centre))
  }
}

/// One band: its level, its noise, its gate and its compression.
private struct Band {
  private var follower: LevelFollower
  private let full: Double
  private let margin: Double
  private let rise: Double
  private var noise = -Double.infinity

  /// How fast the noise is believed to grow: a steady sound counts as noise after seconds, and only where it
  /// is at least `deepest` below full.
  private static let growth = 4.0
  private let deepest = -40.0

  init(follower: LevelFollower, full: Double, margin: Double, hop: Double) {
    self.follower = follower
    (self.full, self.margin, rise) = (full, margin, Self.growth * hop)
  }

  /// The power that the band adds to the vibration, 1 for a band at full level.
  @_noAllocation @_noLocks
  mutating func power(of energy: Float, _ dynamics: Double) -> Double {
    let level = follower.follow(Double(energy)) - full
    noise = min(min(level, deepest), max(noise, deepest - 40) + rise)
    let above = level - noise - margin
    guard above > -12 else { return 0 }
    let gain = above < 0 ? above : 0
    return Composing.power(ofDecibels: dynamics * level + gain)
  }
}
