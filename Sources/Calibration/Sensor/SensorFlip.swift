private import Glibc
import SignalAnalysis
import Units

/// Calibrates an accelerometer by gravity: each axis once up and once down.
///
/// With up and down means a+ and a-, the scale is 2 g / (a+ - a-) and the offset (a+ + a-) / 2. It fixes
/// the response at zero frequency; how flat that stays, a comparison with a reference tells.
package enum SensorFlip {
  /// One position at rest.
  package struct Position: Sendable, Equatable {
    package var axis: String
    /// Whether its positive end is up.
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
    /// The noise, in m/s2 rms as shown.
    package var noise: Double
  }

  package static let standardGravity = 9.80665

  /// Evaluates the positions of each axis.
  ///
  /// A tilt by an angle t shows cos t of gravity: with a standard deviation s of the tilt the scale is on
  /// average s^2 / 2 too high, which is taken out, and as uncertain again. The uncertainty of the mean
  /// comes from means over 16 parts, so that slow wandering counts.
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
