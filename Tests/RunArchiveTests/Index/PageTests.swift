// SPDX-License-Identifier: Apache-2.0

import Acceptance
import ChangeDetection
import RunArchive
import SeededRandom
import Testing

/// Pages of a list of 10,000 runs against the same list in memory.
struct PageTests {
  private static func runs(_ random: inout SeededRandom) -> [SampleRun] {
    (0..<10_000).map { number in
      var run = SampleRun(id: "run-\(number)")
      run.day = CalendarDay(number: 20_000 + random.integer(0...400))
      run.second = random.integer(0...86_399)
      run.rig = ["bench-1", "bench-2", "Bench_3"][random.integer(0...2)]
      run.plan = ["nightly", "smoke", "100%"][random.integer(0...2)]
      run.actuator = "lra-\(random.integer(1...4))"
      run.verdict = Verdict.allCases[random.integer(0...3)]
      run.readings = []
      if number % 10 == 0 { run.environment["note"] = "mount \(number % 7)" }
      if number % 3 == 0 {
        run.environment[ReadingSeries.jobMark] = "nightly/lra-1/2026-11-\(number % 30)"
      }
      return run
    }
  }

  private static func matches(_ run: SampleRun, _ query: RunQuery, without: String = "") -> Bool {
    let text = query.text?.lowercased()
    let isMarked = query.mark.map { run.environment[$0] != nil } ?? true
    let words = [run.id, run.rig, run.plan, run.actuator, run.environment["note"] ?? ""]
    let isOfJob =
      query.jobs.isEmpty
      || run.environment[ReadingSeries.jobMark].map(query.jobs.contains) ?? false
    return isMarked && isOfJob
      && (without == "rig" || query.rigs.isEmpty || query.rigs.contains(run.rig))
      && (without == "plan" || query.plans.isEmpty || query.plans.contains(run.plan))
      && (without == "actuator" || query.actuators.isEmpty
        || query.actuators.contains(run.actuator))
      && (without == "verdict" || query.verdicts.isEmpty || query.verdicts.contains(run.verdict))
      && (query.from.map { $0 <= run.day } ?? true) && (query.to.map { run.day <= $0 } ?? true)
      && (text.map { text in words.contains { $0.lowercased().contains(text) } } ?? true)
  }

  private static func query(_ random: inout SeededRandom) -> RunQuery {
    var query = RunQuery()
    if random.integer(0...2) == 0 { query.rigs = ["bench-1", "Bench_3"] }
    if random.integer(0...2) == 0 { query.plans = ["100%"] }
    if random.integer(0...3) == 0 { query.actuators = ["lra-2", "no such"] }
    if random.integer(0...2) == 0 { query.verdicts = [.fail, .marginal] }
    if random.integer(0...2) == 0 { query.from = CalendarDay(number: 20_100) }
    if random.integer(0...2) == 0 { query.to = CalendarDay(number: 20_300) }
    if random.integer(0...3) == 0 { query.mark = "note" }
    if random.integer(0...4) == 0 {
      query.jobs = ["nightly/lra-1/2026-11-3", "nightly/lra-1/2026-11-21", "no such"]
    }
    query.text =
      [nil, nil, "0%", "_3", "BENCH", "mount 3", "run-12", "'", "!"][random.integer(0...8)]
    query.sort = RunQuery.Sort.allCases[random.integer(0...RunQuery.Sort.allCases.count - 1)]
    query.isDescending = random.integer(0...1) == 0
    query.offset = random.integer(0...3) * 40
    query.limit = random.integer(1...60)
    return query
  }

  @Test func `a page has the runs, the count and the facets of the list that it is of`() throws {
    var random = SeededRandom(seed: 0x9a6e)
    let scratch = try ScratchArchive()
    let archive = try scratch.open()
    let runs = Self.runs(&random)
    try archive.add(runs.map { run throws(ArchiveError) in try run.entry() })
    let byID = Dictionary(uniqueKeysWithValues: runs.map { ($0.id, $0) })
    for _ in 0..<150 {
      let query = Self.query(&random)
      let page = try archive.page(query)
      #expect(try archive.rows(query) == page.rows)
      let wanted = runs.filter { Self.matches($0, query) }
      let place = "\(query), \(random)"
      #expect(page.total == wanted.count, "\(place)")
      #expect(
        page.rows.count == max(0, min(query.limit, wanted.count - query.offset)), "\(place)")
      let shown = page.rows.compactMap { byID[$0.run.id] }
      #expect(shown.count == page.rows.count && Set(shown.map(\.id)).count == shown.count)
      #expect(shown.allSatisfy { Self.matches($0, query) }, "\(place)")
      let keys = shown.map { Self.key(of: $0, query.sort) }
      let sorted = keys.sorted { query.isDescending ? $1.precedes($0) : $0.precedes($1) }
      #expect(keys == sorted, "\(place)")
      // What stands before the page precedes it: the first key is that of the whole list's place.
      let all = wanted.map { Self.key(of: $0, query.sort) }
        .sorted { query.isDescending ? $1.precedes($0) : $0.precedes($1) }
      #expect(keys == Array(all.dropFirst(query.offset).prefix(query.limit)), "\(place)")
      for (facets, name, value) in [
        (page.rigs, "rig", \SampleRun.rig), (page.plans, "plan", \SampleRun.plan),
        (page.actuators, "actuator", \SampleRun.actuator),
        (page.verdicts, "verdict", \SampleRun.verdict.rawValue),
      ] as [([RunPage.Facet], String, KeyPath<SampleRun, String>)] {
        let counts = Dictionary(
          grouping: runs.filter { Self.matches($0, query, without: name) },
          by: { $0[keyPath: value] }
        ).mapValues(\.count)
        #expect(
          Dictionary(uniqueKeysWithValues: facets.map { ($0.value, $0.count) }) == counts,
          "\(name), \(place)")
      }
      for row in page.rows {
        let environment = byID[row.run.id]?.environment
        #expect(row.note == environment?["note"])
        #expect(row.job == environment?[ReadingSeries.jobMark])
      }
    }
  }

  private struct Key: Equatable {
    let number: Int
    let text: String
    let started: Int

    func precedes(_ other: Key) -> Bool {
      if number != other.number { return number < other.number }
      if text != other.text {
        return Array(text.utf8).lexicographicallyPrecedes(Array(other.text.utf8))
      }
      return started < other.started
    }
  }

  private static func key(of run: SampleRun, _ sort: RunQuery.Sort) -> Key {
    let started = run.day.number * 86_400 + run.second
    let text =
      switch sort {
      case .id: run.id
      case .rig: run.rig
      case .plan: run.plan
      case .actuator: run.actuator
      case .started, .verdict, .takes, .seconds: ""
      }
    let weight =
      sort == .verdict
      ? [.pass, .marginal, .notMeasured, .fail].firstIndex(of: run.verdict) ?? 0 : 0
    return Key(number: weight, text: text, started: started)
  }

  @Test func `a list's row tells what the run's record says`() throws {
    let scratch = try ScratchArchive()
    try SampleRun(id: "a", status: .fault, verdict: .notMeasured).write(to: scratch.path)
    let row = try #require(try scratch.open().page(RunQuery()).rows.first)
    #expect(row.takes == 1 && row.seconds == 1 && row.recording == "tap-1-response.wav")
    #expect(row.aspects == [.notMeasured, nil, nil])
  }
}
