import Actuators
import Bench
public import Profiles
import RunArchive

/// Gives the profiles of a folder one reference level.
public struct FleetWorkflow: Sendable {
  private let folder: String
  private let reference: Double?
  private let out: String?

  /// Names the fleet.
  ///
  /// - Parameters:
  ///   - folder: The folder of its profiles.
  ///   - reference: The level that is asked for; `nil` for the highest that all reach.
  ///   - out: The folder that profiles go to; `nil` writes them where they are.
  public init(folder: String, reference: Double?, out: String?) {
    self.folder = folder
    self.reference = reference
    self.out = out
  }

  /// What became of a fleet.
  public struct Outcome: Sendable {
    /// The level, and what each gives up for it.
    public let targeting: FleetTargeting
    /// Whether the level was asked for.
    public let isAsked: Bool
    /// The profiles that were written.
    public let written: [String]
    /// Whose profile has lost what was verified under another level.
    public let unproven: [String]
  }

  /// Finds the level, and writes the profiles anew.
  public func execute() throws -> Outcome {
    let profiles = try ProfileFolder(path: folder).files().map { try LoadedProfile(file: $0) }
    let targeting: FleetTargeting
    do {
      targeting = try FleetTargeting(profiles.map(\.profile), reference: reference)
    } catch {
      throw InputError("\(folder): \(error)")
    }
    let level = targeting.referenceLevel
    if let out { try Folder.make(out) }
    // Into another folder goes the whole fleet, what has the level already too.
    let changed = profiles.filter { out != nil || $0.profile.laws.referenceLevel != level }
    let files = changed.map { loaded in
      (
        text: loaded.profile.retargeted(to: level).text,
        path: out.map { ProfileFolder(path: $0).file(named: loaded.path) } ?? loaded.path
      )
    }
    try AtomicFile.write(files)
    let unproven = profiles.filter {
      $0.profile.laws.referenceLevel != level && $0.profile.verification != nil
    }.map(\.profile.actuator.id)
    return Outcome(
      targeting: targeting, isAsked: reference != nil, written: files.map(\.path),
      unproven: unproven)
  }
}
