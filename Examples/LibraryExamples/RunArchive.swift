// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Foundation
import RunArchive

func runArchive() throws {
  // An archive of its own, with the run that comes with haprig.
  let reports = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  try FileManager.default.copyItem(at: URL(filePath: "reports/sample"), to: reports)
  defer { try? FileManager.default.removeItem(at: reports) }

  let archive = try Archive(opening: ArchiveLocation(reports.path()))
  for run in try archive.latestRuns() {
    print(run.rig, run.plan, run.verdict)
    for reading in try archive.readings(of: run.id) where reading.verdict == .fail {
      print("  failed:", reading.pattern, reading.name)
    }
  }
}
