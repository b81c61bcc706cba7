import Units

/// What is looked at before the first take; what does not hold ends the run before it gives a number.
public struct SetupChecks: Sendable, Equatable {
  /// One thing to look at.
  public enum Check: String, Sendable, Hashable, CaseIterable {
    /// There is room for the recordings.
    case diskSpace = "disk-space"
    /// The actuator's temperature, as the rig file gives it, is in a range.
    case temperature
    /// The sensor is quiet while nothing is driven.
    case noiseFloor = "noise-floor"
    /// What the sensor reads at rest is gravity.
    case gravity
    /// The reference channel brings the markers back.
    case reference
    /// The response stands out of the noise when the actuator is driven.
    case response
    /// What the probe finds is the profile's actuator: looked at in every take of a run with a profile.
    case actuator
  }

  /// The most noise of the acceleration at rest, in m/s2 RMS.
  public var noiseFloor: Double?
  /// What the accelerometer reads at rest, in m/s2: of several axes the length of all together.
  public var gravity: Double?
  /// The coldest and the warmest actuator, in degrees Celsius.
  public var temperature: ClosedRange<Double>?
  /// Whether the reference has to bring the markers back.
  public var reference: Bool
  /// Whether the actuator has to answer.
  public var response: Bool
  /// Whether there has to be room for the recordings.
  public var diskSpace: Bool

  /// Makes checks.
  public init(
    noiseFloor: Double? = nil, gravity: Double? = nil, temperature: ClosedRange<Double>? = nil,
    reference: Bool = false, response: Bool = false, diskSpace: Bool = false
  ) {
    self.noiseFloor = noiseFloor
    self.gravity = gravity
    self.temperature = temperature
    self.reference = reference
    self.response = response
    self.diskSpace = diskSpace
  }

  /// Whether a check needs something to be played.
  public var needsTake: Bool { noiseFloor != nil || gravity != nil || reference || response }

  /// How far what is read at rest may be from gravity, in m/s2: 4 % of it, a tilt of 16 degrees.
  public static let gravityTolerance = 0.04 * MeasurementUnit.standardGravity.factor
}

/// What came of one check before the first take.
public struct SetupFinding: Sendable, Equatable {
  /// What was looked at.
  public var check: SetupChecks.Check
  /// Whether it holds.
  public var holds: Bool
  /// One sentence: what was found, what was expected, and what to do where it does not hold.
  public var sentence: String

  /// Makes a finding.
  public init(_ check: SetupChecks.Check, holds: Bool, _ sentence: String) {
    self.check = check
    self.holds = holds
    self.sentence = sentence
  }
}
