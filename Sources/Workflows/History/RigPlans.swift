public import RunArchive

/// The plans that an archive has runs of, on one rig.
public struct RigPlans: Sendable {
  private let rig: String
  /// Their names.
  public let plans: [String]

  /// Asks the archive; a rig that it does not have is refused with those that it has.
  public init(_ archive: Archive, rig: String) throws(ArchiveError) {
    let latest = try archive.latestRuns()
    let rigs = Set(latest.map(\.rig)).sorted()
    guard !rigs.isEmpty else {
      throw ArchiveError(
        path: archive.location.description,
        message: "the archive holds no run: haprig run --out makes the first")
    }
    guard rigs.contains(rig) else {
      throw ArchiveError(
        path: archive.location.description,
        message:
          "the archive has no run of the rig '\(rig)'; it has runs of \(Self.list(rigs))")
    }
    self.rig = rig
    plans = latest.filter { $0.rig == rig }.map(\.plan)
  }

  /// The plan of this name, or the only one.
  public func plan(_ name: String?) throws(ArchiveError) -> String {
    guard let name else {
      guard plans.count == 1 else {
        throw ArchiveError(
          path: "--plan", message: "the rig '\(rig)' has runs of \(Self.list(plans)): name one")
      }
      return plans[0]
    }
    guard plans.contains(name) else {
      throw ArchiveError(
        path: "--plan",
        message: "the rig '\(rig)' has no run of the plan '\(name)', but of \(Self.list(plans))")
    }
    return name
  }

  private static func list(_ names: [String]) -> String {
    names.prefix(12).joined(separator: ", ")
      + (names.count > 12 ? " and \(names.count - 12) more" : "")
  }
}
