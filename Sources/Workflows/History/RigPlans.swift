// SPDX-License-Identifier: Apache-2.0

import Reporting
package import RunArchive

package struct RigPlans: Sendable {
  private let rig: String
  package let plans: [String]

  package init(_ archive: Archive, rig: String) throws(ArchiveError) {
    let latest = try archive.latestRuns()
    let rigs = Set(latest.map(\.rig)).sorted()
    guard !rigs.isEmpty else {
      throw ArchiveError(
        path: archive.location.description,
        message: Self.noRun)
    }
    guard rigs.contains(rig) else {
      throw ArchiveError(
        path: archive.location.description,
        message:
          "the archive has no run of the rig '\(rig)'; it has runs of \(Count.list(rigs, atMost: 12))"
      )
    }
    self.rig = rig
    plans = latest.filter { $0.rig == rig }.map(\.plan)
  }

  /// The rigs of an archive that a pattern such as `coin-*` matches, all where there is none, by name; at least one.
  ///
  /// A name without wildcards is given back whether it is there or not: who reads of it says what is.
  package static func rigs(
    in archive: Archive, matching pattern: String?
  ) throws(ArchiveError) -> [String] {
    let all = Set(try archive.latestRuns().map(\.rig)).sorted()
    if let pattern, all.contains(pattern) || !Glob.isWide(pattern) {
      return [pattern]
    }
    let own = all.filter { Glob.matches(pattern, $0) }
    guard own.isEmpty else { return own }
    throw ArchiveError(
      path: archive.location.description,
      message: all.isEmpty
        ? Self.noRun
        : "no rig is called '\(pattern ?? "*")'; there are \(Count.list(all, atMost: 12))")
  }

  /// The rig that is named, else the only one that an archive has runs of.
  package static func rig(_ name: String?, in archive: Archive) throws(ArchiveError) -> String {
    if let name { return name }
    let all = Set(try archive.latestRuns().map(\.rig)).sorted()
    guard all.count != 1 else { return all[0] }
    throw ArchiveError(
      path: all.isEmpty ? archive.location.description : "--rig",
      message: all.isEmpty
        ? noRun : "the archive has runs of \(Count.list(all, atMost: 12)): name one")
  }

  private static let noRun = "the archive holds no run: haprig run makes the first"

  package func plan(_ name: String?) throws(ArchiveError) -> String {
    guard let name else {
      guard plans.count == 1 else {
        throw ArchiveError(
          path: "--plan",
          message: "the rig '\(rig)' has runs of \(Count.list(plans, atMost: 12)): name one")
      }
      return plans[0]
    }
    guard plans.contains(name) else {
      throw ArchiveError(
        path: "--plan",
        message:
          "the rig '\(rig)' has no run of the plan '\(name)', but of \(Count.list(plans, atMost: 12))"
      )
    }
    return name
  }
}
