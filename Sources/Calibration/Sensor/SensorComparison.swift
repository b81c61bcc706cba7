private import Glibc
import SignalAnalysis
package import Units

/// Calibrates an accelerometer against a reference that sees the same motion.
package enum SensorComparison {
  package struct Point: Sendable, Equatable {
    package var frequency: Double
    /// What the sensor shows over what the reference shows.
    package var ratio: Double
    /// Its standard uncertainty, without the reference's own.
    package var uncertainty: Double
  }

  package struct Result: Sendable, Equatable {
    /// True m/s2 per m/s2 as shown: the present scale is to be multiplied by it.
    package var factor: Double
    /// Its standard uncertainty, the reference's own included.
    package var factorUncertainty: Double
    package var flatness: [Point]
    /// How much later than the reference the sensor shows the motion, in seconds.
    package var delay: Double
    package var delayUncertainty: Double
    /// The share of the sensor's signal that follows the reference, 0...1.
    package var coherence: Double
  }

  /// Compares two recordings of one motion on one clock.
  ///
  /// The motion may be of any kind that fills the band, a sweep best of all. The band is cut in parts of a
  /// sixth of an octave; in each, ratio and phase are those of least squares over its bins, and what they
  /// leave over gives the uncertainty. The factor is the weighted mean, the delay the slope of the phase.
  ///
  /// Samples are in m/s2, the sensor's as shown; the reference's uncertainty is relative. Throws where the two
  /// do not show one motion.
  package static func evaluate(
    sensor: [Float], reference: [Float], rate: SampleRate, referenceUncertainty: Double,
    band: ClosedRange<Double> = 20...1_000
  ) throws(CalibrationRefusal) -> Result {
    guard sensor.count == reference.count, sensor.count >= 1_024,
      sensor.allSatisfy(\.isFinite), reference.allSatisfy(\.isFinite)
    else {
      throw CalibrationRefusal(
        .sensorDead,
        "the sensor has \(sensor.count) samples and the reference \(reference.count): record both "
          + "together for a second or more")
    }
    let parts = bands(sensor, reference, rate: rate, band: band)
    let usable = parts.filter { $0.coherence > 0.5 }
    guard usable.count >= 3 else {
      throw CalibrationRefusal(
        .sensorComparison,
        "the sensor and the reference do not show the same motion: fix both to one mass, and move it by a "
          + "sweep over \(text(band.lowerBound)) to \(text(band.upperBound)) Hz")
    }
    let slope = LinearFit(
      rows: usable.map { [-2 * .pi * $0.frequency] }, values: unwrapped(usable.map(\.phase)),
      uncertainties: usable.map { max(1e-6, $0.relative) })
    // Flatness beyond noise is not the scale's error but the sensor's shape: it widens the factor.
    let weights = usable.map { 1 / (max(1e-5, $0.relative) * max(1e-5, $0.relative)) }
    let total = weights.reduce(0, +)
    let ratio = zip(usable, weights).reduce(0) { $0 + $1.0.ratio * $1.1 } / total
    let spread =
      zip(usable, weights).reduce(0) { sum, item in
        let difference = item.0.ratio / ratio - 1
        return sum + item.1 * difference * difference
      } / total
    let relative = (spread + 1 / total + referenceUncertainty * referenceUncertainty).squareRoot()
    return Result(
      factor: 1 / ratio, factorUncertainty: relative / ratio,
      flatness: parts.map {
        Point(frequency: $0.frequency, ratio: $0.ratio, uncertainty: $0.ratio * $0.relative)
      }, delay: slope?.parameters[0] ?? 0, delayUncertainty: slope?.uncertainty(of: 0) ?? 0,
      coherence: usable.reduce(0) { $0 + $1.coherence } / Double(usable.count))
  }

  private struct Part {
    let frequency: Double
    let ratio: Double
    let phase: Double
    let relative: Double
    let coherence: Double
  }

  private static func bands(
    _ sensor: [Float], _ reference: [Float], rate: SampleRate, band: ClosedRange<Double>
  ) -> [Part] {
    var transform = FourierTransform(
      length: FourierTransform.fastLength(atLeast: sensor.count))
    let (seen, known) = (transform.forward(sensor.span), transform.forward(reference.span))
    let width = rate.hertz / Double(transform.length)
    let ratio = exp2(1.0 / 6)
    let count = Int(6 * log2(band.upperBound / band.lowerBound))
    return (0..<count).compactMap { step in
      let low = band.lowerBound * pow(ratio, Double(step))
      let bins = Int((low / width).rounded(.up))...Int((low * ratio / width).rounded(.up))
      guard bins.count >= 3, bins.upperBound < seen.count else { return nil }
      var (cross, input, output) = (Complex(0), 0.0, 0.0)
      for bin in bins {
        cross = cross + seen[bin] * known[bin].conjugate
        input += known[bin].power
        output += seen[bin].power
      }
      guard input > 0, output > 0 else { return nil }
      let coherence = cross.power / (input * output)
      let relative =
        ((1 - min(1, coherence)) / (2 * Double(bins.count) * max(coherence, 1e-12))).squareRoot()
      return Part(
        frequency: low * ratio.squareRoot(), ratio: cross.magnitude / input, phase: cross.angle,
        relative: relative, coherence: coherence)
    }
  }

  private static func unwrapped(_ angles: [Double]) -> [Double] {
    var turns = 0.0
    var before = angles.first ?? 0
    return angles.map { angle in
      let step = angle + turns - before
      turns -= 2 * .pi * (step / (2 * .pi)).rounded()
      before = angle + turns
      return before
    }
  }
}
