// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// A delay and a gain that grows with the square of the frequency: a piezo below its resonance.
///
/// H(f) = g exp(-j 2 pi f d) (f / 200 Hz)^2 K(f): acceleration from a displacement that follows the voltage.
public struct DifferentiatorModel: Sendable, Equatable {
  /// The frequency at which the gain is told, in hertz.
  public static let referenceFrequency = 200.0
  /// The pure delay d in seconds, without the known filter's own.
  public let delay: Estimate
  /// The gain g at 200 Hz, negative for turned polarity; a stroke that follows the voltage forward is minus.
  public let gain: Estimate
  /// The filter K that was given.
  public let knownFilter: KnownFilter
  /// The rms left over beyond the noise, over the rms of the response.
  public let misfit: Double

  /// The response at a frequency in hertz, known filter included.
  public func response(at frequency: Double) -> Complex {
    let ratio = frequency / Self.referenceFrequency
    let turn = Complex(angle: -2 * .pi * frequency * delay.value)
    return (gain.value * ratio * ratio) * (turn * knownFilter.response(at: frequency))
  }
}

/// Fits a `DifferentiatorModel` to a measured response by weighted least squares.
public struct DifferentiatorFit: Sendable {
  /// The delays that are looked for, in seconds.
  public var delays: ClosedRange<Double>
  /// What lies between motion and samples and is known.
  public var knownFilter: KnownFilter

  /// Makes a fit.
  public init(delays: ClosedRange<Double> = -0.001...0.1, knownFilter: KnownFilter = .none) {
    self.delays = delays
    self.knownFilter = knownFilter
  }

  /// Fits delay and gain; nil where the response is no more than its noise or a number is not finite.
  ///
  /// Of all delays the best is found by one inverse transform, then by Newton's steps on the phase. The
  /// caller judges the misfit: a resonance in the band leaves much over.
  public func fit(_ measured: TransferFunction) -> DifferentiatorModel? {
    guard measured.response.allSatisfy({ $0.power.isFinite }), measured.frequencies.count > 4
    else { return nil }
    let spectra = ResonatorSpectra(measured, filter: knownFilter)
    let base = spectra.angular.indices.map { index in
      let ratio =
        spectra.angular[index] / (2 * .pi * DifferentiatorModel.referenceFrequency)
      return (ratio * ratio) * spectra.drive[index]
    }
    guard let coarse = coarseDelay(spectra, base, measured) else { return nil }
    var delay = coarse
    var gain = 0.0
    var (energy, curvature) = (0.0, 0.0)
    for _ in 0..<20 {
      var (product, slope) = (0.0, 0.0)
      (energy, curvature) = (0, 0)
      for index in base.indices {
        let angular = spectra.angular[index]
        let turned =
          spectra.response[index] * base[index].conjugate * Complex(angle: delay * angular)
        product += turned.real
        slope -= angular * turned.imaginary
        energy += base[index].power
        curvature += angular * angular * base[index].power
      }
      gain = product / energy
      // Gauss and Newton on the phase alone: the gain is orthogonal to it.
      let step = slope / (gain * curvature)
      delay += step
      if abs(step) < 1e-12 { break }
    }
    let explained = gain * gain * energy
    let freedom = Double(2 * base.count - 2)
    let rest = max(0, spectra.energy - explained)
    guard explained > 60, delay.isFinite, delays.contains(delay) else { return nil }
    let growth = max(1, rest / freedom).squareRoot()
    return DifferentiatorModel(
      delay: Estimate(delay, uncertainty: growth / (abs(gain) * curvature.squareRoot())),
      gain: Estimate(gain, uncertainty: growth / energy.squareRoot()), knownFilter: knownFilter,
      misfit: (max(0, rest - freedom) / max(spectra.energy - freedom, 1)).squareRoot())
  }

  /// The delay at which |sum of Re(Y A* exp(j w d))| is largest, on a grid of an eighth of a period.
  private func coarseDelay(
    _ spectra: ResonatorSpectra, _ base: [Complex], _ measured: TransferFunction
  ) -> Double? {
    let length = FourierTransform.fastLength(
      atLeast: max(8 * Int((measured.band.upperBound / measured.spacing).rounded(.up)), 64))
    var transform = FourierTransform(length: length)
    var bins = [Complex](repeating: Complex(0), count: transform.binCount)
    let offset = Int((measured.frequencies[0] / measured.spacing).rounded())
    for index in base.indices {
      bins[offset + index] = spectra.response[index] * base[index].conjugate
    }
    let products = transform.inverse(bins)
    let period = 1 / (measured.spacing * Double(length))
    let first = Int((delays.lowerBound / period).rounded(.down))
    let last = min(first + length - 1, Int((delays.upperBound / period).rounded(.up)))
    let best = (first...max(first, last)).max {
      abs(products[(($0 % length) + length) % length])
        < abs(products[(($1 % length) + length) % length])
    }
    return best.map { Double($0) * period }
  }
}
