// SPDX-License-Identifier: Apache-2.0

import Acceptance
import ChangeDetection
import Testing

@testable import RunArchive

/// What every store answers, of runs that were put in.
struct RunIndexTests {
  @Test(arguments: Store.available)
  func `every reading of a run comes back as its record says`(store: Store) throws {
    let archive = try store.archive().open()
    var judged = Reading(
      .latencyOnset, pattern: "tap", take: 2, event: 5, channel: "z", value: 0.0051,
      uncertainty: 6e-05, count: 1, note: "a note")
    judged.verdict = .marginal
    var control = Reading(.noiseFloor, value: -1e-300)
    control.name = ReadingName(.noiseFloor, isControl: true)
    let missing = Reading(notMeasured: .syncAudioHaptic, pattern: "tap", because: "no sound")
    var run = SampleRun(id: "a")
    run.readings = [judged, control, missing, judged]
    try archive.add([run.entry()])
    let readings = try archive.readings(of: "a")
    #expect(readings.count == 4)
    #expect(
      readings[0]
        == ArchivedReading(
          name: "latency.onset", pattern: "tap", take: 2, event: 5, channel: "z", value: 0.0051,
          unit: "s", uncertainty: 6e-05, count: 1, verdict: .marginal, note: "a note"))
    #expect(readings[1].name == "control.noise.floor" && readings[1].value == -1e-300)
    #expect(readings[1].pattern == "" && readings[1].verdict == nil && readings[1].note == nil)
    #expect(readings[2].value == nil && readings[2].verdict == .notMeasured)
    #expect(readings[2].note == "no sound")
    #expect(readings[3] == readings[0])
    #expect(try archive.readings(of: "other").isEmpty)
  }

  @Test(arguments: Store.available)
  func `a series has the median of each run, night by night`(store: Store) throws {
    let archive = try store.archive().open()
    let first = CalendarDay(number: 20_000)
    let onsets = { (values: [Double]) in
      values.map { Reading(.latencyOnset, pattern: "tap", value: $0, uncertainty: $0 / 10) }
    }
    var entries: [RunEntry] = []
    // Put in out of order: what counts is when they began.
    for (id, day, second, values) in [
      ("late", 0, 7200, [9.0, 7, 8]), ("next", 1, 60, [4, 1]), ("early", 0, 3600, [2]),
    ] {
      entries.append(
        try SampleRun(
          id: id, day: CalendarDay(number: first.number + day), second: second,
          readings: onsets(values)
        ).entry())
    }
    try archive.add(entries)
    let key = SeriesKey(rig: "rig", actuator: "lra-1", pattern: "tap", reading: "latency.onset")
    let series = try archive.series(for: key)
    #expect(series.map(\.listing) == [SeriesListing(key: key, plan: "nightly", unit: "s")])
    let nights = try #require(series.first).nights
    #expect(nights.map(\.day.number) == [20_000, 20_001])
    #expect(nights[0].values.map(\.run) == ["early", "late"])
    #expect(nights[0].values.map(\.value) == [2, 8])
    #expect(nights[0].values.map(\.count) == [1, 3])
    #expect(nights[1].values.map(\.value) == [2.5])
    #expect(nights[1].values.map(\.uncertainty) == [0.25])
    let second = CalendarDay(number: 20_001)
    #expect(try archive.series(for: key, days: second...second).first?.nights.count == 1)
    #expect(try archive.series(for: key, plan: "other").isEmpty)
    #expect(try archive.series(rig: "rig", plan: "nightly") == series)
  }

  @Test(arguments: Store.available)
  func `runs of several plans, rigs and actuators make series of their own`(store: Store) throws {
    let archive = try store.archive().open()
    var entries: [RunEntry] = []
    for (id, rig, plan, actuator) in [
      ("a", "one", "nightly", "x"), ("b", "one", "smoke", "x"), ("c", "two", "nightly", "x"),
      ("d", "one", "nightly", "y"),
    ] {
      entries.append(try SampleRun(id: id, rig: rig, plan: plan, actuator: actuator).entry())
    }
    try archive.add(entries)
    let listings = try archive.seriesKeys(rig: "one")
    #expect(listings.map(\.plan) == ["nightly", "nightly", "smoke"])
    #expect(listings.map(\.key.actuator) == ["x", "y", "x"])
    #expect(listings.allSatisfy { $0.key.reading == "drift" && $0.unit == "ppm" })
    let key = SeriesKey(rig: "one", actuator: "x", pattern: "", reading: "drift")
    #expect(try archive.series(for: key).map(\.listing.plan) == ["nightly", "smoke"])
    #expect(
      try archive.series(for: key, plan: "smoke").first?.nights.first?.values.first?.run == "b")
    #expect(try archive.seriesKeys(rig: "three").isEmpty)
  }

  @Test(arguments: Store.available)
  func `a run that did not end well has readings and no place in a series`(store: Store) throws {
    let archive = try store.archive().open()
    try archive.add([
      SampleRun(id: "a", status: .interrupted, verdict: .notMeasured).entry(),
      SampleRun(id: "b", status: .fault, verdict: .notMeasured).entry(),
    ])
    #expect(try archive.seriesKeys(rig: "rig").isEmpty)
    #expect(try archive.readings(of: "a").count == 1)
    #expect(try archive.runs().map(\.status) == [.fault, .interrupted])
  }

  @Test(arguments: Store.available)
  func `a run that comes in again takes the place of the first`(store: Store) throws {
    let archive = try store.archive().open()
    try archive.add([SampleRun(id: "a", readings: [Reading(.drift, value: 1)]).entry()])
    let later = CalendarDay(number: 20_050)
    try archive.add([
      SampleRun(id: "a", day: later, verdict: .fail, readings: [Reading(.xruns, value: 2)]).entry()
    ])
    #expect(try archive.runs().map(\.verdict) == [.fail])
    #expect(try archive.readings(of: "a").map(\.name) == ["xruns"])
    #expect(try archive.seriesKeys(rig: "rig").map(\.key.reading) == ["xruns"])
  }

  @Test(arguments: Store.available)
  func `runs are found by rig, plan, actuator, verdict, day and id, the latest first`(
    store: Store
  ) throws {
    let archive = try store.archive().open()
    var entries: [RunEntry] = []
    for number in 0..<12 {
      entries.append(
        try SampleRun(
          id: "run-\(number)", day: CalendarDay(number: 20_000 + number / 2), second: number,
          rig: number % 3 == 0 ? "one" : "two", plan: number % 2 == 0 ? "nightly" : "smoke",
          verdict: number == 7 ? .fail : .pass
        ).entry())
    }
    try archive.add(entries)
    #expect(try archive.runs().map(\.id) == (0..<12).reversed().map { "run-\($0)" })
    let ids = { (filter: RunFilter) in try archive.runs(matching: filter).map(\.id) }
    #expect(try ids(RunFilter(rig: "one")) == ["run-9", "run-6", "run-3", "run-0"])
    #expect(try ids(RunFilter(rig: "one", plan: "nightly")) == ["run-6", "run-0"])
    #expect(try ids(RunFilter(verdict: .fail)) == ["run-7"])
    #expect(try ids(RunFilter(limit: 2)) == ["run-11", "run-10"])
    #expect(try ids(RunFilter(ids: ["run-4", "run-1", "no"])) == ["run-4", "run-1"])
    #expect(try ids(RunFilter(actuator: "lra-2")).isEmpty)
    let day = CalendarDay(number: 20_001)
    #expect(try ids(RunFilter(days: day...day)) == ["run-3", "run-2"])
    #expect(try archive.latestRuns().map(\.id) == ["run-6", "run-9", "run-10", "run-11"])
  }

  @Test(arguments: Store.available)
  func `what runs were made in is kept by name`(store: Store) throws {
    let archive = try store.archive().open()
    try archive.add([
      SampleRun(id: "a", second: 1, environment: ["kernel": "6.1", "revision": "abc"]).entry(),
      SampleRun(id: "b", second: 2, environment: ["kernel": "6.2"]).entry(),
    ])
    let found = try archive.environment(of: RunFilter(rig: "rig"))
    #expect(found.map(\.run) == ["b", "a"])
    #expect(found[1].environment["kernel"] == "6.1" && found[1].environment["revision"] == "abc")
    #expect(found[0].environment["kernel"] == "6.2" && found[0].environment["revision"] == nil)
    #expect(found[0].environment["profile"] == "uncalibrated")
    #expect(found[0].environment["software"] == "haprig 9")
    #expect(try archive.runs().map(\.revision) == [nil, "abc"])
    #expect(try archive.environment(of: RunFilter(limit: 1)).map(\.run) == ["b"])
    #expect(
      try archive.environment("kernel", of: RunFilter(rig: "rig")) == ["a": "6.1", "b": "6.2"])
    #expect(try archive.environment("revision", of: RunFilter(rig: "rig")) == ["a": "abc"])
    #expect(try archive.environment("revision", of: RunFilter(rig: "other")).isEmpty)
    #expect(try archive.environment("unheard", of: RunFilter()).isEmpty)
  }

  @Test(arguments: Store.available)
  func `odd names come back as they were, without what no database takes`(store: Store) throws {
    let archive = try store.archive().open()
    let name = "it's \"odd\"; drop table runs; -- ? $1 \u{1F600}\n\t"
    try archive.add([
      SampleRun(id: "a", rig: name, environment: ["zero": "a\0b"]).entry(),
      SampleRun(id: "b", rig: String(repeating: "ü", count: 3000)).entry(),
    ])
    #expect(try archive.runs(matching: RunFilter(rig: name)).map(\.id) == ["a"])
    #expect(try archive.seriesKeys(rig: name).first?.key.rig == name)
    let environment = try archive.environment(of: RunFilter(ids: ["a"])).first?.environment
    #expect(environment?["zero"] == "a\u{FFFD}b")
    #expect(try archive.runs(matching: RunFilter(ids: ["b"])).first?.rig.utf8.count == 500)
  }
}
