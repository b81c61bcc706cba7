/// An actuator on a rig: the device under test.
public struct ActuatorDescription: Sendable, Equatable {
  /// The physical piece.
  public var id: String
  /// The type.
  public var model: String
  /// What kind of motor it is, which decides how intent becomes drive.
  public var kind: ActuatorKind
  /// The device's drive channel, counted from 1.
  public var channel: Int
  /// What the drive must never exceed.
  public var limits: ActuatorLimits
  /// The mass that moves with the actuator's case, in kilograms.
  public var mass: Double?
  /// How it is held: `free`, `phantom`, `hand`, as written.
  public var contact: String?
  /// The temperature in degrees Celsius.
  public var temperature: Double?

  /// Makes a description.
  public init(
    id: String, model: String, kind: ActuatorKind = .lra, channel: Int, limits: ActuatorLimits,
    mass: Double? = nil, contact: String? = nil, temperature: Double? = nil
  ) {
    self.id = id
    self.model = model
    self.kind = kind
    self.channel = channel
    self.limits = limits
    self.mass = mass
    self.contact = contact
    self.temperature = temperature
  }
}

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

/// What an actuator bears.
///
/// The rig file is the master; a profile may only be narrower.
public struct ActuatorLimits: Sendable, Equatable {
  /// The effective voltage that it bears for ever, in volts.
  public var continuousVolts: Double
  /// The highest voltage at any moment, in volts.
  public var peakVolts: Double
  /// The fastest change of voltage, in volts a second, where there is one.
  public var slope: Double?
  /// The time over which the effective voltage is averaged, in seconds.
  public var thermalTime: Double

  /// Makes limits.
  public init(
    continuousVolts: Double, peakVolts: Double, slope: Double? = nil, thermalTime: Double = 1
  ) {
    self.continuousVolts = continuousVolts
    self.peakVolts = peakVolts
    self.slope = slope
    self.thermalTime = thermalTime
  }
}
