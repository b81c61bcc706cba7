private import Glibc

/// The noise of an impulse response over frequency, from a stretch that holds nothing else.
struct NoiseSpectrum {
  /// The distance of two values in hertz.
  private let spacing: Double
  /// The variance of a bin of one sample's gate: multiply by the power of a gate.
  private let densities: [Double]

  /// Looks at a stretch of samples of the circle; `share` is the factor of the band that was measured.
  init(
    _ impulse: ImpulseResponse, free: Range<Int>, share: (_ frequency: Double) -> Double
  ) {
    let length = FourierTransform.fastLength(atLeast: max(16, free.count))
    spacing = impulse.sampleRate / Double(length)
    var transform = FourierTransform(length: length)
    var power = 0.0
    let stretch = free.enumerated().map { index, sample in
      let weight = 0.5 - 0.5 * cos(2 * .pi * (Double(index) + 0.5) / Double(free.count))
      power += weight * weight
      return weight * impulse[sample]
    }
    let powers = transform.forward(stretch.span).map { $0.power / max(power, 1e-300) }
    // At the band's edges the mean holds what lies outside: less, by the mean of what passes.
    let spacing = spacing
    let passing = powers.indices.map { bin in
      let share = share(Double(bin) * spacing)
      return share * share
    }
    let (sums, passed) = (Self.smooth(powers), Self.smooth(passing))
    densities = powers.indices.map { bin in
      guard passed[bin] > 1e-3 else { return sums[bin] }
      // Under a Hann window 1.94 bins are worth one.
      let freedom = 2 * Double(2 * Self.reach(bin) + 1) * passed[bin] / 1.94
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

  /// How many bins to each side a mean takes: a sixth of an octave, at least 8.
  private static func reach(_ bin: Int) -> Int { max(8, Int(0.12 * Double(bin))) }

  private static func smooth(_ powers: [Double]) -> [Double] {
    var sums: [Double] = [0]
    for power in powers { sums.append(sums[sums.count - 1] + power) }
    return powers.indices.map { bin in
      let reach = reach(bin)
      let (first, end) = (max(0, bin - reach), min(powers.count, bin + reach + 1))
      return (sums[end] - sums[first]) / Double(end - first)
    }
  }
}
