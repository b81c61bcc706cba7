// SPDX-License-Identifier: Apache-2.0

import ChangeDetection
import Glibc
import ScratchFolder
import Testing

@testable import RunArchive

/// No link in an archive is followed: what it leads to is not read, and surely not removed.
struct LinkTests {
  private let outside: ScratchFolder
  private let archive: ScratchArchive
  private let now = Moment(seconds: 20_100 * 86_400 + 43_200)

  /// An archive of one run, and a run outside of it.
  init() throws {
    outside = try ScratchFolder()
    archive = try ScratchArchive()
    try SampleRun(id: "far").write(to: outside.path)
    try SampleRun(id: "near").write(to: archive.path)
  }

  private func link(_ target: String, as name: String) {
    #expect(symlink(target, archive.path + "/" + name) == 0)
  }

  private func isLink(_ name: String) -> Bool {
    var status = stat()
    return lstat(archive.path + "/" + name, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }

  private var far: [String] { ScratchFolder.names(in: outside.path + "/far") }

  /// What the whole run outside has.
  private static let whole = [
    "record.json", "report.html", "tap-1-drive.wav", "tap-1-response.wav",
  ]

  @Test(arguments: ["outside", "dangling", "loop", "archive", "another run"])
  func `a linked run folder is refused by name`(kind: String) throws {
    let target =
      switch kind {
      case "outside": outside.path + "/far"
      case "dangling": outside.path + "/nowhere"
      case "loop": archive.path + "/linked"
      case "archive": archive.path
      default: archive.path + "/near"
      }
    link(target, as: "linked")
    let rebuilt = try Archive.rebuild(archive.location).update
    #expect(rebuilt.added == 1)
    let named = [archive.path + "/linked"]
    #expect(rebuilt.unreadable.map(\.path) == named)
    #expect(rebuilt.unreadable[0].message.hasPrefix("this is a link"))
    let opened = try archive.open()
    #expect(opened.unreadable.map(\.path) == named)
    #expect(try opened.runs().map(\.id) == ["near"])
    let findings = try opened.verify().findings.map(\.description)
    #expect(findings.count == 1 && findings[0].hasPrefix("unreadable: linked: this is a link"))
    let account = try opened.prune(try Retention(recordings: 0, runs: 0), now: now, isDry: false)
    #expect(account.runs.map(\.name) == ["near"])
    #expect(isLink("linked"))
    #expect(far == Self.whole)
    #expect(throws: ArchiveError.self) { try RunFolder.refuseLink(archive.path + "/linked") }
  }

  @Test(arguments: ["outside", "dangling", "archive"])
  func `a linked folder of baselines is neither read nor written`(kind: String) throws {
    let target =
      switch kind {
      case "outside": outside.path
      case "dangling": outside.path + "/nowhere"
      default: archive.path
      }
    let before = ScratchFolder.names(in: outside.path)
    let opened = try archive.open()
    link(target, as: Archive.baselineFolder)
    let kept = try KeptDecision(
      .accepted, scope: SeriesScope(rig: "bench"), day: CalendarDay(number: 20_000), why: "moved",
      who: "somebody", given: now)
    for attempt in 0..<3 {
      let error = #expect(throws: ArchiveError.self) {
        switch attempt {
        case 0: _ = try opened.decisions()
        case 1: try opened.keep(kept)
        default: try opened.withdraw(decision: "a.json")
        }
      }
      #expect(
        error?.message.hasPrefix("this is a link") == true,
        "\(attempt): \(String(describing: error))")
    }
    #expect(ScratchFolder.names(in: outside.path) == before)
    #expect(isLink(Archive.baselineFolder))
  }

  @Test(arguments: [true, false])
  func `a run that became a link is not pruned, nor what it leads to`(onlyRecordings: Bool) throws {
    try SampleRun(id: "moved").write(to: archive.path)
    _ = try archive.open()
    #expect(rename(archive.path + "/moved", outside.path + "/moved") == 0)
    link(outside.path + "/moved", as: "moved")
    let retention = try Retention(recordings: 0, runs: onlyRecordings ? nil : 0)
    let account = try archive.open().prune(retention, now: now, isDry: false)
    #expect(account.problems.map(\.path) == [archive.path + "/moved"])
    #expect((onlyRecordings ? account.recordings : account.runs).map(\.name) == ["near"])
    #expect(isLink("moved"))
    #expect(ScratchFolder.names(in: outside.path + "/moved") == Self.whole)
    let findings = try archive.open().verify().findings.map(\.description)
    #expect(findings.contains { $0.hasPrefix("unreadable: moved: this is a link") })
  }

  @Test func `links within a run's folder go themselves, and nothing behind them`() throws {
    link(outside.path + "/far", as: "near/inputs")
    link(outside.path + "/far/report.html", as: "near/more.html")
    link(outside.path + "/nowhere", as: "near/dangling")
    _ = try archive.open()
    let verified = try archive.open().verify().findings.map(\.description)
    #expect(verified.contains("extra: near/inputs: the record does not name it"))
    let account = try archive.open().prune(
      try Retention(recordings: nil, runs: 0), now: now, isDry: false)
    #expect(account.runs.map(\.name) == ["near"] && account.problems.isEmpty)
    #expect(archive.scratch.names.filter { !$0.hasPrefix("index") }.isEmpty)
    #expect(far == Self.whole)
  }

  @Test func `a file that is reached through a link is not read`() throws {
    #expect(unlink(archive.path + "/near/report.html") == 0)
    link(outside.path + "/far/report.html", as: "near/report.html")
    link(outside.path, as: "near/inputs")
    let findings = try archive.open().verify().findings.map(\.description)
    #expect(findings.contains { $0.hasPrefix("unreadable: near/report.html: this is a link") })
    #expect(throws: ArchiveError.self) {
      try StoredFile.bytes("inputs/far/report.html", in: archive.path + "/near", limit: 1 << 20)
    }
    #expect(
      try StoredFile.bytes("report.html", in: outside.path + "/far", limit: 1 << 20)?.isEmpty
        == false)
  }

  @Test func `an account that cannot be written names the run`() throws {
    #expect(mkdir(archive.path + "/near/pruned.json", 0o755) == 0)
    #expect(mkdir(archive.path + "/near/pruned.json/in-the-way", 0o755) == 0)
    let account = try archive.open().prune(
      try Retention(recordings: 0, runs: nil), now: now, isDry: false)
    #expect(account.problems.map(\.path) == [archive.path + "/near/pruned.json"])
    #expect(ScratchFolder.names(in: archive.path + "/near").contains("tap-1-drive.wav"))
  }

  @Test func `of a hard link one name goes`() throws {
    let kept = outside.path + "/kept.wav"
    #expect(Glibc.link(archive.path + "/near/tap-1-drive.wav", kept) == 0)
    let account = try archive.open().prune(
      try Retention(recordings: 0, runs: nil), now: now, isDry: false)
    #expect(account.recordings.map(\.files) == [2])
    #expect(try outside.bytes(of: "kept.wav") == Array("the drive of near".utf8))
  }

  @Test func `what is held open is emptied, not what took its name`() throws {
    let path = archive.path + "/near"
    guard let open = try OpenFolder(path) else {
      Issue.record("the folder is there")
      return
    }
    #expect(rename(path, archive.path + "/aside") == 0)
    link(outside.path + "/far", as: "near")
    open.empty()
    #expect(ScratchFolder.names(in: archive.path + "/aside").isEmpty)
    #expect(far == Self.whole)
    Folder.remove(path)
    #expect(!isLink("near"))
    #expect(far == Self.whole)
  }

  @Test func `a leftover that is a link goes alone`() throws {
    link(outside.path + "/far", as: ".far.removed")
    link(outside.path + "/far", as: ".20200101-000000-rig-plan.partial")
    let account = try archive.open().prune(
      try Retention(recordings: nil, runs: 1), now: Moment(seconds: now.seconds * 2), isDry: false)
    let names = [".20200101-000000-rig-plan.partial", ".far.removed"]
    #expect(account.leftovers.map(\.name) == names && account.problems.isEmpty)
    // Nothing behind them is counted, for nothing behind them goes.
    #expect(account.leftovers.allSatisfy { $0.files == 0 && $0.bytes == 0 })
    #expect(!names.contains(where: isLink))
    #expect(far == Self.whole)
  }

  @Test func `the archive itself may be named through a link`() throws {
    #expect(symlink(archive.path, outside.path + "/archive") == 0)
    let location = try ArchiveLocation(outside.path + "/archive")
    #expect(try Archive.rebuild(location).update.added == 1)
    #expect(try Archive(opening: location).verify().isSound)
  }
}
