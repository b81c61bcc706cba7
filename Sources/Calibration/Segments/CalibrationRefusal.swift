/// Why a calibration cannot go on; nothing is written.
public struct CalibrationRefusal: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kind of the fault.
  public let code: Code
  /// One sentence: what, where, what was expected, and what to do.
  public let description: String

  /// Makes a refusal.
  public init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }

  /// The kinds of faults, by the names that a person is told in brackets.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// The accelerometer does not change at all, or is not there.
    case sensorDead = "sensor.dead"
    /// The acceleration is beyond the sensor's range.
    case sensorClipped = "sensor.clipped"
    /// At rest the sensor shows more noise than can be calibrated through.
    case sensorNoise = "sensor.noise"
    /// At rest the sensor shows the mains.
    case sensorHum = "sensor.hum"
    /// g is taken for m/s2, or m/s2 for g.
    case sensorUnits = "sensor.units"
    /// An axis shows gravity with the wrong sign.
    case sensorPolarity = "sensor.polarity"
    /// The sensor is tilted, or its scale is wrong: gravity is not what its axes show.
    case sensorTilt = "sensor.tilt"
    /// The actuator moves along another axis than the first of the rig file.
    case sensorAxis = "sensor.axis"
    /// The sensor's clock is not of the rate that the rig file states.
    case sensorRate = "sensor.rate"
    /// Motion does not follow the drive: something is not fixed.
    case sensorLoose = "sensor.loose"
    /// The sensor did not lie still while it was compared.
    case sensorMoved = "sensor.moved"
    /// Turned over, the sensor did not show gravity the other way round.
    case sensorFlip = "sensor.flip"
    /// The sensor does not follow the one that it is compared with.
    case sensorComparison = "sensor.comparison"
    /// Nothing moves, or no longer.
    case actuatorDead = "actuator.dead"
    /// Current flows and nothing moves.
    case actuatorStuck = "actuator.stuck"
    /// The actuator is of another kind than the rig file says.
    case actuatorKind = "actuator.kind"
    /// The drive is at its limit before anything can be felt.
    case actuatorLimit = "actuator.limit"
    /// The moving mass strikes its end stop at small drives.
    case actuatorEndstop = "actuator.endstop"
    /// The actuator changed while it was calibrated.
    case actuatorDrift = "actuator.drift"
    /// This is another actuator than the calibration began with.
    case actuatorSwapped = "actuator.swapped"
    /// Mounted again, the actuator is not what it was.
    case actuatorRemounted = "actuator.remounted"
    /// The actuator does not do the same twice.
    case actuatorUnlike = "actuator.unlike"
    /// The amplifier gives less than it is asked for.
    case amplifierClipping = "amplifier.clipping"
    /// The drive reaches the actuator by another channel.
    case channelCrossed = "channel.crossed"
    /// The resonance is outside of the band that is looked at.
    case resonanceOutside = "resonance.outside"
    /// The captured reference does not carry the drive.
    case referenceMissing = "reference.missing"
    /// The captured reference is too noisy to tell time by.
    case referenceNoise = "reference.noise"
    /// The captured reference is not of the scale that the rig file states.
    case referenceScale = "reference.scale"
    /// The reference level that was asked for is reached nowhere.
    case referenceUnreached = "reference.unreached"
    /// The profile is of another actuator than the one on the rig.
    case profileOther = "profile.other"
    /// What was measured makes no profile that drives.
    case profileImplausible = "profile.implausible"
    /// A segment was played as often as it may be and could not be used.
    case disturbed

    /// Whether what the rig file says or what was asked for is wrong, and not what the devices do.
    public var isOfTheRigFile: Bool {
      switch self {
      case .sensorUnits, .sensorPolarity, .sensorRate, .actuatorLimit, .referenceUnreached,
        .profileOther:
        true
      default: false
      }
    }
  }
}
