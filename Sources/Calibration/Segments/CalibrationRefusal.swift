/// Why a calibration cannot go on; nothing is written.
package struct CalibrationRefusal: Error, Sendable, Equatable, CustomStringConvertible {
  package let code: Code
  /// One sentence: what, where, what was expected, and what to do.
  package let description: String

  package init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }

  /// The kinds of faults, by the names that a person is told in brackets.
  package enum Code: String, Sendable, Hashable, CaseIterable {
    /// The accelerometer does not change at all, or is not there.
    case sensorDead = "sensor.dead"
    case sensorClipped = "sensor.clipped"
    /// At rest the sensor shows more noise than can be calibrated through.
    case sensorNoise = "sensor.noise"
    case sensorHum = "sensor.hum"
    case sensorUnits = "sensor.units"
    case sensorPolarity = "sensor.polarity"
    /// The sensor is tilted, or its scale is wrong: gravity is not what its axes show.
    case sensorTilt = "sensor.tilt"
    /// The actuator moves along another axis than the first of the rig file.
    case sensorAxis = "sensor.axis"
    /// The sensor's clock is not of the rate that the rig file states.
    case sensorRate = "sensor.rate"
    /// Motion does not follow the drive: something is not fixed.
    case sensorLoose = "sensor.loose"
    case sensorMoved = "sensor.moved"
    case sensorFlip = "sensor.flip"
    case sensorComparison = "sensor.comparison"
    case actuatorDead = "actuator.dead"
    case actuatorStuck = "actuator.stuck"
    case actuatorKind = "actuator.kind"
    /// The drive is at its limit before anything can be felt.
    case actuatorLimit = "actuator.limit"
    case actuatorEndstop = "actuator.endstop"
    case actuatorDrift = "actuator.drift"
    case actuatorSwapped = "actuator.swapped"
    case actuatorRemounted = "actuator.remounted"
    case actuatorUnlike = "actuator.unlike"
    case amplifierClipping = "amplifier.clipping"
    case channelCrossed = "channel.crossed"
    case resonanceOutside = "resonance.outside"
    case referenceMissing = "reference.missing"
    case referenceNoise = "reference.noise"
    case referenceScale = "reference.scale"
    case referenceUnreached = "reference.unreached"
    case profileOther = "profile.other"
    case profileImplausible = "profile.implausible"
    /// A segment was played as often as it may be and could not be used.
    case disturbed

    /// Whether what the rig file says or what was asked for is wrong, and not what the devices do.
    package var isOfTheRigFile: Bool {
      switch self {
      case .sensorUnits, .sensorPolarity, .sensorRate, .actuatorLimit, .referenceUnreached,
        .profileOther:
        true
      default: false
      }
    }
  }
}
