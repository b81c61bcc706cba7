private import Glibc

/// The noise of an impulse response over frequency, from a stretch that holds nothing else.
struct NoiseSpectrum {
  /// The distance of two values in hertz.
  private let spacing: Double
  /// The variance of a bin of one sample's gate: multiply by the power of a gate.
  private let densities: [Double]

  /// Looks at a stretch of samples of the circle.
  init(_ impulse: ImpulseResponse, through window: NoiseWindow) {
    spacing = window.spacing
    var transform = FourierTransform(length: window.length)
    let stretch = zip(window.free, window.weights).map { $1 * impulse[$0] }
    let powers = transform.forward(stretch.span).map { $0.power / max(window.power, 1e-300) }
    let (sums, passed) = (NoiseWindow.smooth(powers), window.passed)
    densities = powers.indices.map { bin in
      guard passed[bin] > 1e-3 else { return sums[bin] }
      // Under a Hann window 1.94 bins are worth one.
      let freedom = 2 * Double(2 * NoiseWindow.reach(bin) + 1) * passed[bin] / 1.94
      return sums[bin] / passed[bin] * Self.growth(freedom)
    }
  }

  /// The standard deviation of real and imaginary part, at a frequency, of what a gate passes.
  func deviation(at frequency: Double, gatePower: Double) -> Double {
    let bin = min(densities.count - 1, Int((frequency / spacing).rounded()))
    return (gatePower * densities[bin] / 2).squareRoot()
  }

  /// By how much the variance is larger for having been estimated from so few numbers: (n / (n - 2))^2.
  ///
  /// Once for the variance of Student's distribution (supplement 1 of the GUM, 6.4.9), once for the weights
  /// of a fit, which are no better known and then not the best.
  private static func growth(_ freedom: Double) -> Double {
    let ratio = freedom > 4 ? freedom / (freedom - 2) : 2
    return ratio * ratio
  }
}
