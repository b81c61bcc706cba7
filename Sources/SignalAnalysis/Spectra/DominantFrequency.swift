private import Glibc
public import Units

/// The frequency that stands out in a stretch of signal.
public struct DominantFrequency: Sendable, Equatable {
  /// The frequency in hertz.
  public let frequency: Estimate
  /// The peak amplitude of a steady sine that would give this line, in the signal's unit.
  public let amplitude: Double
  /// How far the line stands above the median of the band, in dB of power.
  public let prominence: Double

  /// How far a line must stand above the median to be one, in dB.
  public static let minimumProminence = 12.0

  /// Finds the strongest line of a band.
  ///
  /// The stretch, less its mean, is weighted by a Hann window and padded four times with zeros; the
  /// top of the line comes from a parabola through the logarithms of three bins. The uncertainty is
  /// the Cramer-Rao bound of a sine in white noise, whose level the median gives,
  /// sqrt(6) sigma / (pi A T sqrt(n)), times 1.5 for the window, and at least 1/100 of 1/T, for what begins or ends in the stretch. Gives nil
  /// below 16 samples, where nothing stands `minimumProminence` above the median, and where the
  /// strongest bin is the band's first or last. Costs one transform of four times the length.
  public static func estimate(
    _ samples: [Float], rate: SampleRate, band: ClosedRange<Double> = 20...2_000
  ) -> DominantFrequency? {
    guard samples.count >= 16 else { return nil }
    let count = Double(samples.count)
    let mean = samples.reduce(0) { $0 + Double($1) } / count
    let weighted = samples.indices.map { index in
      (Double(samples[index]) - mean) * (0.5 - 0.5 * cos(2 * .pi * (Double(index) + 0.5) / count))
    }
    var transform = FourierTransform(
      length: FourierTransform.commonLength(atLeast: 4 * samples.count))
    let powers = transform.forward(weighted.span).map(\.power)
    let width = rate.hertz / Double(transform.length)
    let first = max(1, Int((band.lowerBound / width).rounded(.up)))
    let last = min(powers.count - 2, Int((band.upperBound / width).rounded(.down)))
    guard first + 2 < last else { return nil }
    guard let top = (first...last).max(by: { powers[$0] < powers[$1] }), top > first, top < last,
      powers[top] > 0
    else { return nil }
    let median = Statistics.median(Array(powers[first...last]))
    let prominence = 10 * log10(powers[top] / median)
    guard prominence >= minimumProminence else { return nil }
    let (left, middle, right) = (log(powers[top - 1]), log(powers[top]), log(powers[top + 1]))
    let shift = (left - right) / (2 * (left - 2 * middle + right))
    let power = exp(middle - (left - right) * shift / 4)
    // A Hann window sums to n/2 and its square to 3n/8; the median of noise power is ln 2 of its mean.
    let amplitude = 4 * power.squareRoot() / count
    let sigma = (median / (0.693 * 0.375 * count)).squareRoot()
    let bound = 6.0.squareRoot() * sigma / (.pi * amplitude * count.squareRoot())
    let resolution = rate.hertz / count
    return DominantFrequency(
      frequency: Estimate(
        (Double(top) + shift) * width, uncertainty: resolution * max(1.5 * bound, 1e-2)),
      amplitude: amplitude, prominence: prominence)
  }
}
