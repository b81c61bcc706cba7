import Actuators

extension CalibrationProfile {
  /// The shape of taps of a length in seconds: from their crest, or from zero where a slope is limited.
  public func tapShape(length: Double) -> TapShape { actuator.limits.tapShape(length: length) }
}
