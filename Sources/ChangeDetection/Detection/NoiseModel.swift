/// How a series scatters from night to night: the noise of a night is phi times that of the night
/// before, and an innovation of its own.
struct NoiseModel: Sendable, Hashable {
  /// The correlation of neighbouring nights, phi.
  var correlation: Double
  /// The standard deviation of an innovation.
  var innovation: Double
  /// How many nights the deviation rests on, less what was fitted.
  var freedom: Double

  /// What is taken for known before a series has shown its correlation: 0.5, as by forty nights.
  private static let prior = (correlation: 0.5, nights: 40.0)
  private static let highest = 0.9

  /// A first guess that needs no levels: correlation 0.5, and the scatter of neighbours' differences.
  static func cautious(_ values: [Double], quantum: Double) -> NoiseModel {
    let phi = prior.correlation
    let differences = values.indices.dropFirst().map { values[$0] - values[$0 - 1] }
    let deviation = Robust.scale(differences) / (2 * (1 - phi)).squareRoot()
    return NoiseModel(
      correlation: phi,
      innovation: max(deviation, 0.5 * quantum) * (1 - phi * phi).squareRoot(),
      freedom: max(Double(values.count) - 2, 1))
  }

  /// The noise that the levels of segments leave over.
  ///
  /// The lag-one correlation of residuals clipped at 2.5 deviations, with what k fitted levels take
  /// from it given back, (1 + 4 phi) k / n (Marriott and Pope, "Bias in the estimation of
  /// autocorrelations", 1954), drawn towards the prior, 0 to 0.9. The innovation is Huber's scale,
  /// at least half of the smallest step of the values.
  ///
  /// - Parameters:
  ///   - values: The values.
  ///   - nights: The numbers of their nights, ascending; only next ones are neighbours.
  ///   - segments: The stretches of one level.
  ///   - quantum: The smallest step of the values.
  /// - Returns: The noise.
  static func fitted(
    _ values: [Double], nights: [Int], segments: [Range<Int>], quantum: Double
  ) -> NoiseModel {
    var residuals = [Double](repeating: 0, count: values.count)
    for segment in segments {
      let level = values[segment].reduce(0, +) / Double(segment.count)
      for index in segment { residuals[index] = values[index] - level }
    }
    let bound = 2.5 * Robust.scale(residuals)
    var product = 0.0
    var power = 0.0
    var last = 0.0
    var pairs = 0
    for index in residuals.indices {
      let clipped = min(max(residuals[index], -bound), bound)
      power += clipped * clipped
      if index > 0, nights[index] - nights[index - 1] == 1 {
        product += clipped * last
        pairs += 1
      }
      last = clipped
    }
    let count = Double(values.count)
    let raw = power > 0 && pairs > 0 ? product / Double(pairs) / power * (count - 1) : 0
    let unbiased = raw + (1 + 4 * raw) * Double(segments.count) / count
    let phi =
      (count * unbiased + prior.nights * prior.correlation) / (count + prior.nights)
    let correlation = min(max(phi, 0), highest)
    var innovations: [Double] = []
    innovations.reserveCapacity(values.count)
    for segment in segments {
      for index in segment.dropFirst() {
        let (ratio, weight) = WhitenedSeries.link(
          across: nights[index] - nights[index - 1], correlation)
        innovations.append(
          weight.squareRoot() * (residuals[index] - ratio * residuals[index - 1]))
      }
    }
    let freedom = max(Double(innovations.count - segments.count), 1)
    let scale = Robust.scale(innovations) * (Double(innovations.count) / freedom).squareRoot()
    return NoiseModel(
      correlation: correlation, innovation: max(scale, 0.5 * quantum), freedom: freedom)
  }
}
