public import Actuators

/// What a calibration found out about one actuator, and what makes it feel like every other.
public struct CalibrationProfile: Sendable, Equatable {
  /// The actuator that was calibrated, as it was mounted, with the limits that were kept, never wider
  /// than the rig's.
  public var actuator: Actuator
  /// The rig that it was calibrated on.
  public var rig: String
  /// What it does with its drive.
  public var model: ActuatorModel
  /// The inverse of the model: wanted acceleration to volts.
  public var feedForward: FeedForward
  /// What inverse and model leave to correct.
  public var correction: ResponseCorrection
  /// What taps take besides, as they were found to come out; empty where that was not measured.
  public var tapCorrection: ResponseCorrection
  /// The strongest steady vibrations.
  public var ceiling: ReachableCeiling
  /// The curve of an eccentric rotating mass; nil for all other kinds.
  public var motorCurve: MotorCurve?
  /// What intensity and sharpness mean.
  public var laws: ProfileLaws
  /// How the actuator was measured, besides what is said of the actuator itself.
  public var conditions: ProfileConditions
  /// The sensor's noise at rest over the band that is felt, in m/s2 rms; nil where it was not kept.
  public var noise: MeasuredQuantity?
  /// What was achieved; nil for a profile that was re-targeted and not measured since.
  public var verification: ProfileVerification?
  /// How well accelerations are known.
  public var uncertainty: UncertaintyBudget
  /// What the profile was made from.
  public var source: ProfileSource

  /// Makes a profile.
  public init(
    actuator: Actuator, rig: String, model: ActuatorModel, feedForward: FeedForward,
    correction: ResponseCorrection = .none, tapCorrection: ResponseCorrection = .none,
    ceiling: ReachableCeiling,
    motorCurve: MotorCurve? = nil, laws: ProfileLaws,
    conditions: ProfileConditions = ProfileConditions(), noise: MeasuredQuantity? = nil,
    verification: ProfileVerification? = nil, uncertainty: UncertaintyBudget,
    source: ProfileSource
  ) {
    self.actuator = actuator
    self.rig = rig
    self.model = model
    self.feedForward = feedForward
    self.correction = correction
    self.tapCorrection = tapCorrection
    self.ceiling = ceiling
    self.motorCurve = motorCurve
    self.laws = laws
    self.conditions = conditions
    self.noise = noise
    self.verification = verification
    self.uncertainty = uncertainty
    self.source = source
  }
}

/// What a profile was made from.
public struct ProfileSource: Sendable, Hashable {
  /// The identifier of the run.
  public var run: String
  /// The SHA-256 of the run's record, in hexadecimal digits.
  public var hash: String
  /// The version of the program.
  public var program: String
  /// The date, as it was given.
  public var date: String

  /// Makes a source.
  public init(run: String, hash: String, program: String, date: String) {
    self.run = run
    self.hash = hash
    self.program = program
    self.date = date
  }
}

/// How an actuator was measured: outside of these conditions a profile's numbers are not proven.
public struct ProfileConditions: Sendable, Equatable {
  /// The axis that was measured.
  public var axis: String?
  /// How sensor and actuator were fixed.
  public var mount: String?
  /// What the actuator was driven from, as far as Q depends on it.
  public var source: String?

  /// Makes conditions.
  public init(axis: String? = nil, mount: String? = nil, source: String? = nil) {
    self.axis = axis
    self.mount = mount
    self.source = source
  }

  /// The axes as a set; nil where they are not known or are not called x, y and z.
  var axes: Set<String>? {
    let names = Set((axis ?? "").lowercased().split(separator: " ").map(String.init))
    return names.isEmpty || !names.isSubset(of: ["x", "y", "z"]) ? nil : names
  }
}

extension CalibrationProfile {
  /// The shape of taps of a length in seconds: from their crest, or from zero where a slope is limited.
  public func tapShape(length: Double) -> TapShape { actuator.limits.tapShape(length: length) }
}
