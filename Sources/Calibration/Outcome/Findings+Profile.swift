import Profiles

extension Findings {
  /// The model as far as it is identified.
  var model: ActuatorModel { ModelAssembly(findings: self).model }

  /// The inverse filter as taps have shaped it; nil before there is a model that can be inverted.
  var inverse: FeedForward? { ModelAssembly(findings: self).inverse }

  /// The profile as far as it is known; nil before there is an inverse.
  var profile: CalibrationProfile? { OutcomeAssembly(findings: self).profile }
}
