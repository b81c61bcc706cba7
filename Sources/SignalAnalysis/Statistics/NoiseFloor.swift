private import Glibc
import Units

/// What a quiet stretch holds: an offset and noise around it.
public struct NoiseFloor: Sendable, Equatable {
  /// The mean, with its uncertainty for white noise.
  public let offset: Estimate
  /// The standard deviation around the mean, with its uncertainty for white noise.
  public let sigma: Estimate
  /// How many samples the numbers rest on.
  public let count: Int
  /// How many samples were left out because they do not belong to the noise.
  public let outlierCount: Int

  /// Makes a noise floor whose numbers are known.
  public init(offset: Estimate, sigma: Estimate, count: Int, outlierCount: Int = 0) {
    self.offset = offset
    self.sigma = sigma
    self.count = count
    self.outlierCount = outlierCount
  }

  /// Measures the offset and the noise of a quiet stretch.
  ///
  /// Samples further than 5 standard deviations from the middle, as median and median deviation
  /// give them, are left out, so that a click or two moves neither number. Uncertainties are
  /// sigma / sqrt(n) and sigma / sqrt(2 n). Gives nil below 8 samples or where one is not finite.
  /// The stretch is `frames`, as far as there are samples, or all. Costs O(n log n).
  public static func estimate(_ samples: [Float], frames: Range<Int>? = nil) -> NoiseFloor? {
    let values = samples[(frames ?? samples.indices).clamped(to: samples.indices)].map(Double.init)
    guard values.count >= 8, values.allSatisfy(\.isFinite) else { return nil }
    let middle = Statistics.median(values)
    // 1.4826 makes the median deviation of Gaussian noise its standard deviation.
    var spread = 1.4826 * Statistics.median(values.map { abs($0 - middle) })
    // Where over half of the samples are equal (a converter at rest) the median deviation is zero.
    if spread == 0 { spread = Statistics.moments(values).sigma }
    let kept = values.filter { abs($0 - middle) <= 5 * spread }
    let (mean, sigma) = Statistics.moments(kept)
    let count = Double(kept.count)
    return NoiseFloor(
      offset: Estimate(mean, uncertainty: sigma / count.squareRoot()),
      sigma: Estimate(sigma, uncertainty: sigma / (2 * count).squareRoot()), count: kept.count,
      outlierCount: values.count - kept.count)
  }
}
