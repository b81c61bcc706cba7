// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import JSONText
import RecordedNights
import Testing

/// An archive that the user who looks may not write.
struct ReadOnlyArchiveTests {
  /// Nights whose folder and index are closed to writers.
  private struct Closed {
    let fixture: HistoryFixture

    init(_ fixture: HistoryFixture) throws {
      self.fixture = fixture
      try close()
    }

    private func close() throws {
      let files = names.filter { $0.hasPrefix("index.sqlite") }.map { "reports/" + $0 }
      _ = try fixture.bench.tool(["chmod", "a-w"] + files + ["reports"])
    }

    func open() throws { _ = try fixture.bench.tool(["chmod", "-R", "u+w", "reports"]) }

    var names: [String] {
      ((try? FileManager.default.contentsOfDirectory(atPath: fixture.archive)) ?? []).sorted()
    }

    /// Runs haprig as one whom permissions hold back: the superuser without what lets it pass over them.
    func haprig(_ arguments: String...) throws -> Ending { try haprig(arguments) }

    func haprig(_ arguments: [String]) throws -> Ending {
      let words = geteuid() == 0 ? ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] : []
      return try fixture.bench.start(words + [Workbench.haprig] + arguments).end()
    }
  }

  private static func nights(indexed: Bool = true) throws -> HistoryFixture {
    var nights = RecordedNights.latency(steps: [(20, 0.0005)])
    nights.count = 24
    nights.repeats = 1
    let fixture = try HistoryFixture(nights)
    if indexed { #expect(try fixture.haprig("archive", "list").code == 0) }
    return fixture
  }

  private static let questions = [
    ["archive", "list", "--json"], ["regress", "--json"], ["history", "--json"],
    ["archive", "verify", "--json", "-q"],
  ]

  @Test(arguments: [true, false])
  func `who may only read is told the same as who may write, and leaves nothing behind`(
    isIndexed: Bool
  ) throws {
    let fixture = try Self.nights(indexed: isIndexed)
    let closed = try Closed(fixture)
    let before = closed.names
    var endings: [Ending] = []
    for words in Self.questions {
      let ending = try closed.haprig(words)
      if isIndexed {
        #expect(ending.errors.isEmpty, "\(ending.errors)")
      } else {
        #expect(
          ending.errors.contains("index.sqlite: this user cannot write the index")
            && ending.errors.contains("24 runs were read from their folders")
            && ending.errors.split(separator: "\n").count == 1, "\(ending.errors)")
      }
      endings.append(ending)
    }
    #expect(closed.names == before)
    try closed.open()
    for (words, ending) in zip(Self.questions, endings) {
      let open = try fixture.bench.haprig(words)
      #expect(open.output == ending.output && open.code == ending.code, "\(words)")
    }
    #expect(endings.map(\.code) == [0, 1, 0, 0])
  }

  @Test func `runs that the index does not know are found, and it is left as it is`() throws {
    let fixture = try Self.nights()
    var more = fixture.nights
    more.rig = "other"
    more.count = 1
    more.write(to: fixture.archive)
    let closed = try Closed(fixture)
    let index = try fixture.bench.bytes("reports/index.sqlite")
    let ending = try closed.haprig("archive", "list", "--rig", "other", "--json")
    let runs = try JSONValue(parsing: Array(ending.output.utf8)).elements
    #expect(runs?.count == 1 && runs?.first?["rig"]?.string == "other")
    #expect(ending.errors.contains("25 runs were read from their folders"), "\(ending.errors)")
    #expect(try fixture.bench.bytes("reports/index.sqlite") == index)
    // Two rigs now: which one is meant has to be said.
    let regress = try closed.haprig("regress")
    #expect(regress.code == 2)
    #expect(regress.errors.contains("--rig: the archive has runs of bench, other: name one"))
    try closed.open()
  }

  @Test func `what a writer has in its log is read with the index`() throws {
    let fixture = try Self.nights()
    // A writer that is killed leaves its log, with what it wrote last in it alone.
    let script = """
      import os, sqlite3
      index = sqlite3.connect("reports/index.sqlite")
      index.execute("pragma wal_autocheckpoint = 0")
      index.execute("update names set text = 'renamed' where text = 'bench'")
      index.commit()
      os._exit(0)
      """
    _ = try fixture.bench.tool(["/usr/bin/python3", "-c", script])
    let closed = try Closed(fixture)
    #expect(closed.names.contains("index.sqlite-wal"))
    let ending = try closed.haprig("archive", "list", "--rig", "renamed", "--json")
    #expect(try JSONValue(parsing: Array(ending.output.utf8)).elements?.count == 24)
    #expect(ending.errors.isEmpty, "\(ending.errors)")
    try closed.open()
  }

  @Test func `what writes says what cannot be written`() throws {
    let fixture = try Self.nights()
    try fixture.bench.simulatedRig()
    try fixture.bench.write(Patterns.taps(seconds: 1), to: "plans/tap.ahap")
    try fixture.bench.write(Plans.quick(repeats: 1), to: "plans/quick.yaml")
    let closed = try Closed(fixture)
    for (words, code) in [
      (["run", "plans/quick.yaml", "--rig", "rig.yaml", "-q"], 2),
      (["baseline", "accept", "--why", "a new mount"], 2), (["archive", "rebuild", "-q"], 2),
      (["archive", "prune", "--keep-runs", "0"], 1),
    ] as [([String], Int32)] {
      let ending = try closed.haprig(words)
      #expect(ending.code == code, "\(words): \(ending.output)")
      #expect(ending.errors.contains("permissions"), "\(words): \(ending.errors)")
    }
    try closed.open()
  }
}
