import RunArchive
import ScratchFolder
import Testing

struct BaselineTests {
  private let day = CalendarDay(number: 20_000)
  private func moment(_ second: Int) -> Moment { Moment(seconds: 1_700_000_000 + second) }

  private func accepted(
    _ why: String, given second: Int, pattern: String? = nil, reading: String? = nil
  ) throws -> Baseline {
    try Baseline(
      .accepted, rig: "rig", pattern: pattern, reading: reading, from: day, why: why, who: "Ada",
      given: moment(second))
  }

  @Test func `a baseline comes back as it was given, in the order of time`() throws {
    let archive = try ScratchArchive().open()
    let later = try accepted("new foam: \"softer\"\nby 2 dB", given: 20, pattern: "tap")
    let first = try accepted("new amplifier", given: 10, reading: "latency.onset")
    let name = try archive.acceptBaseline(later)
    try archive.acceptBaseline(first)
    #expect(try archive.baselines().map(\.baseline) == [first, later])
    #expect(try archive.baselines().last?.file == name)
    try archive.withdrawBaseline(name)
    #expect(try archive.baselines().map(\.baseline) == [first])
    #expect(throws: ArchiveError.self) { try archive.withdrawBaseline(name) }
    #expect(throws: ArchiveError.self) { try archive.withdrawBaseline("../index.sqlite") }
  }

  @Test func `a series has the baseline that was given last of those that apply`() throws {
    let archive = try ScratchArchive().open()
    try archive.acceptBaseline(accepted("all", given: 1))
    try archive.acceptBaseline(accepted("taps", given: 2, pattern: "tap"))
    try archive.acceptBaseline(
      accepted("onsets of taps", given: 0, pattern: "tap", reading: "drift"))
    let why = { (rig: String, pattern: String) in
      try archive.baseline(
        for: SeriesKey(rig: rig, actuator: "a", pattern: pattern, reading: "drift"))?.why
    }
    #expect(try why("rig", "tap") == "taps")
    #expect(try why("rig", "swell") == "all")
    #expect(try why("rig", "") == "all")
    #expect(try why("other", "tap") == nil)
  }

  @Test func `a run is pinned when it is in the archive and of the rig`() throws {
    let scratch = try ScratchArchive()
    try SampleRun(id: "golden").write(to: scratch.path)
    let archive = try scratch.open()
    let pinned = { (rig: String, run: String) in
      try Baseline(
        .pinned, rig: rig, from: day, run: run, why: "because", who: "Ada", given: moment(0))
    }
    try archive.pin(pinned("rig", "golden"))
    #expect(try archive.baselines().map(\.baseline.run) == ["golden"])
    for (rig, run) in [("rig", "silver"), ("other", "golden")] {
      #expect(throws: ArchiveError.self) { try archive.pin(pinned(rig, run)) }
    }
    #expect(throws: ArchiveError.self) { try archive.pin(accepted("x", given: 0)) }
    #expect(throws: ArchiveError.self) { try archive.acceptBaseline(pinned("rig", "golden")) }
    #expect(try archive.baselines().count == 1)
  }

  @Test(arguments: ["", " \n", String(repeating: "x", count: 2001)])
  func `a baseline without a reason, or with a novel, is refused`(why: String) {
    #expect(throws: ArchiveError.self) { _ = try accepted(why, given: 0) }
  }

  @Test func `a baseline names a run exactly when it is pinned`() {
    #expect(throws: ArchiveError.self) {
      _ = try Baseline(.pinned, rig: "r", from: day, why: "x", who: "y", given: moment(0))
    }
    #expect(throws: ArchiveError.self) {
      _ = try Baseline(
        .accepted, rig: "r", from: day, run: "a", why: "x", who: "y", given: moment(0))
    }
  }

  @Test(arguments: [
    ("", "1:1"), ("[]", "1:1"),
    ("{\"schema\":\"haprig.baseline/2\"}", "1:11: schema is"),
    (
      "{\"schema\":\"haprig.baseline/1\",\"kind\":\"guessed\",\"from\":\"2026-01-01\",\n\"given\":\"x\"}",
      "2:9: given must be a moment"
    ),
    ("{\"schema\":\"haprig.baseline/1\",\"from\":\"2026-02-30\"}", "from must be a day"),
  ])
  func `a file that is no baseline is named with its place`(text: String, words: String) throws {
    let scratch = try ScratchArchive()
    _ = try scratch.scratch.folder("baselines")
    try scratch.scratch.write(text, to: "baselines/x.json")
    let archive = try scratch.open()
    let error = try #require(throws: ArchiveError.self) { _ = try archive.baselines() }
    #expect(error.description.contains("/baselines/x.json: "))
    #expect(error.message.contains(words), "\(error)")
  }
}
