// SPDX-License-Identifier: Apache-2.0

import Actuators
private import Glibc
import JSONText
import Perception

extension CalibrationProfile {
  /// Makes sure that the parts of a profile say the same of one actuator.
  ///
  /// A file that was damaged or put together from two reads well part by part; what drives by it would
  /// be wrong by as much as its parts differ.
  func checkConsistency(_ field: JSONField) throws(ProfileError) {
    guard (actuator.kind == .erm) == (model.kind == .erm) else {
      let kind = try field["actuator"]["kind"]
      throw kind.error(
        "\(kind.path) is '\(actuator.kind.rawValue)', but the model is of the kind '\(model.kind.rawValue)'"
      )
    }
    try checkLevels(try field["model"])
    try checkInverse(try field["feedForward"])
    try checkDrives(field)
    if let found = try field.member("verification") { try verification?.check(found, laws) }
  }

  /// The resonance at a level of drive is that of a small signal, somewhat moved.
  private func checkLevels(_ field: JSONField) throws(ProfileError) {
    guard let mode = model.modes.first else {
      guard model.levels.isEmpty else {
        throw try field["levels"].error("model.levels are there, but the model has no resonance")
      }
      return
    }
    for (level, element) in zip(model.levels, try field["levels"].elements()) {
      let numbers = [
        ("f0", level.mode.f0, mode.f0, 1.5), ("q", level.mode.q, mode.q, 4),
        ("gain", level.mode.gain, mode.gain, 4),
      ]
      for (key, found, small, factor) in numbers {
        let ratio = found.value / small.value
        try element[key]["value"].check(
          1 / factor <= ratio && ratio <= factor,
          "is \(found.value), but the model's is \(small.value): no drive moves it "
            + "that far")
      }
    }
  }

  /// The inverse undoes the model: it is the one that the model gives with the resonance that stands
  /// in the inverse's own numerator, which taps may have moved a little.
  private func checkInverse(_ field: JSONField) throws(ProfileError) {
    var shaped = model
    if let numerator = feedForward.sections.first?.numerator, numerator.c2 > 0,
      let mode = shaped.modes.first
    {
      let f0 = numerator.corner / (2 * .pi)
      let q = (numerator.c0 * numerator.c2).squareRoot() / numerator.c1
      try field["sections"].elements()[0]["numerator"].check(
        abs(log(f0 / mode.f0.value)) <= log(1.5) && abs(log(q / mode.q.value)) <= log(4),
        "is of a resonance at \(f0) Hz with a Q of \(q), but the model's is at "
          + "\(mode.f0.value) Hz with a Q of \(mode.q.value)")
      shaped.modes[0].f0.value = f0
      shaped.modes[0].q.value = q
      shaped.modes[0].gain.value *= q / mode.q.value
    }
    let expected =
      motorCurve.map { FeedForward(spinUpTime: $0.spinUpTime.value) }
      ?? FeedForward(inverting: shaped)
    guard let expected else {
      throw field.error("\(field.path) is there, but the model has no inverse")
    }
    try field["leak"].check(
      expected.leak / 4 <= feedForward.leak && feedForward.leak <= 4 * expected.leak,
      "is \(feedForward.leak) Hz, but that of the model's inverse is "
        + "\(expected.leak) Hz")
    for frequency in checkedFrequencies {
      let (own, other) = (
        feedForward.response(at: frequency), expected.response(at: frequency)
      )
      let decibels = 20 * log10(own.magnitude / other.magnitude)
      try field.check(
        abs(decibels) <= Self.inverseTolerance && cos(own.phase - other.phase) > 0.5,
        "gives \(own.magnitude) V at \(frequency) Hz for what takes "
          + "\(other.magnitude) V by the model\(cos(own.phase - other.phase) < -0.5 ? ", and the other way round" : "")"
          + ": it is not the inverse of this model")
    }
  }

  /// How far the inverse may be from the model's, in dB.
  private static let inverseTolerance = 3.0

  /// Where responses are compared: over what is felt, and well below and above it.
  private var checkedFrequencies: [Double] { [10, 20, 40, 80, 120, 160, 200, 250, 500, 1000] }

  /// What was reached stands within the limits of drive.
  private func checkDrives(_ field: JSONField) throws(ProfileError) {
    let peak = actuator.limits.peakVolts * (1 + 1e-6)
    for (level, element) in zip(model.levels, try field["model"]["levels"].elements())
    where level.drive > peak {
      let drive = try element["drive"]
      throw drive.error(
        "\(drive.path) is \(level.drive) V, more than the limit of \(actuator.limits.peakVolts) V")
    }
    if let motorCurve, let points = try field.member("motorCurve")?["points"] {
      for (point, element) in zip(motorCurve.points, try points.elements()) where point.volts > peak
      {
        let volts = try element["volts"]
        throw volts.error(
          "\(volts.path) is \(point.volts) V, more than the limit of \(actuator.limits.peakVolts) V"
        )
      }
    }
    guard model.kind != .erm else { return }
    for (point, element) in zip(ceiling.points, try field["ceiling"].elements()) {
      let volts = point.acceleration * feedForward.response(at: point.frequency).magnitude
      try element["acceleration"].check(
        volts <= Self.ceilingTolerance * peak,
        "is \(point.acceleration) m/s2, which by the inverse would take "
          + "\(volts) V, far more than the limit of \(actuator.limits.peakVolts) V")
    }
  }

  /// How much more voltage than there is a ceiling may seem to take: responses that grow with level, and
  /// resonances that move with it, take less than the inverse of a small signal says.
  private static let ceilingTolerance = 8.0
}

extension ProfileVerification {
  /// Makes sure that targets are those of the laws, and that the sums are those of the points.
  fileprivate func check(_ field: JSONField, _ laws: ProfileLaws) throws(ProfileError) {
    for (point, element) in zip(grid, try field["grid"].elements()) {
      let frequency = laws.sharpness.frequency(of: point.sharpness)
      try element["targetFrequency"].check(
        abs(point.targetFrequency / frequency - 1) < 1e-3,
        "is \(point.targetFrequency) Hz, but the laws ask for \(frequency) Hz")
      let level = laws.contour.sensationLevel(
        acceleration: laws.target.acceleration(intensity: point.intensity, frequency: frequency),
        at: frequency)
      try element["targetLevel"].check(
        abs(point.targetLevel - level) < 0.01,
        "is \(point.targetLevel) dB, but the laws ask for \(level) dB")
    }
    let inside = grid.filter(\.isInside)
    let levels = inside.map { $0.level - $0.targetLevel }
    let ratios = inside.map { $0.frequency / $0.targetFrequency }
    let sums = [
      ("level", level, Spread(of: levels)),
      ("frequency", frequency, Spread(of: ratios.map { $0 - 1 })),
      (
        "consistency", consistency,
        Spread(
          of: zip(levels, ratios).map {
            JustNoticeable.consistency(levelError: $0, frequencyRatio: $1)
          })
      ),
    ]
    for (key, found, expected) in sums {
      guard let found, let place = try field.member(key) else { continue }
      guard let expected, found.isNear(expected) else {
        throw place.error(
          "\(place.path) has an rms of \(found.rms), but the points inside add up to "
            + "\(expected.map { "\($0.rms)" } ?? "nothing")")
      }
    }
  }
}

extension ProfileVerification.Spread {
  fileprivate func isNear(_ other: Self) -> Bool {
    zip([rms, percentile95, greatest], [other.rms, other.percentile95, other.greatest])
      .allSatisfy { abs($0 - $1) <= 1e-6 * abs($1) + 1e-9 }
  }
}
