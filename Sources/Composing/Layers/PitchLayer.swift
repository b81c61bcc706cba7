// SPDX-License-Identifier: Apache-2.0

/// The method `pitch`: the place of the loudness in the spectrum as sharpness (`LoudnessPlace`), the loudness as
/// intensity.
struct PitchLayer {
  private var follower: LevelFollower
  private var map: LevelMap
  private let place: SpectralPlace
  private var sharpness = 0.5
  private var levels: [Double]
  private var count = 0

  /// From a sound to the value that it has a part in, in seconds.
  let delay: Double

  /// Makes one for spectra that are known so many seconds after their middles.
  init(_ settings: ComposeSettings, reference: Double, spectrumDelay: Double, hop: Double) {
    follower = LevelFollower(settings, hop: hop)
    map = LevelMap(settings, reference: reference - LoudnessWeighting.offset)
    place = SpectralPlace(settings)
    // The level waits for the spectrum.
    delay = spectrumDelay
    levels = [Double](
      repeating: -.infinity,
      count: max(1, Int(((delay - settings.value(.attack)) / hop).rounded())))
  }

  /// Takes the place of a spectrum's loudness, where there is any.
  mutating func read(_ octave: Double?) {
    if let octave { sharpness = place.sharpness(atOctave: octave) }
  }

  mutating func value(for hop: Hop) -> LayerValue {
    let own = count % levels.count
    let level = levels[own]
    levels[own] = map.map(follower.follow(hop.loudness))
    count += 1
    return LayerValue(level: level, sharpness: sharpness)
  }
}
