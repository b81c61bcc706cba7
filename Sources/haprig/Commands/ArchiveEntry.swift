// SPDX-License-Identifier: Apache-2.0

import Acceptance
import ArgumentParser
import Calibration
import Devices
import JSONText
import Paths
import Reporting
import RunArchive
import Workflows

/// A line of `haprig archive list`.
struct ArchiveEntry {
  enum Kind: String, CaseIterable, ExpressibleByArgument {
    /// Patterns that were played and measured.
    case run
    /// Results that came in tables.
    case imported
    /// What became a profile.
    case calibration
    /// Whether an actuator has drifted from its profile.
    case check
  }

  let kind: Kind
  /// The folder in the archive; of a check the log that it stands in.
  let name: String
  let began: Moment
  let rig: String
  let verdict: Verdict?
  let json: JSONValue
  private let plan: String?
  private let actuator: String
  private let readings: Int?

  init(_ run: ArchivedRun, imported: String?) {
    kind = imported == nil ? .run : .imported
    (name, began, rig, plan, actuator) = (run.id, run.started, run.rig, run.plan, run.actuator)
    verdict = run.verdict
    readings = run.readings
    json = .object(of: [
      "kind": kind.rawValue, "id": run.id, "rig": run.rig, "actuator": run.actuator,
      "plan": run.plan, "began": run.started.description, "status": run.status.rawValue,
      "verdict": run.verdict.rawValue, "software": run.software, "readings": run.readings,
      "record": run.recordHash, "revision": run.revision,
      "place": run.place.isEmpty ? nil : run.place, "imported": imported,
    ])
  }

  init(_ one: ArchivedCalibration) {
    kind = .calibration
    (name, began, rig, plan, actuator) = (one.id, one.started, one.rig, nil, one.actuator)
    verdict = one.verdict
    readings = nil
    json = .object(of: [
      "kind": kind.rawValue, "id": one.id, "rig": one.rig, "actuator": one.actuator,
      "began": one.started.description, "verdict": one.verdict.rawValue, "software": one.software,
      "certificate": one.hash, "place": one.place.isEmpty ? nil : one.place,
    ])
  }

  private init?(_ check: CheckLog.Entry, of actuator: String, in log: String) {
    guard let began = Moment(check.date) else { return nil }
    let findings = check.outcome.findings
    let verdict: Verdict =
      check.outcome.hasDrifted
      ? .fail : findings.allSatisfy { $0.verdict == .unknown } ? .notMeasured : .pass
    kind = .check
    (name, self.began, rig, plan) = (log, began, check.rig, nil)
    self.actuator = actuator
    self.verdict = verdict
    readings = findings.count
    json = .object(of: [
      "kind": kind.rawValue, "log": log, "rig": check.rig, "actuator": actuator,
      "began": began.description, "verdict": verdict.rawValue, "software": check.program,
      "readings": findings.count, "calibration": check.calibration,
    ])
  }

  /// What entries have in common of which only the latest is asked for.
  var series: [String] { [plan == nil ? kind.rawValue : "", rig, plan ?? actuator] }

  /// The checks that are kept beside the profiles of a folder; none where there is no such folder.
  static func checks(beside folder: String) throws -> [ArchiveEntry] {
    let suffix = ".checks.jsonl"
    let names = (try? Folder.names(in: folder)) ?? []
    return try names.filter { $0.hasSuffix(suffix) }.flatMap { name in
      let actuator = String(name.dropLast(suffix.count))
      let log = FilePath.join(folder, name)
      return try CheckLog(profile: FilePath.join(folder, actuator + ".json")).entries()
        .compactMap { ArchiveEntry($0, of: actuator, in: log) }
    }
  }

  static func table(_ entries: [ArchiveEntry]) -> String {
    let rows = entries.map { entry in
      [
        entry.kind.rawValue, entry.name, entry.began.description, entry.rig, entry.plan ?? "-",
        // Nobody judged what was imported.
        entry.kind == .imported ? "-" : entry.verdict?.rawValue ?? "-",
        entry.readings.map(String.init) ?? "-",
      ].map(\.printable)
    }
    return TextTable(
      head: ["kind", "run", "began", "rig", "plan", "verdict", "readings"], rows: rows
    ).text
  }
}
