// SPDX-License-Identifier: Apache-2.0

private import Glibc
public import Units

/// Drive and response as spectra over a band, weighted so that white noise of the given sigma has
/// variance 1 in chi-square.
struct ResonatorSpectra {
  let angular: [Double]
  /// The drive through the known filter.
  let drive: [Complex]
  let response: [Complex]
  /// The distance of two bins in hertz.
  let width: Double
  /// How many independent real numbers the bins hold.
  let freedom: Double

  /// The sum of squares of the weighted response: chi-square of a model of nothing.
  var energy: Double { response.reduce(0) { $0 + $1.power } }

  init(
    drive: [Float], response: [Float], rate: Double, band: ClosedRange<Double>,
    filter: KnownFilter, sigma: Double
  ) {
    let length = FourierTransform.fastLength(atLeast: drive.count)
    var transform = FourierTransform(length: length)
    let mean = response.reduce(0) { $0 + Double($1) } / Double(response.count)
    let centred = response.map { Double($0) - mean }
    let (inputs, outputs) = (transform.forward(drive.span), transform.forward(centred.span))
    let width = rate / Double(length)
    let first = max(1, Int((band.lowerBound / width).rounded(.up)))
    let last = min(length / 2 - 1, Int((band.upperBound / width).rounded(.down)))
    let bins = first <= last ? Array(first...last) : []
    // Parseval: the sum of squares in time is 2/L times the sum over the bins below half the rate.
    let weight = (2 / Double(length)).squareRoot() / sigma
    angular = bins.map { 2 * .pi * Double($0) * width }
    self.drive = bins.map { weight * (inputs[$0] * filter.response(at: Double($0) * width)) }
    self.response = bins.map { weight * outputs[$0] }
    self.width = width
    freedom = 2 * Double(bins.count) * Double(drive.count) / Double(length)
  }

  /// The spectra of a measured response: the known filter in place of the drive, each over its uncertainty.
  init(_ measured: TransferFunction, filter: KnownFilter) {
    let weights = measured.uncertainty.map { 1 / max($0, 1e-300) }
    angular = measured.frequencies.map { 2 * .pi * $0 }
    drive = measured.frequencies.indices.map {
      weights[$0] * filter.response(at: measured.frequencies[$0])
    }
    response = measured.response.indices.map { weights[$0] * measured.response[$0] }
    width = measured.spacing
    freedom = 2 * Double(angular.count)
  }

  /// The rms of what a fit leaves over beyond the noise, over that of the response beyond the noise.
  func misfit(leaving sum: Double, parameters: Int) -> Double {
    let freedom = max(1, freedom - Double(parameters))
    return (max(0, sum - freedom) / max(energy - freedom, 1)).squareRoot()
  }

  /// How well a fit that leaves a sum of squares explains the response; nil where that is no more than noise.
  func quality(leaving sum: Double, parameters: Int) -> ResonatorModel.Quality? {
    let energy = energy
    // Noise alone lets the best of all delays explain 2 ln(delays), below 30.
    guard energy - sum > 60, energy - sum > 0.03 * energy else { return nil }
    return ResonatorModel.Quality(
      residual: (sum / energy).squareRoot(), misfit: misfit(leaving: sum, parameters: parameters),
      explained: 1 - sum / energy,
      reducedChiSquare: sum / max(1, freedom - Double(parameters)))
  }

  func firstTurn(_ delay: Double) -> Complex { Complex(angle: -delay * angular[0]) }

  /// The factor by which exp(-j w d) changes from one frequency to the next, all of them evenly spaced.
  func turnStep(_ delay: Double) -> Complex { Complex(angle: -2 * .pi * width * delay) }

  /// s^2 / (s^2 + s w0/Q + w0^2) / Q: the resonator with a gain of magnitude 1 at resonance.
  func resonator(at angular: Double, frequency: Double, q: Double) -> Complex {
    let ratio = angular / (2 * .pi * frequency)
    return Complex(-ratio * ratio / q) / Complex(1 - ratio * ratio, ratio / q)
  }
}

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
  private static let maximumMisfit = 0.3

  /// Makes a fit.
  public init(
    band: ClosedRange<Double> = 20...2_000, delays: ClosedRange<Double> = -0.001...0.1,
    knownFilter: KnownFilter = .none
  ) {
    precondition(band.lowerBound > 0, "a band from \(band.lowerBound) Hz")
    self.band = band
    self.delays = delays
    self.knownFilter = knownFilter
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

  private func fit(_ spectra: ResonatorSpectra) throws(ResonatorFitError) -> ResonatorModel {
    guard let best = best(of: starts(for: spectra), spectra) else { throw .noConvergence }
    guard let quality = spectra.quality(leaving: best.minimum.sumOfSquares, parameters: 4) else {
      throw .deadResponse
    }
    let model = model(best, quality)
    guard quality.misfit <= Self.maximumMisfit, band.contains(model.frequency.value),
      (0.3...300).contains(model.q.value), delays.contains(model.delay.value)
    else { throw .doesNotFit(model) }
    return model
  }

  private typealias Candidate = (minimum: LevenbergMarquardt.Minimum, sign: Double)

  /// The lowest minimum: all starts walk most of the way, the best of them the rest.
  private func best(of starts: [Start], _ spectra: ResonatorSpectra) -> Candidate? {
    let rough = starts.compactMap { start -> Candidate? in
      let sign: Double = start.gain < 0 ? -1 : 1
      let parameters = [
        1e3 * start.delay, log(start.frequency), log(start.q), log(abs(start.gain)),
      ]
      return leastSquares(spectra, sign: sign).minimum(from: parameters, tolerance: 1e-3)
        .map { ($0, sign) }
    }
    return rough.min { $0.minimum.sumOfSquares < $1.minimum.sumOfSquares }.flatMap { rough in
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

  struct Start {
    let delay: Double
    let frequency: Double
    let q: Double
    let gain: Double
    /// How much of chi-square it explains.
    let explained: Double
  }

  /// The starts worth trying, the best first, no two of them within a quarter period of each other.
  ///
  /// For a fixed frequency and Q the cross-spectrum of Y and the undelayed model A = H0 X gives, by one
  /// inverse transform, c(d) = sum of Re(Y A* exp(j w d)) for all delays at once; the gain that goes
  /// with d is c(d) / sum |A|^2 and explains c(d)^2 / sum |A|^2. Every hill of |c| is a possible cycle.
  func starts(for spectra: ResonatorSpectra, limit: Int = 4) -> [Start] {
    var found: [Start] = []
    let octaves = log2(band.upperBound / band.lowerBound)
    // Eight points a period of the band's upper edge, and the whole period of the bins' distance.
    let length = FourierTransform.fastLength(
      atLeast: max(8 * Int((band.upperBound / spectra.width).rounded(.up)), 64))
    var transform = FourierTransform(length: length)
    for step in 1..<max(2, Int(4 * octaves)) {
      let frequency = band.lowerBound * exp2(Double(step) / 4)
      for q in [2.5, 6, 14] {
        found += hills(spectra, frequency: frequency, q: q, &transform)
      }
    }
    var chosen: [Start] = []
    for start in found.sorted(by: { $0.explained > $1.explained }) where chosen.count < limit {
      let isNew = chosen.allSatisfy {
        abs($0.delay - start.delay) > 0.25 / start.frequency
          || abs(log2($0.frequency / start.frequency)) > 0.6
      }
      if isNew { chosen.append(start) }
    }
    return chosen
  }

  /// The two best delays for a frequency and a Q.
  func hills(
    _ spectra: ResonatorSpectra, frequency: Double, q: Double, _ transform: inout FourierTransform
  ) -> [Start] {
    var bins = [Complex](repeating: Complex(0), count: transform.binCount)
    let offset = Int((spectra.angular[0] / (2 * .pi * spectra.width)).rounded())
    var energy = 0.0
    for index in spectra.drive.indices {
      let model =
        spectra.resonator(at: spectra.angular[index], frequency: frequency, q: q)
        * spectra.drive[index]
      energy += model.power
      bins[offset + index] = spectra.response[index] * model.conjugate
    }
    guard energy > 0 else { return [] }
    let length = transform.length
    // An inverse transform has 1/L, and each bin counts for itself and its mirror.
    let products = transform.inverse(bins).map { $0 * Double(length) / 2 }
    let period = 1 / (spectra.width * Double(length))
    let first = Int((delays.lowerBound / period).rounded(.down))
    let last = min(first + length - 1, Int((delays.upperBound / period).rounded(.up)))
    func product(_ step: Int) -> Double { products[((step % length) + length) % length] }
    func height(_ step: Int) -> Double { abs(product(step)) }
    let tops = (first...max(first, last)).filter {
      height($0) >= height($0 - 1) && height($0) > height($0 + 1)
    }
    return tops.sorted { height($0) > height($1) }.prefix(2).map { step in
      Start(
        delay: Double(step) * period, frequency: frequency, q: q, gain: product(step) / energy,
        explained: product(step) * product(step) / energy)
    }
  }

  /// The residuals Y - H X as real and imaginary parts, over delay in ms and the logarithms of f0, Q, g.
  ///
  /// With D = s^2 + s w0/Q + w0^2: dH/dd = -s H, dH/dln w0 = -H (s w0/Q + 2 w0^2) / D,
  /// dH/dln Q = H (s w0/Q / D - 1), dH/dln g = H.
  private func leastSquares(_ spectra: ResonatorSpectra, sign: Double) -> LevenbergMarquardt {
    let count = spectra.angular.count
    return LevenbergMarquardt(residualCount: 2 * count) { parameters, target in
      let trial = Trial(parameters, sign: sign)
      for index in 0..<count {
        let model = trial.model(spectra, index).value
        Self.store(spectra.response[index] - model, target, index)
      }
    } jacobian: { parameters, target in
      let trial = Trial(parameters, sign: sign)
      let rows = 2 * count
      for index in 0..<count {
        let (model, damping, divisor) = trial.model(spectra, index)
        // The residual is Y - H X, hence the turned signs.
        let delay = 1e-3 * spectra.angular[index] * (Complex(0, 1) * model)
        Self.store(delay, target, index)
        Self.store(model * (damping + Complex(2)) / divisor, target + rows, index)
        Self.store(model * (Complex(1) - damping / divisor), target + 2 * rows, index)
        Self.store(-1 * model, target + 3 * rows, index)
      }
    }
  }

  private static func store(
    _ value: Complex, _ target: UnsafeMutablePointer<Double>, _ index: Int
  ) {
    target[2 * index] = value.real
    target[2 * index + 1] = value.imaginary
  }

  private struct Trial {
    let delay: Double
    let angular: Double
    let q: Double
    let gain: Double

    init(_ parameters: UnsafePointer<Double>, sign: Double) {
      delay = 1e-3 * parameters[0]
      angular = 2 * .pi * exp(parameters[1])
      q = exp(parameters[2])
      gain = sign * exp(parameters[3])
    }

    /// H X in one bin, with s w0/Q and D, both over w0^2.
    func model(
      _ spectra: ResonatorSpectra, _ index: Int
    ) -> (value: Complex, damping: Complex, divisor: Complex) {
      let ratio = spectra.angular[index] / angular
      let damping = Complex(0, ratio / q)
      let divisor = Complex(1 - ratio * ratio, ratio / q)
      let turn = Complex(angle: -delay * spectra.angular[index])
      let scale = -gain * ratio * ratio / q
      return (scale * (turn * spectra.drive[index]) / divisor, damping, divisor)
    }
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
