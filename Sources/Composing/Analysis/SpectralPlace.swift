// SPDX-License-Identifier: Apache-2.0

/// Where on the axis of frequency the energy of octaves lies, as a sharpness.
///
/// The mean of the octaves' places, each weighted by its energy and by 3 dB more an octave, so that a sound
/// with as much energy in every octave, as most have, lies in the middle. On a logarithmic axis, as the
/// frequencies of a sharpness are.
struct SpectralPlace {
  /// The sharpness of the lowest octave, and how much one octave is worth.
  private let origin: Double
  private let slope: Double

  /// Takes the frequencies in hertz that are to have sharpness 0 and 1.
  init(lowest: Double, highest: Double) {
    let range = binaryLogarithm(highest) - binaryLogarithm(lowest)
    origin = (binaryLogarithm(OctaveBank.lowest) - binaryLogarithm(lowest)) / range
    slope = 1 / range
  }

  /// The sharpness 0...1 of octaves, or nil where there is no energy.
  @_noAllocation @_noLocks
  func sharpness(of octaves: SIMD8<Float>) -> Double? {
    let weighted = octaves * SIMD8<Float>(1, 2, 4, 8, 16, 32, 64, 128)
    let sum = weighted.sum()
    guard sum > 1e-20 else { return nil }
    let place = (weighted * SIMD8<Float>(0, 1, 2, 3, 4, 5, 6, 7)).sum() / sum
    return sharpness(atOctave: Double(place))
  }

  /// The sharpness 0...1 of a place in octaves above the lowest one of the bank.
  @_noAllocation @_noLocks
  func sharpness(atOctave place: Double) -> Double {
    min(1, max(0, origin + slope * place))
  }
}
