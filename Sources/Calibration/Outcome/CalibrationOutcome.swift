public import Profiles

/// What a calibration ends with.
public struct CalibrationOutcome: Sendable, Equatable {
  /// The profile; the hash of its source is empty, for whoever keeps the recordings to fill in.
  public var profile: CalibrationProfile
  /// What a person should know: one sentence each.
  public var notes: [String]
  /// The curves for a certificate.
  public var figures: CalibrationFigures

  /// Makes an outcome.
  public init(profile: CalibrationProfile, notes: [String], figures: CalibrationFigures) {
    self.profile = profile
    self.notes = notes
    self.figures = figures
  }
}
