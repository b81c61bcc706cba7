private import Glibc

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
