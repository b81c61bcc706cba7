import Profiles
import SignalAnalysis

/// What the profile of an earlier calibration says of the sensor's units.
///
/// A sensor that does not show gravity does not show its units either. Where the gain has changed by just
/// the factor between m/s2 and g, and the resonance has not, units are what changed.
extension Findings {
  /// Resonances closer than this are one actuator's, as a share.
  private static let sameResonance = 0.1
  /// How close to the factor a change must be, as a share.
  private static let sameFactor = 0.06
  /// Standard gravity in m/s2.
  private static let gravity = 9.80665

  /// Compares the gain of a model with the earlier one's.
  func checkEarlier(_ model: ActuatorModel) throws(CalibrationRefusal) {
    guard let earlier = subject.earlier?.model,
      let before = earlier.modes.first?.gain ?? earlier.piezoGain,
      let now = model.modes.first?.gain ?? model.piezoGain
    else { return }
    if let old = earlier.modes.first?.f0.value, let new = model.modes.first?.f0.value {
      guard abs(new / old - 1) < Self.sameResonance else { return }
    }
    try checkUnits(ratio: abs(now.value / before.value), what: "its gain")
  }

  /// The same of a motor: the acceleration at a speed.
  func checkEarlier(_ curve: MotorCurve) throws(CalibrationRefusal) {
    func force(_ point: MotorCurve.Point?) -> Double? {
      point.map { $0.acceleration / ($0.frequency * $0.frequency) }
    }
    guard let now = force(curve.points.last),
      let before = force(subject.earlier?.motorCurve?.points.last)
    else { return }
    try checkUnits(ratio: now / before, what: "its force")
  }

  private func checkUnits(ratio: Double, what: String) throws(CalibrationRefusal) {
    guard let earlier = subject.earlier, rest?.check.gravity.deviation == nil else { return }
    for (factor, times, remedy) in [
      (
        Self.gravity, "9.81 times",
        "m/s2 may be taken for g: divide the sensor's scale by 9.80665"
      ),
      (
        1 / Self.gravity, "1 / 9.81 of",
        "g may be taken for m/s2: multiply the sensor's scale by 9.80665"
      ),
    ] where abs(ratio / factor - 1) < Self.sameFactor {
      throw CalibrationRefusal(
        .sensorUnits,
        "\(what) is \(times) what the profile of \(earlier.source.date) says, and the sensor shows no "
          + "gravity to tell which is right: units mixed up, \(remedy), or remove the profile if it is "
          + "the one that is wrong")
    }
  }
}
