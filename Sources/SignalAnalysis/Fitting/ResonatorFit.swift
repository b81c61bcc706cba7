private import Glibc
public import Units

/// Fits a `ResonatorModel` to a drive and the response to it, by maximum likelihood.
///
/// Minimises the sum of |Y - H X|^2 / sigma^2 over the bins of a band. Starts come from a grid of
/// frequencies and Qs, for each of which the best delays and gains are exact (`ResonatorFit+Start`);
/// the best few go down by Levenberg and Marquardt with an analytic Jacobian. Deterministic; some
/// 15 ms for 24,000 frames.
public struct ResonatorFit: Sendable {
  /// The band whose bins are compared, in hertz.
  public var band: ClosedRange<Double>
  /// The delays that are looked for, in seconds.
  public var delays: ClosedRange<Double>
  /// What lies between motion and samples and is known.
  public var knownFilter: KnownFilter
  /// The relative rms beyond the noise from which a fit counts as none.
  public var maximumMisfit: Double

  /// Makes a fit.
  public init(
    band: ClosedRange<Double> = 20...2_000, delays: ClosedRange<Double> = -0.001...0.1,
    knownFilter: KnownFilter = .none, maximumMisfit: Double = 0.3
  ) {
    precondition(band.lowerBound > 0, "a band from \(band.lowerBound) Hz")
    self.band = band
    self.delays = delays
    self.knownFilter = knownFilter
    self.maximumMisfit = maximumMisfit
  }

  /// Fits the model.
  ///
  /// `drive` and `response` are of one length and one clock, and both must be quiet at the beginning
  /// and have died away at the end, since what rings on beyond counts as misfit. `noise` is the
  /// standard deviation of the response's white noise a sample; uncertainties grow by
  /// sqrt(chi-square / degrees of freedom) where more than that is left over. Traps where the
  /// lengths differ.
  public func fit(
    drive: [Float], response: [Float], rate: SampleRate, noise: Double
  ) throws(ResonatorFitError) -> ResonatorModel {
    precondition(
      drive.count == response.count, "\(drive.count) drive beside \(response.count) frames")
    guard drive.count >= 64 else { throw .tooShort(frames: drive.count) }
    guard noise.isFinite, drive.allSatisfy(\.isFinite), response.allSatisfy(\.isFinite) else {
      throw .notFinite
    }
    guard drive.contains(where: { $0 != 0 }) else { throw .noDrive }
    let strength = Amplitude.rms(response)
    guard strength > 0 else { throw .deadResponse }
    // Single precision rounds to some 1e-7 of the value: no noise is smaller than that.
    let spectra = ResonatorSpectra(
      drive: drive, response: response, rate: rate.hertz, band: band, filter: knownFilter,
      sigma: max(noise, 1e-7 * strength))
    guard spectra.freedom > 16 else { throw .tooShort(frames: drive.count) }
    return try fit(spectra)
  }

  /// Fits the model to a measured response, each frequency weighted by its uncertainty.
  ///
  /// The frequencies inside the band of this fit count. Uncertainties grow as those of the other `fit` do.
  public func fit(_ measured: TransferFunction) throws(ResonatorFitError) -> ResonatorModel {
    guard let inside = measured.limited(to: band), inside.frequencies.count > 8 else {
      throw .tooShort(frames: measured.frequencies.count)
    }
    guard inside.response.allSatisfy({ $0.power.isFinite }) else { throw .notFinite }
    return try fit(ResonatorSpectra(inside, filter: knownFilter))
  }

  private func fit(
    _ spectra: ResonatorSpectra
  ) throws(ResonatorFitError) -> ResonatorModel {
    guard let best = best(of: starts(for: spectra), spectra) else { throw .noConvergence }
    let (before, after) = (spectra.energy, best.minimum.sumOfSquares)
    // Noise alone lets the best of all delays explain 2 ln(delays), below 30.
    guard before - after > 60, before - after > 0.03 * before else { throw .deadResponse }
    let freedom = max(1, spectra.freedom - 4)
    let quality = ResonatorModel.Quality(
      residual: (after / before).squareRoot(),
      misfit: (max(0, after - freedom) / max(before - freedom, 1)).squareRoot(),
      explained: 1 - after / before, reducedChiSquare: after / freedom)
    let model = model(best, quality)
    guard quality.misfit <= maximumMisfit, band.contains(model.frequency.value),
      (0.3...300).contains(model.q.value), delays.contains(model.delay.value)
    else { throw .doesNotFit(model) }
    return model
  }

  private typealias Candidate = (minimum: LevenbergMarquardt.Minimum, sign: Double)

  /// The lowest minimum: all starts walk most of the way, the best of them the rest.
  private func best(of starts: [Start], _ spectra: ResonatorSpectra) -> Candidate? {
    var best: Candidate?
    for start in starts {
      let sign: Double = start.gain < 0 ? -1 : 1
      let parameters = [
        1e3 * start.delay, log(start.frequency), log(start.q), log(abs(start.gain)),
      ]
      guard
        let minimum = leastSquares(spectra, sign: sign).minimum(from: parameters, tolerance: 1e-3)
      else { continue }
      if minimum.sumOfSquares < best?.minimum.sumOfSquares ?? .infinity { best = (minimum, sign) }
    }
    return best.flatMap { rough in
      leastSquares(spectra, sign: rough.sign)
        .minimum(from: rough.minimum.parameters, tolerance: 1e-10).map { ($0, rough.sign) }
    }
  }

  private func model(_ best: Candidate, _ quality: ResonatorModel.Quality) -> ResonatorModel {
    let growth = max(1, quality.reducedChiSquare).squareRoot()
    let sigma = (0..<4).map { growth * max(0, best.minimum.covariance[5 * $0]).squareRoot() }
    let values = best.minimum.parameters
    func estimate(_ index: Int) -> Estimate {
      Estimate(exp(values[index]), uncertainty: exp(values[index]) * sigma[index])
    }
    let product = sigma[1] * sigma[2] / (growth * growth)
    let gain = estimate(3)
    return ResonatorModel(
      delay: Estimate(1e-3 * values[0], uncertainty: 1e-3 * sigma[0]), frequency: estimate(1),
      q: estimate(2), gain: Estimate(best.sign * gain.value, uncertainty: gain.uncertainty),
      knownFilter: knownFilter,
      correlationOfFrequencyAndQ: product > 0
        ? max(-1, min(1, best.minimum.covariance[6] / product)) : 0,
      quality: quality)
  }
}

/// Why no resonator is given.
public enum ResonatorFitError: Error, Equatable, CustomStringConvertible {
  /// There are too few frames for the band.
  case tooShort(frames: Int)
  /// A sample, or the noise, is not a finite number.
  case notFinite
  /// The drive is silent.
  case noDrive
  /// The response holds nothing that follows from the drive.
  case deadResponse
  /// No start led to a minimum.
  case noConvergence
  /// The best model leaves too much over, or has parameters out of range; it must not be used.
  case doesNotFit(ResonatorModel)

  /// One sentence.
  public var description: String {
    switch self {
    case .tooShort(let frames):
      "\(frames) frames are too few to fit a resonator: record the response until it has died away"
    case .notFinite: "a sample of drive or response is not a finite number"
    case .noDrive: "the drive is silent: there is nothing to respond to"
    case .deadResponse:
      "the response does not rise above its noise: check the actuator, its wiring and the sensor"
    case .noConvergence: "no resonator was found that has this response"
    case .doesNotFit(let model):
      "the response is not that of one resonator: the best (\(Int(model.frequency.value.rounded())) "
        + "Hz) leaves \(Int((100 * (model.quality?.misfit ?? 1)).rounded())) % unexplained"
    }
  }
}
