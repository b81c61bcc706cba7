public import Profiles

extension CalibrationProcedure {
  /// The model as far as it is identified; nil before the sweeps are done, and for a motor.
  public var identified: ActuatorModel? {
    guard knowledge.limit != nil || knowledge.piezo != nil else { return nil }
    return ModelAssembly(subject: subject, knowledge: knowledge).model
  }

  /// The profile as far as it is known; nil before the model is.
  public var preview: CalibrationProfile? {
    OutcomeAssembly(subject: subject, knowledge: knowledge).profile
  }
}
