// SPDX-License-Identifier: Apache-2.0

import Acceptance
import ChangeDetection
import SeededRandom
import Testing

@testable import RunArchive

/// The medians of nights that the index keeps, held against those of the runs that it keeps.
struct KeptNightsTests {
  @Test(arguments: Store.available, [UInt64(1), 2, 3])
  func `whatever comes in, again, late or goes, kept nights are those of the runs`(
    store: Store, seed: UInt64
  ) throws {
    let archive = try store.archive().open()
    var random = SeededRandom(seed: seed)
    var ids: Set<String> = []
    for step in 0..<12 {
      if step % 4 == 3, let gone = ids.sorted().first {
        try archive.ask { index throws(IndexFault) in try index.remove([gone], in: "") }
        ids.remove(gone)
      }
      var entries: [RunEntry] = []
      for _ in 0..<random.integer(1...5) {
        let run = sample(using: &random)
        ids.insert(run.id)
        entries.append(try run.entry())
      }
      try archive.add(entries)
      for plan in ["nightly", "smoke"] {
        let reruns = Set(
          try archive.environment(ReadingSeries.rerunMark, of: RunFilter(rig: "rig")).keys)
        let again = try Self.madeAgain(of: plan, in: archive)
        let expected = try archive.series(rig: "rig", plan: plan)
          .map { $0.nightly(without: reruns.union(again)) }.filter { !$0.nights.isEmpty }
        #expect(
          try archive.nights(rig: "rig", plan: plan) == expected,
          "\(store), seed \(seed), step \(step), plan \(plan)")
      }
    }
  }

  /// The runs of a plan that another complete one of the same job began before.
  private static func madeAgain(of plan: String, in archive: Archive) throws -> Set<String> {
    let filter = RunFilter(rig: "rig", plan: plan)
    let jobs = try archive.environment(ReadingSeries.jobMark, of: filter)
    let ordered = try archive.runs(matching: filter).filter { jobs[$0.id] != nil }
      .sorted { ($0.started.seconds, $0.id) < ($1.started.seconds, $1.id) }
    var done: Set<String> = []
    var again: Set<String> = []
    for run in ordered {
      let job = jobs[run.id] ?? ""
      if done.contains(job) { again.insert(run.id) }
      if run.status == .complete { done.insert(job) }
    }
    return again
  }

  /// A run of one of few names, days and kinds, so that many come in again.
  private func sample(using random: inout SeededRandom) -> SampleRun {
    var run = SampleRun(id: "run-\(random.integer(0...14))")
    run.day = CalendarDay(number: 20_000 + random.integer(0...2))
    run.second = random.integer(0...86_399)
    run.plan = random.chance(0.8) ? "nightly" : "smoke"
    run.status = random.chance(0.1) ? .interrupted : .complete
    if random.chance(0.2) { run.environment[ReadingSeries.rerunMark] = "run-0" }
    if random.chance(0.4) {
      run.environment[ReadingSeries.jobMark] = "job-\(random.integer(0...2))"
    }
    run.readings = (0..<random.integer(1...4)).map { _ in
      Reading(
        random.chance(0.5) ? .latencyOnset : .xruns, pattern: random.chance(0.5) ? "tap" : nil,
        value: random.chance(0.3) ? 1 : random.gaussian(),
        uncertainty: random.chance(0.5) ? 0.1 : nil)
    }
    return run
  }

  @Test(arguments: Store.available)
  func `nights are read of the days and series that are wanted`(store: Store) throws {
    let archive = try store.archive().open()
    for number in 0..<4 {
      try archive.add([
        SampleRun(
          id: "\(number)", day: CalendarDay(number: 20_000 + number),
          readings: [Reading(.drift, value: Double(number)), Reading(.xruns, value: 0)]
        ).entry()
      ])
    }
    let days = CalendarDay(number: 20_001)...CalendarDay(number: 20_002)
    let found = try archive.nights(rig: "rig", plan: "nightly", days: days) {
      $0.reading == "drift"
    }
    #expect(found.map(\.key.reading) == ["drift"])
    #expect(found.first?.values == [1, 2])
    #expect(found.first?.nights.map(\.run) == ["1", "2"])
    #expect(try archive.nights(rig: "rig", plan: "other").isEmpty)
    #expect(try archive.nights(rig: "other", plan: "nightly").isEmpty)
  }

  @Test(arguments: Store.available)
  func `a rebuild keeps the same nights`(store: Store) throws {
    let archive = try store.archive()
    for number in 0..<5 {
      try SampleRun(
        id: "run-\(number)", day: CalendarDay(number: 20_000 + number / 2), second: number,
        readings: [Reading(.drift, value: Double(number * number), uncertainty: 0.1)]
      ).write(to: archive.path)
    }
    let before = try archive.open().nights(rig: "rig", plan: "nightly")
    #expect(before.first?.values == [0.5, 6.5, 16])
    _ = try Archive.rebuild(archive.location)
    #expect(try archive.open().nights(rig: "rig", plan: "nightly") == before)
    #expect(try archive.open().verify().isSound)
  }
}
