public import Actuators

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
  public var limits: DriveLimits
  /// The mass that moves with the actuator's case, in kilograms.
  public var mass: Double?
  /// How it is held: `free`, `phantom`, `hand`, as written.
  public var contact: String?
  /// The temperature in degrees Celsius.
  public var temperature: Double?

  /// Makes a description.
  public init(
    id: String, model: String, kind: ActuatorKind = .lra, channel: Int, limits: DriveLimits,
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
