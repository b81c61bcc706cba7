import Profiles
import SignalAnalysis
import Units

extension CalibrationProcedure {
  /// Compares the gain with that of the profile which an earlier calibration left.
  ///
  /// A sensor that does not show gravity does not show its units either. Where the gain has changed by just
  /// the factor between m/s2 and g, and the resonance has not, units are what changed.
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
  func checkEarlierMotor(_ curve: MotorCurve) throws(CalibrationRefusal) {
    func force(_ point: MotorCurve.Point?) -> Double? {
      point.map { $0.acceleration / ($0.frequency * $0.frequency) }
    }
    guard let now = force(curve.points.last),
      let before = force(subject.earlier?.motorCurve?.points.last)
    else { return }
    try checkUnits(ratio: now / before, what: "its force")
  }

  private func checkUnits(ratio: Double, what: String) throws(CalibrationRefusal) {
    guard let earlier = subject.earlier, knowledge.rest?.gravity.deviation == nil else { return }
    let standard = 9.80665
    for (factor, times, remedy) in [
      (standard, "9.81 times", "m/s2 may be taken for g: divide the sensor's scale by 9.80665"),
      (
        1 / standard, "1 / 9.81 of",
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

  /// Resonances closer than this are one actuator's, as a share.
  private static var sameResonance: Double { 0.1 }
  /// How close to the factor a change must be, as a share.
  private static var sameFactor: Double { 0.06 }

  /// Keeps the response to a segment that was shaken at a time, and is played again.
  ///
  /// Blows fall at any time; what shakes at the same time again is looked at like all that repeats.
  mutating func remember(_ capture: Capture, blow: Double) throws(CalibrationRefusal) {
    if let last = knowledge.record?.blow, abs(last - blow) < Self.sameTime {
      _ = try answersAlike(capture, at: blow)
    } else {
      knowledge.record = RepeatedRecord(
        output: capture.output(along: knowledge.weights),
        differences: knowledge.record?.differences ?? 0)
    }
    knowledge.record?.blow = blow
  }

  /// Within how many seconds two blows are at the same time of a segment.
  private static let sameTime = 0.1

  /// Whether a segment in trouble answered alike when it was played before.
  ///
  /// False where it must be played again to tell. Throws where three records in a row differ.
  mutating func answersAlike(
    _ capture: Capture, at time: Double? = nil
  ) throws(CalibrationRefusal) -> Bool {
    let output = capture.output(along: knowledge.weights)
    var record = RepeatedRecord(output: output)
    defer { knowledge.record = record }
    guard let before = knowledge.record else { return false }
    let frame = time.map { capture.lead + Int(capture.rate.frames($0)) }
    let share = RepeatedRecord.difference(
      before.output, output, rate: capture.rate, noise: knowledge.noise, around: frame)
    guard share > RepeatedRecord.sameMotion else { return true }
    record.differences = before.differences + 1
    guard record.differences >= 2 else { return false }
    let strongest = output.reduce(0) { max($0, abs(Double($1))) }
    throw CalibrationRefusal(
      .sensorLoose,
      "\(text(100 * share)) % of the motion at up to \(text(strongest)) m/s2 is another each time the same is "
        + "played, while fainter motion follows the drive: the sensor is loose above a level, or the "
        + "moving mass strikes something; fix the sensor and the actuator to the same mass")
  }

  /// Refuses an actuator that hangs on the reference's output.
  func checkReferenceWire(
    following response: (Double) -> Complex, band: ClosedRange<Double>
  ) throws(CalibrationRefusal) {
    guard
      knowledge.markers?.isActuator(following: response, along: knowledge.weights, band: band)
        == true
    else { return }
    throw CalibrationRefusal(
      .channelCrossed,
      "the actuator moves while only the reference is driven: it is wired to the reference's output "
        + "instead of its own channel; swap the wires, or correct the channels in the rig file")
  }
}
