package import ChangeDetection
private import Glibc
package import RunArchive

package struct HistoryQuestion: Sendable {
  package static let standardDays = 365

  package var rig: String
  package var plan: String
  package var days = Self.standardDays
  /// The last day; the newest night where it is `nil`.
  package var until: CalendarDay?
  /// The folder of the page that links to runs; `nil` for no links.
  package var pageFolder: String?
  /// Which series are shown, all where it is `nil`; the control's are looked at all the same.
  package var selection: SeriesSelection?

  package init(rig: String, plan: String) {
    self.rig = rig
    self.plan = plan
  }

  func isShown(_ key: SeriesKey) -> Bool { selection?.contains(key) ?? true }
}

package struct SeriesSelection: Sendable {
  package var actuator: String?
  /// The pattern; empty for readings of the whole run.
  package var pattern: String?
  /// A glob that names of readings match, such as `latency.*`.
  package var reading: String?

  package init(actuator: String? = nil, pattern: String? = nil, reading: String? = nil) {
    self.actuator = actuator
    self.pattern = pattern
    self.reading = reading
  }

  func contains(_ key: SeriesKey) -> Bool {
    (actuator ?? key.actuator) == key.actuator && (pattern ?? key.pattern) == key.pattern
      && (reading.map { fnmatch($0, key.reading, 0) == 0 } ?? true)
  }

  package var isNarrow: Bool { actuator != nil || pattern != nil || reading != nil }
}

/// The plans that an archive has runs of, on one rig.
package struct RigPlans: Sendable {
  private let rig: String
  package let plans: [String]

  /// Asks the archive; a rig that it does not have is refused with those that it has.
  package init(_ archive: Archive, rig: String) throws(ArchiveError) {
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
  package func plan(_ name: String?) throws(ArchiveError) -> String {
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
