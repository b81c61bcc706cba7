// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONText
import RecordedNights
import Testing

/// A folder `reports` with made-up nights, and haprig to ask about them.
struct HistoryFixture {
  let bench: Workbench
  let nights: RecordedNights

  init(_ nights: RecordedNights) throws {
    self.nights = nights
    bench = try Workbench()
    try bench.write("runs of tests", to: "reports/README.md")
    nights.write(to: archive)
  }

  /// The archive's path.
  var archive: String { bench.file("reports").path() }

  func haprig(_ arguments: String...) throws -> Ending { try bench.haprig(arguments) }

  func regress(_ more: String...) throws -> Ending {
    try bench.haprig(["regress", "--rig", nights.rig, "--plan", nights.plan] + more)
  }

  /// The history of the nights as JSON.
  func json(_ more: String...) throws -> HistoryJSON {
    let ending = try bench.haprig(
      ["history", "--rig", nights.rig, "--plan", nights.plan, "--json"] + more)
    try #require(ending.code == 0, "\(ending.errors)")
    return HistoryJSON(value: try JSONValue(parsing: Array(ending.output.utf8)))
  }
}

/// What `--json` of a history says.
struct HistoryJSON {
  let value: JSONValue

  var changes: [JSONValue] { value["changes"]?.elements ?? [] }
  var series: [JSONValue] { value["series"]?.elements ?? [] }

  func series(_ reading: String) -> JSONValue? {
    series.first { $0["reading"]?.string == reading }
  }
}
