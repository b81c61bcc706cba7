public import RunArchive

/// What a run is asked for, before anything of it is read.
public struct RunOrder: Sendable {
  /// Patterns, folders of them, or one plan.
  public var paths: [String]
  /// The rig.
  public var rig: RigChoice
  /// The folder that the run's folder is made in.
  public var folder: String
  /// How patterns are read.
  public var reading = PatternReading()
  /// The laws that intent becomes drive by.
  public var laws = RequestedLaws()
  /// A profile, a folder of profiles, or `none`; `nil` for what the plan says.
  public var profile: String?
  /// The actuator's id; `nil` for the plan's, or the rig's only one.
  public var actuator: String?
  /// How often each pattern is played; `nil` for what the plan says.
  public var repeats: Int?
  /// The archive that the run goes to; `nil` for the one beside its folder.
  public var archive: ArchiveLocation?
  /// What the run is made in, by name.
  public var environment: [String: String] = [:]

  /// Asks for patterns or a plan on a rig.
  public init(_ paths: [String], on rig: RigChoice, folder: String) {
    self.paths = paths
    self.rig = rig
    self.folder = folder
  }
}
