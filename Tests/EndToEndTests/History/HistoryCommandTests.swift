// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONText
import RecordedNights
import Testing

/// What `haprig history` and `haprig baseline` show.
struct HistoryCommandTests {
  @Test func `every series has its newest night, baseline, sparkline and changes`() throws {
    let bench = try HistoryFixture(.latency(steps: [(45, 0.0005)]))
    let ending = try bench.haprig("history", "--rig", "bench")
    #expect(ending.code == 0, "\(ending.errors)")
    let lines = ending.output.split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= 100 }, "\(ending.output)")
    #expect(lines.first == "nightly on bench: 60 nights, 2026-02-16 to 2026-04-16")
    let latency = try #require(lines.first { $0.hasPrefix("felt start") })
    #expect(latency.contains(" ms ") && latency.contains("±"), "\(latency)")
    #expect(latency.contains("▁") && latency.contains("█"))
    #expect(lines.contains { $0.hasPrefix("  worse ") && $0.contains("felt start of tap") })
  }

  @Test func `series are chosen by reading, pattern and actuator, and the control still counts`()
    throws
  {
    let bench = try HistoryFixture(
      .latency(steps: [(45, 0.0005)], controlSteps: [(45, 0.0005)]))
    let readings = { (arguments: [String]) in
      try HistoryJSON(
        value: JSONValue(
          parsing: Array(
            try bench.bench.haprig(["history", "--rig", "bench", "--json"] + arguments).output.utf8)
        )
      ).series.compactMap { $0["reading"]?.string }
    }
    #expect(try readings([]) == ["control.latency.electrical", "latency.onset"])
    #expect(try readings(["--reading", "latency.*"]) == ["latency.onset"])
    #expect(try readings(["--pattern", "tap"]) == ["latency.onset"])
    #expect(try readings(["--pattern", ""]) == ["control.latency.electrical"])
    let standing = try bench.json("--reading", "latency.*").changes.first?["standing"]?.string
    #expect(standing == "heldBack")
    let none = try bench.haprig("history", "--rig", "bench", "--actuator", "lra-9")
    #expect(none.code == 2)
    #expect(none.errors.contains("no series of nightly on bench is so"))
  }

  @Test func `the JSON holds what the records hold`() throws {
    let bench = try HistoryFixture(.latency())
    let json = try bench.json("--days", "10")
    #expect(json.value["schema"]?.string == "haprig.history/1")
    #expect(json.value["from"]?.string == bench.nights.day(of: 50))
    #expect(json.value["to"]?.string == bench.nights.day(of: 59))
    #expect(json.value["nights"]?.integer == 10)
    let series = try #require(json.series("latency.onset"))
    #expect(series["unit"]?.string == "s")
    let night = try #require(series["nights"]?.elements?.first)
    let values = try (0..<3).map { number in
      let id = bench.nights.id(night: 50, repeat: number)
      let record = try JSONValue(
        parsing: Array(try bench.bench.bytes("reports/\(id)/record.json")))
      return try #require(record["readings"]?.elements?.first?["value"]?.number)
    }
    #expect(night["value"]?.number == values.sorted()[1])
    #expect(night["count"]?.integer == 3)
    #expect(json.value["runs"]?.elements?.count == 30)
  }

  @Test func `a rig with several plans is asked which`() throws {
    var nights = RecordedNights.latency()
    nights.count = 3
    let bench = try HistoryFixture(nights)
    nights.plan = "smoke"
    nights.write(to: bench.archive)
    let ending = try bench.haprig("history", "--rig", "bench")
    #expect(ending.code == 2)
    #expect(ending.errors.contains("the rig 'bench' has runs of nightly, smoke: name one"))
    #expect(try bench.haprig("history", "--rig", "bench", "--plan", "smoke").code == 0)
  }

  @Test func `decisions are listed with who, when and why`() throws {
    let bench = try HistoryFixture(.latency())
    #expect(
      try bench.haprig(
        "baseline", "accept", "--rig", "bench", "--pattern", "tap", "--why", "softer foam",
        "--who", "Ada"
      ).code == 0)
    let listed = try bench.haprig("baseline", "list")
    #expect(listed.output.contains("every reading of tap on bench is accepted as it is on"))
    #expect(listed.output.contains("Ada, 20") && listed.output.contains(": softer foam"))
    let json = try JSONValue(
      parsing: Array(try bench.haprig("baseline", "list", "--json").output.utf8))
    #expect(json.elements?.first?["why"]?.string == "softer foam")
    #expect(json.elements?.first?["from"]?.string == bench.nights.day(of: 59))
    #expect(try bench.haprig("baseline", "list", "--rig", "other").output == "")
  }

  @Test(
    arguments: [
      (["accept", "--rig", "bench", "--why", " "], "--why is empty"),
      (["accept", "--rig", "bench"], "--why"),
      (["accept", "--rig", "other", "--why", "x"], "no run of the rig 'other'"),
      (
        ["accept", "--rig", "bench", "--reading", "latency.onst", "--why", "x"],
        "has no reading 'latency.onst'; the nearest it has: latency.onset"
      ),
      (
        [
          "accept", "--rig", "bench", "--reading", "latency.onset", "--pattern", "tpa", "--why",
          "x",
        ], "has no pattern 'tpa' with latency.onset; the nearest it has: tap"
      ),
      (
        ["accept", "--rig", "bench", "--until", "2099-01-01", "--why", "x"],
        "--until 2099-01-01: the newest night of 'bench' is "
      ),
      (["accept", "--rig", "bench", "--until", "soon", "--why", "x"], "--until takes a day"),
      (["pin", "no-such-run", "--why", "x"], "there is no such run in the archive"),
      (["pin", "../elsewhere", "--why", "x"], "there is no such run in the archive"),
      (["withdraw", "none.json"], "there is no such baseline"),
      (["withdraw", "../index.sqlite"], "there is no such baseline"),
    ])
  func `a decision that says nothing is refused`(arguments: [String], words: String) throws {
    var nights = RecordedNights.latency()
    nights.count = 3
    let bench = try HistoryFixture(nights)
    let ending = try bench.bench.haprig(["baseline"] + arguments)
    #expect(ending.code == 2, "\(ending.output)")
    #expect(ending.errors.contains(words), "\(ending.errors)")
    #expect(bench.bench.names(in: "reports/baselines").isEmpty)
  }
}
