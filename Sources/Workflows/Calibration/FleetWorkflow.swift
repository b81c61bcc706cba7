import Actuators
import Bench
package import Profiles
import RunArchive

/// Gives the profiles of a folder one reference level.
package enum FleetWorkflow {
  package struct Outcome: Sendable {
    package let targeting: FleetTargeting
    package let isAsked: Bool
    package let written: [String]
    /// Whose profile has lost what was verified under another level.
    package let unproven: [String]
  }

  /// Without a reference it is the highest level that all reach; without `out` files are replaced.
  package static func execute(
    folder: String, reference: Double?, out: String?
  ) throws -> Outcome {
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
