// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// The method `pitch`: the place of the loudness in the spectrum as sharpness, the loudness as intensity.
///
/// Kim and others (10.1109/TOH.2023.3338224) found that people match a vibration's frequency to the loudness
/// spectrum of a sound. Here the match is the mean of the bands' places on a logarithmic axis, each
/// weighted by the third power of its specific loudness, so that the strongest partials decide.
struct PitchLayer {
  private var follower: LevelFollower
  private var map: LevelMap
  private let place: SpectralPlace
  private let weights: [Double]
  private let octaves: [Double]
  private var sharpness = 0.5
  private var levels: [Double]
  private var count = 0

  /// From a sound to the value that it has a part in, in seconds.
  let delay: Double

  /// Twice 0.23, the exponent of loudness by energy (Zwicker), times three.
  private static let exponent = 1.38

  init(
    _ settings: ComposeSettings, reference: Double, spectrum: borrowing LogSpectrum, rate: Double,
    hop: Double
  ) {
    follower = LevelFollower(settings, hop: hop)
    map = LevelMap(settings, reference: reference - LoudnessWeighting.offset)
    place = SpectralPlace(settings)
    let weighting = LoudnessWeighting(rate: rate)
    let centres = spectrum.centres
    octaves = centres.map { log2($0 / OctaveBank.lowest) }
    weights = centres.indices.map { band in
      let (low, high) = (max(0, band - 1), min(centres.count - 1, band + 1))
      return pow(weighting.gain(at: centres[band] / rate), Self.exponent)
        * log2(centres[high] / centres[low])
    }
    // The level waits for the spectrum, whose middle is half its length ago.
    delay = Double(spectrum.length) / 2 / rate
    levels = [Double](
      repeating: -.infinity,
      count: max(1, Int(((delay - settings.value(.attack)) / hop).rounded())))
  }

  /// Takes the magnitudes of a spectrum.
  mutating func read(_ magnitudes: [Double]) {
    var (sum, moment) = (0.0, 0.0)
    for band in magnitudes.indices where magnitudes[band] > 1e-9 {
      let weight =
        weights[band] * powerOfTwo(Self.exponent * binaryLogarithm(magnitudes[band]))
      sum += weight
      moment += weight * octaves[band]
    }
    if sum > 0 { sharpness = place.sharpness(atOctave: moment / sum) }
  }

  mutating func value(for hop: Hop) -> LayerValue {
    let own = count % levels.count
    let level = levels[own]
    levels[own] = map.map(follower.follow(hop.loudness))
    count += 1
    return LayerValue(level: level, sharpness: sharpness)
  }
}
