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
    let (powers, width) = powers(samples, rate: rate)
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

  /// The centre of a signal's energy over frequency, in hertz.
  ///
  /// The sum of f |X|^2 over the sum of |X|^2 inside the band; nil where the band holds no energy.
  public static func centroid(
    _ samples: [Float], rate: SampleRate, band: ClosedRange<Double> = 20...1_000
  ) -> Double? {
    guard !samples.isEmpty else { return nil }
    let (powers, width) = powers(samples, rate: rate)
    var (sum, moment) = (0.0, 0.0)
    for (index, power) in powers.enumerated() where band.contains(Double(index) * width) {
      sum += power
      moment += power * Double(index) * width
    }
    return sum > 0 ? moment / sum : nil
  }

  /// Powers by bin, with the bins' distance in hertz: 1 Hz at most, so that short clicks show a curve.
  private static func powers(
    _ samples: [Float], rate: SampleRate
  ) -> (powers: [Double], width: Double) {
    var transform = FourierTransform(
      length: FourierTransform.fastLength(atLeast: max(samples.count, rate.wholeFrames(1))))
    let powers = transform.forward(samples.span).map(\.power)
    return (powers, rate.hertz / Double(transform.length))
  }
}
