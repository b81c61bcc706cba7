// SPDX-License-Identifier: Apache-2.0

/// Finds the beginnings of notes and hits: SuperFlux.
///
/// The rise of a logarithmic spectrum within 10 ms, each band held against the largest of itself and its
/// neighbours before, so that a vibrato does not count. Source: Boeck and Widmer, Maximum filter vibrato
/// suppression for onset detection, DAFx 2013. Bands count by the squares of their rises, not as they are: noise
/// rises a little everywhere, a note much in few bands.
struct SpectralFlux {
  private let gain: Double
  private var frames: [[Double]]
  private var flux = [Double](repeating: 0, count: 64)
  private var count = 0
  private let threshold: Double
  private let lookAhead: Int
  private var last = Int.min / 2
  private let spacing: Int
  private let frame: Double

  /// How many hops there are to a frame: 5 ms.
  static let hops = 2
  private static let lag = 2
  /// The stretches before a frame in which none may be larger, and which it must stand out of, in frames.
  private static let (before, around) = (6, 20)

  /// How long after a frame it is known to be an onset, in seconds.
  var delay: Double { Double(lookAhead) * frame }

  /// Makes a detector for spectra of a number of bands, of a sound of a loudness in LUFS.
  ///
  /// After a frame `lookAhead` others are waited for, to know that it is the largest.
  init(
    _ settings: ComposeSettings, reference: Double, bands: Int, hop: Double, lookAhead: Int
  ) {
    frame = Double(Self.hops) * hop
    // A mix of usual loudness has magnitudes of some hundred times what the logarithm's 1 stands for.
    gain = powerOfTwo((54 - (reference + 18)) / 6.020599913279624)
    frames = [[Double]](
      repeating: [Double](repeating: 0, count: bands), count: Self.lag + 1)
    threshold = settings.value(.threshold)
    spacing = max(1, Int((settings.value(.spacing) / frame).rounded()))
    self.lookAhead = lookAhead
  }

  /// The rise of the newest frame, in dB.
  var strength: Double { count > 0 ? value(count - 1) : 0 }

  /// Takes the magnitudes of the newest frame and tells whether the one `delay` before it was an onset.
  mutating func isOnset(_ magnitudes: [Double]) -> Bool {
    let own = count % frames.count
    let before = (count + 1) % frames.count
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
    flux[count % flux.count] = (sum / Double(bands)).squareRoot()
    count += 1
    return isPeak(count - 1 - lookAhead)
  }

  private func value(_ place: Int) -> Double { place < 0 ? 0 : flux[place % flux.count] }

  private mutating func isPeak(_ place: Int) -> Bool {
    guard place >= 0, place - last >= spacing else { return false }
    let own = value(place)
    for other in (place - Self.before)..<(place + lookAhead + 1) where other != place {
      guard value(other) < own || (other > place && value(other) == own) else { return false }
    }
    // The median, not the mean: in a run of notes the mean is that of their own peaks.
    let around = ((place - Self.around)...(place + lookAhead)).map(value).sorted()
    guard own >= around[around.count / 2] + threshold else { return false }
    last = place
    return true
  }
}
