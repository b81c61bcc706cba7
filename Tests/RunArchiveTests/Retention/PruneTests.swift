// SPDX-License-Identifier: Apache-2.0

import Acceptance
import ChangeDetection
import Glibc
import ScratchFolder
import Testing

@testable import RunArchive

struct PruneTests {
  private let today = CalendarDay(number: 20_100)
  private var now: Moment { Moment(seconds: today.number * 86_400 + 43_200) }

  /// Runs of 100, 50, 10 and 0 days ago.
  private func archive() throws -> ScratchArchive {
    let archive = try ScratchArchive()
    for age in [100, 50, 10, 0] {
      try SampleRun(id: "age-\(age)", day: CalendarDay(number: today.number - age))
        .write(to: archive.path)
    }
    return archive
  }

  @Test func `recordings go first, whole runs last`() throws {
    let archive = try archive()
    let account = try archive.open().prune(
      Retention(recordings: 30, runs: 90), now: now, isDry: false)
    #expect(account.recordings.map(\.name) == ["age-50"])
    #expect(account.recordings.map(\.files) == [2])
    #expect(account.runs.map(\.name) == ["age-100"] && account.runs.map(\.files) == [4])
    #expect(account.problems.isEmpty && account.pinned.isEmpty)
    #expect(archive.scratch.names == ["age-0", "age-10", "age-50", "index.sqlite"])
    #expect(
      ScratchFolder.names(in: archive.path + "/age-50")
        == ["pruned.json", "record.json", "report.html"])
    #expect(try archive.open().runs().map(\.id) == ["age-0", "age-10", "age-50"])
    let verification = try archive.open().verify()
    #expect(verification.isSound && verification.pruned == 2)
    #expect(try Archive.rebuild(archive.location).update.added == 3)
    let again = try archive.open().prune(
      Retention(recordings: 30, runs: 90), now: now, isDry: false)
    #expect(again == PruneSummary())
  }

  @Test func `a dry run tells the same and does nothing`() throws {
    let archive = try archive()
    let retention = try Retention(recordings: 30, runs: 90)
    let before = archive.scratch.names
    let told = try archive.open().prune(retention, now: now, isDry: true)
    #expect(archive.scratch.names.filter { !$0.hasPrefix("index") } == before)
    #expect(try archive.open().runs().count == 4)
    #expect(try archive.open().prune(retention, now: now, isDry: false) == told)
    #expect(told.bytes > 100)
  }

  @Test func `a run that a baseline is pinned to stays whole`() throws {
    let archive = try archive()
    try archive.open().keep(
      KeptDecision(
        .pinned(run: "age-100"), scope: SeriesScope(rig: "rig"), day: today,
        why: "the golden sample", who: "me", given: now))
    let account = try archive.open().prune(
      Retention(recordings: 1, runs: 20), now: now, isDry: false)
    #expect(account.pinned == ["age-100"])
    #expect(account.runs.map(\.name) == ["age-50"] && account.recordings.map(\.name) == ["age-10"])
    #expect(ScratchFolder.names(in: archive.path + "/age-100").count == 4)
  }

  @Test func `nothing goes while a baseline cannot be read`() throws {
    let archive = try archive()
    _ = try archive.scratch.folder("baselines")
    try archive.scratch.write("{\"kind\": \"pinned\"}", to: "baselines/x.json")
    let error = try #require(throws: ArchiveError.self) {
      _ = try archive.open().prune(Retention(recordings: nil, runs: 0), now: now, isDry: false)
    }
    #expect(error.description.contains("baselines/x.json: 1:1: schema is missing"))
    #expect(try archive.open().runs().count == 4)
  }

  @Test func `pruning that was stopped while recordings went is taken up again`() throws {
    let archive = try archive()
    // It had written down what goes, and had removed the first file.
    try archive.scratch.write(
      "{\"schema\":\"haprig.pruned/1\",\"date\":\"\(now)\","
        + "\"files\":[\"tap-1-drive.wav\",\"tap-1-response.wav\"]}", to: "age-50/pruned.json")
    #expect(unlink(archive.path + "/age-50/tap-1-drive.wav") == 0)
    #expect(try archive.open().verify().isSound)
    let account = try archive.open().prune(
      Retention(recordings: 30, runs: nil), now: now, isDry: false)
    #expect(account.recordings.map(\.files) == [2, 1])
    #expect(try archive.open().verify().pruned == 4)
  }

  @Test func `pruning that was stopped before it had written down what goes is no finding`() throws
  {
    let archive = try archive()
    try archive.scratch.write("{\"sch", to: "age-50/pruned.json.partial")
    #expect(try archive.open().verify().isSound)
    _ = try archive.open().prune(Retention(recordings: 30, runs: nil), now: now, isDry: false)
    #expect(
      ScratchFolder.names(in: archive.path + "/age-50")
        == ["pruned.json", "record.json", "report.html"])
    #expect(try archive.open().verify().isSound)
  }

  @Test func `pruning that was stopped while runs went is taken up again`() throws {
    let archive = try archive()
    _ = try archive.open()
    // Hidden, and still in the index.
    #expect(rename(archive.path + "/age-100", archive.path + "/.age-100.removed") == 0)
    #expect(try archive.open().verify().isSound)
    let account = try archive.open().prune(
      Retention(recordings: 900, runs: nil), now: now, isDry: false)
    #expect(account.leftovers.map(\.name) == [".age-100.removed"])
    #expect(archive.scratch.names == ["age-0", "age-10", "age-50", "index.sqlite"])
    #expect(try archive.open().runs().count == 3)
  }

  @Test func `what a killed run left goes after a day, and nothing else that is hidden`() throws {
    let archive = try archive()
    let real = Moment(seconds: time(nil))
    for name in [
      ".20260101-101010-rig-plan.partial", ".rig-calibrate-a.partial", ".git",
      ".2026-01-01-notes.partial",
    ] {
      _ = try archive.scratch.folder(name)
      try archive.scratch.write("half", to: name + "/tap-1-drive.wav")
    }
    let retention = try Retention(recordings: 36_500, runs: nil)
    #expect(try archive.open().prune(retention, now: real, isDry: false).leftovers.isEmpty)
    let tomorrow = Moment(seconds: real.seconds + 90_000)
    let account = try archive.open().prune(retention, now: tomorrow, isDry: false)
    #expect(account.leftovers.map(\.name) == [".20260101-101010-rig-plan.partial"])
    #expect(archive.scratch.names.contains(".rig-calibrate-a.partial"))
    #expect(!archive.scratch.names.contains(".20260101-101010-rig-plan.partial"))
  }

  @Test func `a record cannot make pruning remove a file elsewhere`() throws {
    let archive = try ScratchArchive()
    var run = SampleRun(id: "evil", day: CalendarDay(number: 19_000))
    run.takes = [
      .init(
        number: 1, drive: "../precious.wav", driveChannels: [], response: "record.json",
        responseChannels: [], patternFrame: 0, rejected: [])
    ]
    _ = try archive.scratch.folder("evil")
    try archive.scratch.write(run.record.text, to: "evil/record.json")
    try archive.scratch.write("x", to: "evil/own.wav")
    try archive.scratch.write("precious", to: "precious.wav")
    let account = try archive.open().prune(
      Retention(recordings: 0, runs: nil), now: now, isDry: false)
    #expect(account == PruneSummary())
    #expect(ScratchFolder.text(archive.path + "/precious.wav") == "precious")
    #expect(ScratchFolder.names(in: archive.path + "/evil") == ["own.wav", "record.json"])
  }

  @Test(arguments: [(nil, nil), (30, 10), (-1, nil), (nil, 99_999)] as [(Int?, Int?)])
  func `days that make no rule are refused`(recordings: Int?, runs: Int?) {
    #expect(throws: ArchiveError.self) { _ = try Retention(recordings: recordings, runs: runs) }
  }
}
