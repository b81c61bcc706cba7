// SPDX-License-Identifier: Apache-2.0

private import Glibc
import SignalAnalysis
package import Units

/// Calibrates an accelerometer against a reference that sees the same motion.
package enum SensorComparison {
  package struct Point: Sendable, Equatable {
    package var frequency: Double
    /// What the sensor shows over what the reference shows.
    package var ratio: Double
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

/// Calibrates an accelerometer by gravity: each axis once up and once down.
///
/// With up and down means a+ and a-, the scale is 2 g / (a+ - a-) and the offset (a+ + a-) / 2. It fixes
/// the response at zero frequency; how flat that stays, a comparison with a reference tells.
package enum SensorFlip {
  package struct Position: Sendable, Equatable {
    package var axis: String
    package var isUp: Bool
    /// That axis' samples, in m/s2 as the present scale shows them.
    package var samples: [Float]

    package init(axis: String, isUp: Bool, samples: [Float]) {
      self.axis = axis
      self.isUp = isUp
      self.samples = samples
    }
  }

  package struct AxisScale: Sendable, Equatable {
    package var axis: String
    /// True m/s2 per m/s2 as shown: the present scale is to be multiplied by it.
    package var factor: Double
    package var factorUncertainty: Double
    /// What it shows without acceleration, in m/s2 as shown.
    package var offset: Double
    package var offsetUncertainty: Double
    package var noise: Double
  }

  package static let standardGravity = 9.80665

  /// A tilt by an angle t shows cos t of gravity: with a standard deviation s of the tilt the scale is on
  /// average s^2 / 2 too high, which is taken out, and as uncertain again.
  ///
  /// The uncertainty of the mean comes from means over 16 parts, so that slow wandering counts.
  ///
  /// Each axis has a position up and one down; several are averaged. `gravity` is that of the place: 0.02 m/s2 of
  /// uncertainty cover all places on earth. `tilt` is in degrees. Gives the axes in the order in which they first
  /// appear; throws where a position is missing, was not still, or is the wrong way up.
  package static func evaluate(
    _ positions: [Position], gravity: Double = standardGravity, gravityUncertainty: Double = 0.015,
    tilt: Double = 1
  ) throws(CalibrationRefusal) -> [AxisScale] {
    var names: [String] = []
    for position in positions where !names.contains(position.axis) { names.append(position.axis) }
    guard !names.isEmpty else {
      throw CalibrationRefusal(
        .sensorFlip, "no position was recorded: record each axis up and down")
    }
    var found: [AxisScale] = []
    for name in names {
      found.append(
        try axis(
          name, positions.filter { $0.axis == name }, gravity: gravity,
          gravityUncertainty: gravityUncertainty, tilt: tilt * .pi / 180))
    }
    return found
  }

  private static func axis(
    _ name: String, _ positions: [Position], gravity: Double, gravityUncertainty: Double,
    tilt: Double
  ) throws(CalibrationRefusal) -> AxisScale {
    var means: [Bool: [Estimate]] = [:]
    var noise = 0.0
    for position in positions {
      let (mean, sigma) = try still(position)
      means[position.isUp, default: []].append(mean)
      noise = max(noise, sigma)
    }
    guard let up = means[true].map(Estimate.mean), let down = means[false].map(Estimate.mean) else {
      throw CalibrationRefusal(
        .sensorFlip,
        "axis \(name) was recorded \(means[true] == nil ? "down" : "up") only: record it both ways up"
      )
    }
    let span = up.value - down.value
    guard span > 0 else {
      throw CalibrationRefusal(
        .sensorPolarity,
        "axis \(name) shows \(text(up.value)) m/s2 up and \(text(down.value)) down: up and down are "
          + "mixed up, or the axis has the wrong sign")
    }
    let factor = 2 * gravity / span * (1 - tilt * tilt / 2)
    guard factor > 0.02, factor < 50 else {
      throw CalibrationRefusal(
        .sensorUnits,
        "axis \(name) changes by \(text(span)) m/s2 where \(text(2 * gravity)) are right: its scale is not "
          + "that of an accelerometer")
    }
    let noiseOfSpan = hypot(up.uncertainty, down.uncertainty)
    let relative = [
      gravityUncertainty / gravity, noiseOfSpan / span, tilt * tilt / 2,
    ].reduce(0) { $0 + $1 * $1 }.squareRoot()
    return AxisScale(
      axis: name, factor: factor, factorUncertainty: factor * relative,
      offset: (up.value + down.value) / 2, offsetUncertainty: noiseOfSpan / 2, noise: noise)
  }

  private static func still(
    _ position: Position
  ) throws(CalibrationRefusal) -> (mean: Estimate, sigma: Double) {
    let place = "axis \(position.axis) \(position.isUp ? "up" : "down")"
    guard let floor = NoiseFloor.estimate(position.samples), position.samples.count >= 256 else {
      throw CalibrationRefusal(
        .sensorDead,
        "\(place) was recorded for \(position.samples.count) usable samples: record 1 s")
    }
    let size = position.samples.count / 16
    let parts = (0..<16).map { part in
      position.samples[part * size..<(part + 1) * size].reduce(0.0) { $0 + Double($1) }
        / Double(size)
    }
    let (mean, spread) = Statistics.moments(parts)
    guard spread < 0.02 * max(abs(mean), 1) else {
      throw CalibrationRefusal(
        .sensorMoved,
        "\(place) was not still, its mean wanders by \(text(spread)) m/s2: lay it on a firm table and "
          + "record again")
    }
    return (Estimate(mean, uncertainty: spread / 4), floor.sigma.value)
  }
}
