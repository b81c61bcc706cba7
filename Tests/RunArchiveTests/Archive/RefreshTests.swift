// SPDX-License-Identifier: Apache-2.0

import Acceptance
import ChangeDetection
import Glibc
import RunArchive
import ScratchFolder
import SeededRandom
import Testing

/// An index that follows the folders.
struct RefreshTests {
  @Test(arguments: Store.available)
  func `runs that were written without the index are found on opening`(store: Store) throws {
    let archive = try store.archive()
    try SampleRun(id: "a").write(to: archive.path)
    #expect(try archive.open().runs().map(\.id) == ["a"])
    try SampleRun(id: "b", second: 7200).write(to: archive.path)
    let again = try archive.open()
    #expect(try again.runs().map(\.id) == ["b", "a"])
    #expect(try again.refresh().added == 0)
    #expect(again.notices.isEmpty && again.unreadable.isEmpty)
  }

  @Test(arguments: Store.available)
  func `a run is added by its name after its folder is in place`(store: Store) throws {
    let archive = try store.archive()
    try SampleRun(id: "a").write(to: archive.path)
    try Archive.index("a", in: archive.location)
    #expect(try archive.open().refresh().added == 0)
    for name in ["b", "../a", "", "."] {
      let error = try #require(throws: ArchiveError.self) {
        try Archive.index(name, in: archive.location)
      }
      #expect(error.description.contains("no run's folder"))
    }
  }

  @Test(arguments: Store.available)
  func `rebuilding gives the same answers, whatever the runs`(store: Store) throws {
    var generator = SeededRandom(seed: 0x6172_6368)
    let archive = try store.archive()
    for number in 0..<40 {
      var run = SampleRun(id: "run-\(number)", day: CalendarDay(number: 20_000 + number / 3))
      run.second = generator.integer(0...86_399)
      run.rig = "rig-\(generator.integer(0...2))"
      run.status = generator.chance(0.1) ? .fault : .complete
      run.environment = ["kernel": "6.\(generator.integer(0...4))"]
      run.readings = (0..<generator.integer(0...20)).map { _ in
        generator.chance(0.2)
          ? Reading(notMeasured: .drift, because: "noise \(generator.integer(0...9))")
          : Reading(
            generator.chance(0.5) ? .latencyOnset : .responsePeak,
            pattern: "p\(generator.integer(0...3))", value: generator.gaussian(),
            uncertainty: generator.chance(0.5) ? generator.uniform() : nil)
      }
      try run.write(to: archive.path)
      // Half of them are added one by one, the others when the archive is opened.
      if generator.chance(0.5) { try Archive.index(run.id, in: archive.location) }
    }
    let before = try answers(of: archive.open())
    let account = try Archive.rebuild(archive.location).update
    #expect(account.added == 40 && account.removed.isEmpty && account.unreadable.isEmpty)
    #expect(try answers(of: archive.open()) == before, "\(generator)")
  }

  /// Everything that an archive of three rigs says, as text.
  private func answers(of archive: Archive) throws -> [String] {
    var answers = try archive.runs().map { "\($0)" } + archive.latestRuns().map { "\($0)" }
    for rig in 0...2 {
      answers += try archive.seriesKeys(rig: "rig-\(rig)").map { "\($0)" }
      answers += try archive.series(rig: "rig-\(rig)", plan: "nightly").map { "\($0)" }
    }
    for run in try archive.runs() {
      answers += try archive.readings(of: run.id).map { "\($0)" }
    }
    answers += try archive.environment(of: RunFilter()).map { run, environment in
      "\(run) \(environment.sorted { $0.key < $1.key })"
    }
    return answers
  }

  @Test(arguments: Store.available)
  func `rebuilding forgets runs whose folders are gone, and says which`(store: Store) throws {
    let archive = try store.archive()
    for id in ["a", "b", "c"] { try SampleRun(id: id).write(to: archive.path) }
    _ = try archive.open()
    #expect(rename(archive.path + "/b", archive.path + "/.b") == 0)
    #expect(try archive.open().runs().count == 3)
    #expect(try Archive.rebuild(archive.location).update.removed == ["b"])
    #expect(try archive.open().runs().map(\.id) == ["c", "a"])
  }

  @Test(arguments: Store.available)
  func `what is no run is passed over, and a record that cannot be read is named`(
    store: Store
  ) throws {
    let archive = try store.archive()
    try SampleRun(id: "a").write(to: archive.path)
    try archive.scratch.write("x", to: "README.md")
    _ = try archive.scratch.folder("calibration-only")
    _ = try archive.scratch.folder("broken")
    try archive.scratch.write(
      "{\"schema\": \"haprig.run/1\",\n \"patterns\": 1}", to: "broken/record.json")
    var undated = SampleRun(id: "undated").record
    undated.header.date = "yesterday"
    _ = try archive.scratch.folder("undated")
    try archive.scratch.write(undated.text, to: "undated/record.json")
    _ = try archive.scratch.folder("linked")
    #expect(symlink(archive.path + "/a/record.json", archive.path + "/linked/record.json") == 0)
    let opened = try archive.open()
    #expect(try opened.runs().map(\.id) == ["a"])
    let sentences = opened.unreadable.map(\.description)
    #expect(sentences.count == 3)
    #expect(sentences[0].contains("broken/record.json: 2:14: patterns must be an array"))
    #expect(sentences[1].contains("linked/record.json: this is a link"))
    #expect(sentences[2].contains("header.date is 'yesterday'"))
  }

  @Test(arguments: Store.available)
  func `two who write at once both come in`(store: Store) async throws {
    let archive = try store.archive()
    let location = archive.location
    _ = try archive.open()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<3 {
        group.addTask {
          for number in 0..<8 {
            let run = SampleRun(id: "w\(writer)-\(number)", rig: "rig-\(writer)")
            try run.write(to: location.folder)
            try Archive.index(run.id, in: location)
          }
        }
      }
      try await group.waitForAll()
    }
    let again = try archive.open()
    #expect(try again.refresh().added == 0)
    #expect(try again.runs().count == 24)
    #expect(try again.latestRuns().count == 3)
    #expect(try again.verify().isSound)
  }

  @Test func `a folder that is not there is named, with what to do`() throws {
    let error = try #require(throws: ArchiveError.self) {
      _ = try Archive(opening: ArchiveLocation("/no/such/folder"))
    }
    #expect(error.description.contains("/no/such/folder: there is no such folder"))
  }
}
