// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// Where the loudness of a spectrum lies.
///
/// Kim and others (10.1109/TOH.2023.3338224) found that people match a vibration's frequency to the loudness
/// spectrum of a sound. Here the match is the mean of the bands' places on a logarithmic axis, each
/// weighted by the third power of its specific loudness, so that the strongest partials decide.
struct LoudnessPlace {
  private let weights: [Double]
  private let octaves: [Double]

  /// Twice 0.23, the exponent of loudness by energy (Zwicker), times three.
  private static let exponent = 1.38

  /// Makes one for bands of these centres in hertz, of a sound of a rate.
  init(centres: [Double], rate: Double) {
    let weighting = LoudnessWeighting(rate: rate)
    octaves = centres.map { log2($0 / OctaveBank.lowest) }
    weights = centres.indices.map { band in
      let (low, high) = (max(0, band - 1), min(centres.count - 1, band + 1))
      return pow(weighting.gain(at: centres[band] / rate), Self.exponent)
        * log2(centres[high] / centres[low])
    }
  }

  /// The place, in octaves above the lowest one of the bank; nil where there is no sound.
  func octave(of magnitudes: [Double]) -> Double? {
    var (sum, moment) = (0.0, 0.0)
    for band in magnitudes.indices where magnitudes[band] > 1e-9 {
      let weight =
        weights[band] * powerOfTwo(Self.exponent * binaryLogarithm(magnitudes[band]))
      sum += weight
      moment += weight * octaves[band]
    }
    return sum > 0 ? moment / sum : nil
  }
}
