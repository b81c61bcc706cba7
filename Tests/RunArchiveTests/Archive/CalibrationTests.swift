// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Glibc
import ScratchFolder
import Testing

@testable import RunArchive

/// Calibrations lie among the runs and are found like them, without ever being one.
struct CalibrationTests {
  /// Writes what the index reads of a calibration's folder.
  private func write(
    _ name: String, in archive: StoreArchive, goals: [String], actuator: String = "lra-1"
  ) throws {
    let folder = archive.path + "/" + name
    try Folder.make(folder)
    let list = goals.map { "{\"verdict\": \"\($0)\"}" }.joined(separator: ", ")
    try AtomicFile.write(
      """
      {"schema": "haprig-certificate", "goals": [\(list)], "profile": {
        "actuator": {"id": "\(actuator)"}, "source": {"program": "haprig 9"}}}
      """, to: folder + "/certificate.json")
  }

  @Test(arguments: Store.available)
  func `calibrations are indexed apart from runs`(store: Store) throws {
    let archive = try store.archive()
    try SampleRun(id: "run").write(to: archive.path)
    try write(
      "20261121-095150-bench-1-calibrate-lra-1", in: archive, goals: ["meets", "limited"])
    try write("20261122-095150-bench-2-calibrate-lra-1", in: archive, goals: ["meets", "misses"])
    try write("no-moment-calibrate-lra-1", in: archive, goals: ["meets"])
    let found = try answers(of: archive.open())
    let account = try Archive.rebuild(archive.location).update
    #expect(account.added == 1 && account.calibrations == 2 && account.removed.isEmpty)
    #expect(try archive.open().calibrations() == found)
  }

  /// What an archive says of its calibrations; it is closed afterwards, so that its index can be replaced.
  private func answers(of opened: Archive) throws -> [ArchivedCalibration] {
    #expect(try opened.runs().map(\.id) == ["run"] && opened.latestRuns().count == 1)
    let found = try opened.calibrations()
    #expect(found.map(\.rig) == ["bench-2", "bench-1"])
    #expect(found.map(\.verdict) == [.fail, .marginal])
    #expect(found.last?.started.description == "2026-11-21T09:51:50Z")
    #expect(found.last?.actuator == "lra-1" && found.last?.software == "haprig 9")
    #expect(try opened.calibrations(rig: "bench-1").map(\.id) == [found.last?.id])
    #expect(try opened.calibrations(limit: 1) == [found.first])
    return found
  }

  @Test(arguments: Store.available)
  func `a calibration that is gone is told until it is forgotten`(store: Store) throws {
    let archive = try store.archive()
    let name = "20261121-095150-bench-1-calibrate-lra-1"
    try write(name, in: archive, goals: ["meets"])
    #expect(try archive.open().verify().isSound)
    Folder.remove(archive.path + "/" + name)
    let findings = try archive.open().verify().findings.map(\.description)
    #expect(findings.count == 1 && findings[0].hasPrefix("missing: \(name): the calibration"))
    #expect(try archive.open().calibrations().count == 1)
    #expect(try Archive.rebuild(archive.location).update.removed == [name])
    #expect(try archive.open().calibrations().isEmpty)
  }
}
