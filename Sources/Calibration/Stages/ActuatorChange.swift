import SignalAnalysis

/// How far an actuator may move: noticed, a drift, and another actuator.
enum ActuatorChange {
  static let noticed = Movement(frequency: 0.0005, q: 0.01, gain: 0.003)
  static let drift = Movement(frequency: 0.008, q: 0.15, gain: 0.06)
  static let other = Movement(frequency: 0.02, q: 0.3, gain: 0.15)
  /// Standard deviations that are noise.
  static let noise = 4.0
  /// The share by which a piezo's gain may change.
  static let piezo = 0.15
  /// The shares by which resonance and gain may differ after mounting.
  static let mounting = (frequency: 0.03, gain: 0.2)
}

extension Movement {
  /// Whether a part of it is larger than another's.
  func exceeds(_ other: Movement) -> Bool {
    frequency > other.frequency || gain > other.gain || q > other.q
  }
}

extension Findings {
  /// Compares a closing sweep with the first of its kind.
  mutating func checkIdentity(
    of closing: SweepReading
  ) throws(CalibrationRefusal) {
    guard let before = sweeps.earlier(than: closing) else { return }
    func change(_ part: (ModalModel.Mode) -> Estimate) -> Double {
      part(closing.mode).value / part(before.mode).value - 1
    }
    let moved = movement(to: closing, beyond: ActuatorChange.noise)
    let found =
      "its resonance went from \(text(before.mode.frequency.value)) to "
      + "\(text(closing.mode.frequency.value)) Hz, its Q changed by \(text(100 * change(\.q))) % and its "
      + "gain by \(text(100 * change(\.gain))) %"
    if moved.exceeds(ActuatorChange.other), !isDrifting(to: closing) {
      throw CalibrationRefusal(
        .actuatorSwapped,
        "this is not the actuator that the calibration began with: \(found); begin again with one "
          + "actuator that stays fixed")
    }
    if moved.exceeds(ActuatorChange.drift) {
      throw CalibrationRefusal(
        .actuatorDrift,
        "the actuator drifted while it was calibrated: \(found); let it come to a steady temperature "
          + "and begin again")
    }
    if moved.exceeds(ActuatorChange.noticed) {
      notes.append("During the calibration \(found); that is part of the stated uncertainty.")
    }
  }
}
