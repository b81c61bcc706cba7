// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Actuators
import Bench
import ChangeDetection
import Glibc
import JSONText
import Reporting
import RunArchive
import ScratchFolder
import SeededRandom
import Testing

@testable import Workflows

/// Tables that become runs of an archive, together or not at all.
struct ImportWorkflowTests {
  private let scratch: ScratchFolder
  private let location: ArchiveLocation

  init() throws {
    scratch = try ScratchFolder()
    location = try ArchiveLocation(scratch.file("archive"))
  }

  private func write(_ text: String, _ name: String = "lab.csv") throws -> String {
    try AtomicFile.write(text, to: scratch.file(name))
    return scratch.file(name)
  }

  private func bring(
    _ files: [String], replacing: Bool = false, dry: Bool = false
  ) throws -> ImportWorkflow.Outcome {
    var rules = ImportRules()
    rules.constants = ["rig": "bench-1", "plan": "nightly", "actuator": "lra-1", "pattern": "tap"]
    var workflow = ImportWorkflow(
      files, into: location, by: rules, user: RigOperator(version: "9.9-test"))
    workflow.replaces = replacing
    workflow.isDry = dry
    workflow.who = "somebody"
    return try workflow.execute()
  }

  /// Nights of a latency around 10 ms, from a first day.
  private static func table(
    _ days: Range<Int>, _ reading: String = "latency.onset", plus shift: Double = 0
  ) -> String {
    "when,reading,value,unit,uncertainty,env.lab\n"
      + days.map { day in
        let value = 10 + 0.01 * Double((day * 7) % 11) + shift
        return "\(CalendarDay(number: day))T02:00:00Z,\(reading),\(value),ms,0.1,old\n"
      }.joined()
  }

  @Test func `a table becomes a run a moment, which says that it was imported`() throws {
    let file = try write(Self.table(20_000..<20_030))
    let outcome = try bring([file])
    #expect(outcome.added.count == 30 && outcome.readings == 30 && outcome.rows == 30)
    let archive = try Archive(opening: location)
    let runs = try archive.runs()
    #expect(runs.count == 30)
    let run = try #require(runs.last)
    #expect(run.id == "20241004-020000-bench-1-nightly")
    #expect(run.verdict == .notMeasured && run.status == .complete && run.actuator == "lra-1")
    let record = try #require(try archive.record(of: run))
    let imported = try #require(record.imported)
    #expect(
      imported.sources == [
        .init(
          file: "lab.csv", sha256: ContentHash(of: Self.table(20_000..<20_030)).description,
          rows: [2...2])
      ])
    #expect(imported.who == "somebody" && imported.date > record.header.date)
    #expect(record.header.environment == ["lab": "old", "imported": "lab.csv"])
    #expect(record.patterns.isEmpty && record.inputs == nil)
    #expect(
      record.readings == [
        Reading(
          .latencyOnset, pattern: "tap", value: (10 + 0.01 * Double((20_000 * 7) % 11)) / 1000,
          uncertainty: 0.0001)
      ])
    // What is written is read as it was.
    let again = try RunRecord(parsing: Array(record.text.utf8))
    #expect(again == record)
    #expect(record.json["schema"]?.string == "haprig.imported/1")
    #expect(
      try archive.environment(of: RunFilter(ids: [run.id])).first?.environment
        == record.header.environment)
    #expect(try archive.verify().isSound)
    #expect(try archive.verify().files == 60)
    // No hidden folder is left.
    #expect(hiddenNames(scratch.file("archive")).filter { $0.hasSuffix(".partial") } == [])
  }

  private func hiddenNames(_ path: String) -> [String] {
    (try? Folder.names(in: path, hidden: true)) ?? []
  }

  @Test func `the index made anew of the folders is the same`() throws {
    _ = try bring([write(Self.table(20_000..<20_010))])
    let before = try Archive(opening: location).runs()
    _ = try Archive.rebuild(location)
    #expect(try Archive(opening: location).runs() == before)
  }

  @Test func `the same table again adds nothing, and a longer one what is new`() throws {
    let file = try write(Self.table(20_000..<20_010))
    _ = try bring([file])
    let again = try bring([file])
    #expect(again.added.isEmpty && again.present == 10 && again.readings == 0)
    let longer = try bring([write(Self.table(20_000..<20_012))])
    #expect(longer.added.map(\.began.day.number) == [20_010, 20_011] && longer.present == 10)
    // Another reading of the same runs is another run beside them.
    let other = try bring([write(Self.table(20_000..<20_002, "latency.transport"), "other.csv")])
    #expect(other.added.count == 2)
    let archive = try Archive(opening: location)
    #expect(try archive.runs().count == 14)
    let series = try archive.nights(rig: "bench-1", plan: "nightly")
    #expect(series.map { $0.nights.count } == [12, 2])
  }

  @Test func `a value that changed is refused by its place, and replaced where that is asked for`()
    throws
  {
    _ = try bring([write(Self.table(20_000..<20_010))])
    let before = try Archive(opening: location).runs()
    let changed = try write(Self.table(20_000..<20_010, plus: 1), "new.csv")
    let error = #expect(throws: InputError.self) { try bring([changed]) }
    #expect(error?.description.hasPrefix("\(changed):2:") == true)
    #expect(error?.description.contains("--replace takes what the table says") == true)
    #expect(try Archive(opening: location).runs() == before)
    let outcome = try bring([changed], replacing: true)
    #expect(outcome.replaced.count == 10 && outcome.added.isEmpty)
    let archive = try Archive(opening: location)
    #expect(try archive.runs().map(\.id) == before.map(\.id))
    #expect(
      try archive.nights(rig: "bench-1", plan: "nightly")[0].nights.allSatisfy { $0.value > 0.0109 }
    )
    #expect(try archive.verify().isSound)
    #expect(hiddenNames(scratch.file("archive")).filter { $0.hasSuffix(".removed") } == [])
  }

  @Test func `an error in the last row of the second table leaves the archive as it was`() throws {
    let first = try write(Self.table(20_000..<20_010))
    let second = try write(
      Self.table(20_010..<20_020) + "2025-13-01,latency.onset,1,ms,,old\n", "b.csv")
    #expect(throws: InputError.self) { try bring([first, second]) }
    #expect(access(location.folder, F_OK) != 0)
  }

  @Test func `a dry import tells the same and writes nothing`() throws {
    let file = try write(Self.table(20_000..<20_010))
    let told = try bring([file], dry: true)
    #expect(told.added.count == 10 && access(location.folder, F_OK) != 0)
    let done = try bring([file])
    #expect(told.added == done.added && told.readings == done.readings)
    #expect(try bring([file], dry: true).present == 10)
  }

  @Test func `a folder that stands where a run goes stops the whole import and nothing is left`()
    throws
  {
    let file = try write(Self.table(20_000..<20_010))
    let archive = try {
      try Folder.make(location.folder)
      return try Archive(opening: location)
    }()
    var batch = try RunBatch(in: archive, stamp: "20261124-000000")
    let record = { (id: String) in
      RunRecord(
        imported: .init(sources: [.init(file: "f", sha256: "", rows: [])], date: "", who: ""),
        date: "2025-03-01T02:00:00Z", folder: id, rig: "r", plan: "p", actuator: "a",
        software: "s", readings: [])
    }
    for name in ["one", "two"] {
      let id = batch.id(name)
      try batch.add(record(id), views: [("readings.csv", "x")])
    }
    // Somebody else takes the second name in between.
    try Folder.make(location.folder + "/two/inside")
    do throws(ArchiveError) {
      try batch.keep()
      Issue.record("the batch was kept")
    } catch {
      #expect(error.message.hasSuffix("; nothing was imported"))
    }
    #expect(try Folder.names(in: location.folder).filter { !$0.hasPrefix("index") } == ["two"])
    #expect(try Archive(opening: location).runs().isEmpty)
    #expect(try bring([file]).added.count == 10)
  }

  @Test func `a history tells imported runs, and an import beside own nights`() throws {
    _ = try bring([write(Self.table(20_000..<20_020))])
    let archive = try Archive(opening: location)
    let report = try HistoryReader(archive, HistoryQuestion(rig: "bench-1", plan: "nightly"))
      .report()
    #expect(report.runs.allSatisfy { $0.imported == "lab.csv" })
    #expect(
      report.notes == [
        "20 runs from 2024-10-04 to 2024-10-23 were imported from lab.csv, not measured here"
      ])
  }

  /// Forty patterns of thirty nights that scatter by 1 %, one of them a little off on the newest.
  private func manyPatterns() throws -> [String] {
    var random = SeededRandom(seed: 2_026)
    let rows = (0..<40).map { pattern in
      (0..<30).map { night in
        let isOff = pattern == 0 && night == 29
        let value = isOff ? 10.37 : 10 + 0.1 * random.gaussian()
        return "\(CalendarDay(number: 20_000 + night)),p\(pattern),response.frequency,\(value),Hz\n"
      }.joined()
    }
    let head = "when,pattern,reading,value,unit\n"
    return [
      try write(head + rows[0], "first.csv"), try write(head + rows[1...].joined(), "others.csv"),
    ]
  }

  @Test func `what is suspected of a series does not depend on what else is shown`() throws {
    let files = try manyPatterns()
    func report(_ pattern: String? = nil) throws -> HistoryReport {
      var question = HistoryQuestion(rig: "bench-1", plan: "nightly")
      question.selection = pattern.map { SeriesSelection(pattern: $0) }
      return try HistoryReader(Archive(opening: location), question).report()
    }
    _ = try bring([files[0]])
    #expect(try report().outcome == .unconfirmed, "alone it is off by more than chance")
    _ = try bring([files[1]])
    let whole = try report()
    #expect(whole.outcome == .steady, "among forty it is not")
    for pattern in ["p0", "p7"] {
      #expect(try report(pattern).series == whole.series.filter { $0.key.pattern == pattern })
    }
  }
}
