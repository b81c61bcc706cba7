// SPDX-License-Identifier: Apache-2.0

import Acceptance
import ChangeDetection
import Devices
import Reporting
import RunArchive

enum ImportedNights {
  /// What a history says of the runs that were brought in from tables; `nil` where all were measured here.
  ///
  /// `runs` ascend by when they began; `tables` names the table of each that comes from one, by its id.
  static func note(_ runs: [ArchivedRun], _ tables: [String: String]) -> String? {
    let imported = runs.filter { tables[$0.id] != nil }
    guard let first = imported.first, let last = imported.last else { return nil }
    let span = first.day == last.day ? "of \(first.day)" : "from \(first.day) to \(last.day)"
    let files = Set(imported.compactMap { tables[$0.id] }).sorted()
    let sentence =
      "\(Count.of(imported.count, "run")) \(span) \(imported.count == 1 ? "was" : "were") imported "
      + "from \(Count.list(files, atMost: 3)), not measured here"
    return
      (imported.count < runs.count
      ? sentence + ": where a level changes beside them, another way of measuring may be why"
      : sentence).printable
  }
}
