// SPDX-License-Identifier: Apache-2.0

/// How much a logarithmic spectrum rises within 10 ms: what SuperFlux goes by.
///
/// Each band is held against the largest of itself and its neighbours before, so that a vibrato does not count. Source:
/// Boeck and Widmer, Maximum filter vibrato suppression for onset detection, DAFx 2013. Bands count by the squares of
/// their rises, not as they are: noise rises a little everywhere, a note much in few bands.
struct SpectralRise {
  private let gain: Double
  private var frames: [[Double]]
  private var count = 0

  private static let lag = 2

  /// Makes one for spectra of a number of bands, of a sound of a loudness in LUFS.
  init(reference: Double, bands: Int) {
    // A mix of usual loudness has magnitudes of some hundred times what the logarithm's 1 stands for.
    gain = powerOfTwo((54 - (reference + 18)) / 6.020599913279624)
    frames = [[Double]](
      repeating: [Double](repeating: 0, count: bands), count: Self.lag + 1)
  }

  /// Takes the magnitudes of the newest frame and gives its rise, in dB.
  mutating func rise(of magnitudes: [Double]) -> Double {
    let own = count % frames.count
    let before = (count + 1) % frames.count
    count += 1
    var sum = 0.0
    let bands = frames[own].count
    for band in 0..<bands {
      frames[own][band] = 6.020599913279624 * binaryLogarithm(1 + gain * magnitudes[band])
    }
    for band in 0..<bands {
      let held = max(
        frames[before][max(0, band - 1)], frames[before][band],
        frames[before][min(bands - 1, band + 1)])
      let rise = max(0, frames[own][band] - held)
      sum += rise * rise
    }
    return (sum / Double(bands)).squareRoot()
  }
}
