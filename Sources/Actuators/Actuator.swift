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

/// One physical actuator, what it bears and how it is mounted, as far as that is known.
public struct Actuator: Sendable, Equatable {
  /// The physical piece.
  public var id: String
  /// The type that its maker sells.
  public var model: String
  /// The kind, which decides how intent becomes drive.
  public var kind: ActuatorKind
  /// What its drive must never exceed.
  public var limits: DriveLimits
  /// The mass that moves with its case, in kilograms; `nil` where nobody gave one.
  public var mass: Double?
  /// How it is held: `free`, `phantom`, `hand`, as written.
  public var contact: String?
  /// Its temperature in degrees Celsius; `nil` where nobody gave one.
  public var temperature: Double?

  /// Makes an actuator.
  public init(
    id: String, model: String, kind: ActuatorKind = .lra, limits: DriveLimits,
    mass: Double? = nil, contact: String? = nil, temperature: Double? = nil
  ) {
    self.id = id
    self.model = model
    self.kind = kind
    self.limits = limits
    self.mass = mass
    self.contact = contact
    self.temperature = temperature
  }
}
