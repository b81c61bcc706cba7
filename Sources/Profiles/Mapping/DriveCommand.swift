/// What an actuator is asked to do for one intensity and sharpness.
public struct DriveCommand: Sendable, Equatable {
  /// How far the command stands from what the laws ask for.
  public struct Mapping: Sendable, Equatable {
    /// How far the frequency was moved, in octaves; below 0 for down.
    public var octaves: Double
    /// How much weaker it is than asked, in dB; below 0 for stronger.
    public var decibels: Double
    /// Both together in just noticeable differences.
    public var consistency: Double

    /// The actuator does what the laws ask for, to a quarter of a just noticeable difference.
    public var isInside: Bool { consistency <= 0.25 }

    /// Nothing had to be moved.
    public static let exact = Mapping(octaves: 0, decibels: 0, consistency: 0)
  }

  /// The frequency, in hertz; for a rotating mass its speed.
  public var frequency: Double
  /// The peak acceleration that is to be felt, in m/s2, after mapping.
  public var wanted: Double
  /// What the inverse filter is fed with: m/s2, for a rotating mass volts.
  public var command: Double
  /// The peak voltage once the vibration is steady, at the actuator.
  public var volts: Double
  /// The level that the laws ask for, in dB above threshold.
  public var targetLevel: Double
  /// The frequency that the laws ask for, in hertz.
  public var targetFrequency: Double
  /// What mapping did to the target.
  public var mapping: Mapping

  /// Nothing: intensity 0.
  static func silence(frequency: Double) -> DriveCommand {
    DriveCommand(
      frequency: frequency, wanted: 0, command: 0, volts: 0, targetLevel: -.infinity,
      targetFrequency: frequency, mapping: .exact)
  }
}
