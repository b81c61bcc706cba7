// SPDX-License-Identifier: Apache-2.0

private import Glibc
public import Units

/// How strong a stretch of signal is over frequency: summaries for reports and scores.
public enum ResponseSpectrum {
  /// One point of a spectrum.
  public struct Point: Sendable, Equatable {
    /// The frequency in hertz.
    public let frequency: Double
    /// The amplitude in dB, 0 dB being a sine of peak amplitude 1 in the signal's unit.
    public let level: Double
  }

  /// The spectrum in dB on a logarithmic grid of frequencies.
  ///
  /// |X|(f) = 2/n |sum of x exp(-j 2 pi f t)| over the whole stretch, without a window; a point is the
  /// root mean square over its share of the grid, so that no line falls between points. A silent
  /// share has the level -300 dB. Costs one transform of at least the stretch and at least 1 s.
  public static func logarithmic(
    _ samples: [Float], rate: SampleRate, band: ClosedRange<Double> = 20...2_000,
    pointsPerOctave: Int = 12
  ) -> [Point] {
    precondition(band.lowerBound > 0 && pointsPerOctave > 0, "a grid without points")
    guard !samples.isEmpty else { return [] }
    // Bins of 1 Hz at most, so that short clicks show a curve.
    var transform = FourierTransform(
      length: FourierTransform.fastLength(atLeast: max(samples.count, rate.wholeFrames(1))))
    let powers = transform.forward(samples.span).map(\.power)
    let width = rate.hertz / Double(transform.length)
    let ratio = exp2(1 / Double(pointsPerOctave))
    let count = Int(log2(band.upperBound / band.lowerBound) * Double(pointsPerOctave) + 1e-9) + 1
    let scale = 2 / Double(samples.count)
    return (0..<count).compactMap { index in
      let frequency = band.lowerBound * pow(ratio, Double(index))
      let nearest = Int((frequency / width).rounded())
      guard nearest < powers.count else { return nil }
      let first = min(nearest, Int((frequency / ratio.squareRoot() / width).rounded(.up)))
      let last = max(nearest, Int((frequency * ratio.squareRoot() / width).rounded(.down)))
      let bins = powers[first...min(last, powers.count - 1)]
      let power = scale * scale * bins.reduce(0, +) / Double(bins.count)
      return Point(frequency: frequency, level: max(-300, 10 * log10(power)))
    }
  }
}

/// The frequency that stands out in a stretch of signal.
public struct DominantFrequency: Sendable, Equatable {
  /// The frequency in hertz.
  public let frequency: Estimate
  /// The peak amplitude of a steady sine that would give this line, in the signal's unit.
  public let amplitude: Double

  /// How far a line must stand above the median to be one, in dB.
  private static let minimumProminence = 12.0

  /// Finds the strongest line of a band.
  ///
  /// The stretch, less its mean, is weighted by a Hann window and padded four times with zeros; the
  /// top of the line comes from a parabola through the logarithms of three bins. The uncertainty is
  /// the Cramer-Rao bound of a sine in white noise, whose level the median gives,
  /// sqrt(6) sigma / (pi A T sqrt(n)), times 1.5 for the window, and at least 1/100 of 1/T, for what begins or ends in the stretch. Gives nil
  /// below 16 samples, where nothing stands 12 dB above the median, and where the
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
      amplitude: amplitude)
  }
}
