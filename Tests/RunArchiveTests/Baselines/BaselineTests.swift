// SPDX-License-Identifier: Apache-2.0

import ChangeDetection
import JSONText
import RunArchive
import ScratchFolder
import Testing

struct BaselineTests {
  private let day = CalendarDay(number: 20_000)
  private func moment(_ second: Int) -> Moment { Moment(seconds: 1_700_000_000 + second) }

  private func accepted(
    _ why: String, given second: Int, pattern: String? = nil, reading: String? = nil
  ) throws -> KeptDecision {
    try KeptDecision(
      .accepted, scope: SeriesScope(rig: "rig", pattern: pattern, reading: reading), day: day,
      why: why, who: "Ada", given: moment(second))
  }

  @Test func `a decision comes back as it was given, in the order of time`() throws {
    let archive = try ScratchArchive().open()
    let later = try accepted("new foam: \"softer\"\nby 2 dB", given: 20, pattern: "tap")
    let first = try accepted("new amplifier", given: 10, reading: "latency.onset")
    let name = try archive.keep(later)
    try archive.keep(first)
    #expect(try archive.decisions().map(\.kept) == [first, later])
    #expect(try archive.decisions().last?.file == name)
    try archive.withdraw(decision: name)
    #expect(try archive.decisions().map(\.kept) == [first])
    #expect(throws: ArchiveError.self) { try archive.withdraw(decision: name) }
    #expect(throws: ArchiveError.self) { try archive.withdraw(decision: "../index.sqlite") }
  }

  @Test func `decisions of one second keep their order`() throws {
    let archive = try ScratchArchive().open()
    let reasons = ["c", "a", "d", "b"]
    for why in reasons { try archive.keep(try accepted(why, given: 20)) }
    #expect(try archive.decisions().map(\.kept.decision.why) == reasons)
  }

  @Test func `a decision says when it was given, as its file does`() throws {
    let kept = try accepted("new foam", given: 20, pattern: "")
    #expect(kept.decision.when == "2023-11-14T22:13:40Z")
    #expect(kept.json["from"]?.string == "2024-10-04")
    #expect(kept.json["pattern"]?.string == "")
    #expect(kept.json["actuator"] == nil && kept.json["run"] == nil)
  }

  @Test func `a run is pinned when it is in the archive and of the rig`() throws {
    let scratch = try ScratchArchive()
    try SampleRun(id: "golden").write(to: scratch.path)
    let archive = try scratch.open()
    let pinned = { (rig: String, run: String) in
      try KeptDecision(
        .pinned(run: run), scope: SeriesScope(rig: rig), day: day, why: "because", who: "Ada",
        given: moment(0))
    }
    try archive.keep(pinned("rig", "golden"))
    #expect(try archive.decisions().map(\.kept.decision.run) == ["golden"])
    for (rig, run) in [("rig", "silver"), ("other", "golden")] {
      #expect(throws: ArchiveError.self) { try archive.keep(pinned(rig, run)) }
    }
    #expect(try archive.decisions().count == 1)
  }

  @Test(arguments: ["", " \n", String(repeating: "x", count: 2001)])
  func `a decision without a reason, or with a novel, is refused`(why: String) {
    #expect(throws: ArchiveError.self) { _ = try accepted(why, given: 0) }
  }

  @Test(arguments: [
    ("", "1:1"), ("[]", "1:1"),
    ("{\"schema\":\"haprig.baseline/2\"}", "1:11: schema is"),
    (
      "{\"schema\":\"haprig.baseline/1\",\"kind\":\"guessed\",\"from\":\"2026-01-01\",\n\"given\":\"x\"}",
      "2:9: given must be a moment"
    ),
    ("{\"schema\":\"haprig.baseline/1\",\"from\":\"2026-02-30\"}", "from must be a day"),
    (
      "{\"schema\":\"haprig.baseline/1\",\"from\":\"2026-02-03\",\"kind\":\"pinned\",\"rig\":\"r\","
        + "\"given\":\"2026-02-03T00:00:00Z\"}", "a pinned baseline names its run"
    ),
  ])
  func `a file that is no baseline is named with its place`(text: String, words: String) throws {
    let scratch = try ScratchArchive()
    _ = try scratch.scratch.folder("baselines")
    try scratch.scratch.write(text, to: "baselines/x.json")
    let archive = try scratch.open()
    let error = try #require(throws: ArchiveError.self) { _ = try archive.decisions() }
    #expect(error.description.contains("/baselines/x.json: "))
    #expect(error.message.contains(words), "\(error)")
  }
}
