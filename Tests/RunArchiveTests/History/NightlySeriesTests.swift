// SPDX-License-Identifier: Apache-2.0

import Acceptance
import ChangeDetection
import RunArchive
import Testing
import Units

/// From runs to nights.
struct NightlySeriesTests {
  private func archive() throws -> Archive {
    let archive = try ScratchArchive().open()
    var entries: [RunEntry] = []
    for (id, day, second, value) in [
      ("a", 0, 60, 1.0), ("b", 0, 120, 4.0), ("c", 0, 180, 2.0), ("d", 1, 60, 7.0),
      ("again", 1, 120, 9.0),
    ] {
      var readings = [Reading(.drift, value: value, uncertainty: 0.5)]
      readings.append(Reading(.latencyOnset, pattern: "tap", value: value / 100))
      entries.append(
        try SampleRun(
          id: id, day: CalendarDay(number: 20_000 + day), second: second,
          environment: id == "again" ? [ReadingSeries.rerunMark: "d"] : [:], readings: readings
        ).entry())
    }
    try archive.add(entries)
    return archive
  }

  @Test func `a night is the median of its runs, and the run nearest to it`() throws {
    let archive = try archive()
    let all = try archive.series(rig: "rig", plan: "nightly")
    let drift = try #require(all.first { $0.listing.key.reading == "drift" })
    let series = drift.nightly()
    #expect(series.unit == .partsPerMillion)
    #expect(series.nights.map(\.day) == [20_000, 20_001])
    #expect(series.nights.map(\.value) == [2, 8])
    #expect(series.nights.map(\.run) == ["c", "again"])
    #expect(series.nights.map(\.count) == [3, 2])
  }

  @Test func `a re-run is no part of its night, and is found by its mark`() throws {
    let archive = try archive()
    let reruns = try archive.environment(
      ReadingSeries.rerunMark, of: RunFilter(rig: "rig", plan: "nightly"))
    #expect(reruns == ["again": "d"])
    let drift = try #require(
      try archive.series(rig: "rig", plan: "nightly") { $0.reading == "drift" }.first)
    #expect(drift.nightly(without: Set(reruns.keys)).values == [2, 7])
    #expect(drift.repeats(of: ["again"]) == [Repeat(run: "again", value: 9, uncertainty: 0.5)])
    #expect(drift.repeats(of: []).isEmpty)
  }

  @Test func `only the series that are wanted are read`() throws {
    let archive = try archive()
    let wanted = try archive.series(rig: "rig", plan: "nightly") { $0.pattern == "tap" }
    #expect(wanted.map(\.listing.key.reading) == ["latency.onset"])
    #expect(try archive.series(rig: "rig", plan: "nightly") { _ in false }.isEmpty)
  }

  @Test func `the record and the files of a run are found where they are`() throws {
    let scratch = try ScratchArchive()
    let sample = SampleRun(id: "golden")
    try sample.write(to: scratch.path)
    let archive = try scratch.open()
    let run = try archive.run("golden")
    #expect(try archive.record(of: run)?.header.date == sample.record.header.date)
    #expect(archive.path(of: "report.html", in: run) == scratch.path + "/golden/report.html")
    #expect(archive.path(of: "elsewhere.html", in: run) == nil)
    var foreign = run
    foreign.place = "other:/srv"
    #expect(try archive.record(of: foreign) == nil)
    #expect(archive.path(of: "report.html", in: foreign) == nil)
    #expect(throws: ArchiveError.self) { _ = try archive.run("silver") }
  }
}
