/// The kinds of actuator.
public enum ActuatorKind: String, Sendable, Hashable, CaseIterable {
  /// Linear resonant actuator: a tone near its resonance.
  case lra
  /// Voice coil: a tone over a wide band.
  case vcm
  /// Eccentric rotating mass: a voltage that sets its speed; the drive is the intent's envelope.
  case erm
  /// Piezo: a tone over a wide band.
  case piezo
}
