private import Glibc

/// The noise of impulse responses over frequency, from a stretch that holds nothing else.
///
/// The window is the same for every impulse response that is cut up in the same way.
struct NoiseWindow: Sendable, Equatable {
  /// The samples of the circle that hold nothing but noise.
  private let free: Range<Int>
  /// The samples of the transform: zeros fill up what there are more.
  private let length: Int
  private let spacing: Double
  /// A Hann window over the stretch.
  private let weights: [Double]
  private let power: Double
  /// How much of the noise's power the band lets pass, around each bin.
  private let passed: [Double]

  /// Prepares to look at a stretch; `share` is the factor of the band that was measured.
  init(_ free: Range<Int>, rate: Double, share: (_ frequency: Double) -> Double) {
    self.free = free
    let length = FourierTransform.fastLength(atLeast: max(16, free.count))
    let spacing = rate / Double(length)
    self.length = length
    self.spacing = spacing
    let unit = 2 * Double.pi / Double(free.count)
    weights = (0..<free.count).map { 0.5 - 0.5 * cos(unit * (Double($0) + 0.5)) }
    power = weights.reduce(0) { $0 + $1 * $1 }
    // At the band's edges a mean holds what lies outside: less, by the mean of what passes.
    passed = Self.smooth(
      (0...length / 2).map { bin in
        let share = share(Double(bin) * spacing)
        return share * share
      })
  }

  /// The standard deviation of real and imaginary part, at a frequency, of what a gate passes of noise.
  func deviation(_ densities: [Double], at frequency: Double, gatePower: Double) -> Double {
    let bin = min(densities.count - 1, Int((frequency / spacing).rounded()))
    return (gatePower * densities[bin] / 2).squareRoot()
  }

  /// The noise of an impulse response: for each bin the variance of one sample's gate.
  func densities(of impulse: ImpulseResponse) -> [Double] {
    var transform = FourierTransform(length: length)
    let stretch = zip(free, weights).map { $1 * impulse[$0] }
    let powers = transform.forward(stretch.span).map { $0.power / max(power, 1e-300) }
    let sums = Self.smooth(powers)
    return powers.indices.map { bin in
      guard passed[bin] > 1e-3 else { return sums[bin] }
      // Under a Hann window 1.94 bins are worth one.
      let freedom = 2 * Double(2 * Self.reach(bin) + 1) * passed[bin] / 1.94
      return sums[bin] / passed[bin] * Self.growth(freedom)
    }
  }

  /// How many bins to each side a mean takes: a sixth of an octave, at least 8.
  private static func reach(_ bin: Int) -> Int { max(8, Int(0.12 * Double(bin))) }

  private static func smooth(_ powers: [Double]) -> [Double] {
    let sums = powers.runningSums()
    return powers.indices.map { bin in
      let reach = reach(bin)
      let (first, end) = (max(0, bin - reach), min(powers.count, bin + reach + 1))
      return (sums[end] - sums[first]) / Double(end - first)
    }
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
