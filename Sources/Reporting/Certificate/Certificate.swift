public import Calibration
import Perception
public import Profiles

/// What a calibration found, on one page and as numbers: the actuator's certificate.
///
/// Equal parts give equal bytes.
public struct Certificate: Sendable {
  /// A file that the calibration rests on.
  public struct File: Sendable, Equatable {
    /// The file's name in the run's folder.
    public let name: String
    /// The SHA-256 of its bytes, in hexadecimal digits.
    public let hash: String

    /// Makes a file.
    public init(name: String, hash: String) {
      self.name = name
      self.hash = hash
    }
  }

  /// One thing that a reader should know of how it was measured, such as the sensor.
  public struct Fact: Sendable, Equatable {
    /// What it is.
    public let name: String
    /// What is to be said of it.
    public let value: String

    /// Makes a fact.
    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// What the calibration ended with.
  public let profile: CalibrationProfile
  /// What a person should know: one sentence each.
  public let notes: [String]
  /// The measured curves.
  public let figures: CalibrationFigures
  /// The computer that measured.
  public let host: String
  /// The recordings, in the order of measurement.
  public let recordings: [File]
  /// How it was measured, beyond what profile and figures say.
  public let method: [Fact]
  /// What was aimed at, and what came of it.
  let goals: [CalibrationGoal]
  /// What the profile makes of the grid of intensity and sharpness.
  let table: DriveSheet

  /// Makes a certificate; some thousand evaluations of the profile.
  ///
  /// - Parameters:
  ///   - profile: The profile, its source signed.
  ///   - notes: What a person should know: one sentence each.
  ///   - figures: The measured curves; what is missing is left out.
  ///   - host: The computer that measured.
  ///   - recordings: The files that the profile was made from.
  ///   - method: What else is known of how it was measured: sensor, reference, sweeps.
  public init(
    profile: CalibrationProfile, notes: [String], figures: CalibrationFigures, host: String,
    recordings: [File], method: [Fact] = []
  ) {
    self.profile = profile
    self.notes = notes
    self.figures = figures
    self.host = host
    self.recordings = recordings
    self.method = method
    goals = CalibrationGoal.all(profile: profile, figures: figures)
    table = DriveSheet(profile)
  }
}
