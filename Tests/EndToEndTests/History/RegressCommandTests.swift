// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Foundation
import JSONText
import RecordedNights
import Testing

/// What `haprig regress` says of nights whose truth is known.
struct RegressCommandTests {
  @Test func `nights that only scatter are no regression`() throws {
    let bench = try HistoryFixture(.latency())
    let ending = try bench.regress()
    #expect(ending.code == 0, "\(ending.output)\(ending.errors)")
    #expect(ending.output.hasPrefix("No regression: 60 nights of nightly on bench, 2026-02-16 to"))
    #expect(ending.errors == "")
  }

  @Test func `a step of three sigma is found, named and ends with 1`() throws {
    let bench = try HistoryFixture(.latency(steps: [(45, 0.0003)]))
    let ending = try bench.regress()
    #expect(ending.code == 1, "\(ending.output)\(ending.errors)")
    #expect(ending.output.contains("Regression: 1 incident for the worse"))
    #expect(ending.output.contains("First: felt start of tap went from 10.0"))
    let change = try #require(try bench.json().changes.first)
    #expect(change["standing"]?.string == "raised")
    // Where a step lies is known to within a night or two of its first.
    let found = try #require(change["day"]?.string)
    #expect((43...47).map(bench.nights.day).contains(found), "\(found)")
    let effect = try #require(change["effect"]?.number)
    #expect(abs(effect - 0.0003) < 0.0001, "\(effect)")
  }

  @Test func `a change for the better is reported and is no regression`() throws {
    let bench = try HistoryFixture(.latency(steps: [(45, -0.0003)]))
    let ending = try bench.regress()
    #expect(ending.code == 0)
    #expect(try bench.json().changes.map { $0["standing"]?.string } == ["improved"])
    #expect(ending.output.contains("better"))
  }

  @Test func `a control that moved with it holds the alarm back, with the reason`() throws {
    let bench = try HistoryFixture(
      .latency(steps: [(45, 0.0005)], controlSteps: [(45, 0.0004)]))
    let ending = try bench.regress()
    #expect(ending.code == 0, "\(ending.output)")
    #expect(ending.output.hasPrefix("The rig moved"))
    let json = try bench.json()
    #expect(json.value["outcome"]?.string == "rig moved")
    let held = try #require(json.changes.first { $0["standing"]?.string == "heldBack" })
    #expect(held["reason"]?.string?.contains("control.latency.electrical of the same rig") == true)
  }

  @Test func `a change that somebody accepted is silent, and says who, when and why`() throws {
    let bench = try HistoryFixture(.latency(steps: [(45, 0.0005)]))
    #expect(try bench.regress().code == 1)
    let accepted = try bench.haprig(
      "baseline", "accept", "--rig", "bench", "--reading", "latency.onset", "--why",
      "new amplifier", "--who", "Ada")
    #expect(accepted.code == 0, "\(accepted.errors)")
    let ending = try bench.regress()
    #expect(ending.code == 0, "\(ending.output)")
    #expect(ending.output.contains("accepted by Ada, "))
    #expect(ending.output.contains(": new amplifier"))
    let baseline = try #require(try bench.json().series("latency.onset")?["baseline"])
    #expect(abs((baseline["level"]?.number ?? 0) - 0.0105) < 0.0001)
    #expect(baseline["decision"]?["who"]?.string == "Ada")
    let file = try #require(accepted.output.split(separator: ":").first.map(String.init))
    #expect(try bench.haprig("baseline", "withdraw", file).code == 0)
    #expect(try bench.regress().code == 1)
  }

  @Test func `a change after what was accepted is an alarm again`() throws {
    let bench = try HistoryFixture(.latency(steps: [(25, 0.0005), (48, 0.0005)]))
    let night = bench.nights.day(of: 35)
    #expect(
      try bench.haprig(
        "baseline", "accept", "--rig", "bench", "--until", night, "--why", "new foam"
      ).code == 0)
    #expect(try bench.regress().code == 1)
    #expect(
      try bench.json().changes.map { $0["standing"]?.string } == ["raised", "accepted"])
  }

  @Test func `a pinned run is the baseline, and changes before it are accepted`() throws {
    let bench = try HistoryFixture(.latency(steps: [(30, 0.0005)]))
    let golden = bench.nights.id(night: 40)
    let pinned = try bench.haprig("baseline", "pin", golden, "--why", "golden sample")
    #expect(pinned.code == 0, "\(pinned.errors)")
    #expect(try bench.regress().code == 0)
    let series = try #require(try bench.json().series("latency.onset"))
    #expect(series["baseline"]?["decision"]?["run"]?.string == golden)
    let record = try JSONValue(
      parsing: Array(try bench.bench.bytes("reports/\(golden)/record.json")))
    let measured = record["readings"]?.elements?.first?["value"]?.number
    #expect(series["baseline"]?["level"]?.number == measured)
    // Pinned to a run before the step, the step is what it is.
    let early = try bench.haprig(
      "baseline", "pin", bench.nights.id(night: 10), "--why", "the older sample")
    #expect(early.code == 0)
    #expect(try bench.regress().code == 1)
  }

  @Test func `accepting all of a rig leaves the pin of one reading, and says so`() throws {
    let bench = try HistoryFixture(.latency(steps: [(30, 0.0005)]))
    let golden = bench.nights.id(night: 10)
    let pinned = try bench.haprig(
      "baseline", "pin", golden, "--reading", "latency.onset", "--why", "golden sample")
    let file = try #require(pinned.output.split(separator: ":").first.map(String.init))
    let accept = ["baseline", "accept", "--rig", "bench", "--why", "new amplifier"]
    let accepted = try bench.bench.haprig(accept)
    #expect(accepted.code == 0, "\(accepted.errors)")
    #expect(
      accepted.output.contains(
        "latency.onset on bench is pinned to \(golden), and stays so: decide on it by name, or "
          + "'haprig baseline withdraw \(file)'\n"), "\(accepted.output)")
    #expect(try bench.regress().code == 1)
    let named = try bench.bench.haprig(accept + ["--reading", "latency.onset"])
    #expect(!named.output.contains("stays so"), "\(named.output)")
    #expect(try bench.regress().code == 0)
  }

  @Test func `a broken limit is listed and is not the statistics' affair`() throws {
    var nights = RecordedNights.latency()
    nights.limits = [Limit(ReadingName(.latencyOnset), .below(0.009, marginal: nil))]
    let bench = try HistoryFixture(nights)
    let ending = try bench.regress()
    #expect(ending.code == 0, "\(ending.output)")
    #expect(ending.output.hasPrefix("No regression, but outside the plan's limits"))
    #expect(ending.output.contains("felt start of tap: "))
    #expect(ending.output.contains("asked is at most 9 ms"))
    let json = try bench.json()
    #expect(json.value["outcome"]?.string == "outside limits")
    #expect(json.value["violations"]?.elements?.count == nights.repeats)
    #expect(json.series("latency.onset")?["verdict"]?.string == "fail")
  }

  @Test func `what else changed that night is named, best telling first`() throws {
    var nights = RecordedNights.latency(steps: [(45, 0.0005)])
    nights.environment = { night in
      [
        "kernel": night < 45 ? "6.1.0-25" : "6.1.0-26", "firmware": night < 20 ? "1.3" : "1.4",
        "revision": "revision-\(night)",
      ]
    }
    let bench = try HistoryFixture(nights)
    let ending = try bench.regress()
    #expect(ending.code == 1)
    #expect(ending.output.contains("With it changed kernel from 6.1.0-25 to 6.1.0-26."))
    let differences = try #require(try bench.json().changes.first?["environment"]?.elements)
    #expect(differences.compactMap { $0["key"]?.string } == ["kernel"])
    #expect(differences.first?["separation"]?.number == 1)
  }

  @Test
  func `a change that the newest night made sure waits for a re-run, which confirms it or not`()
    throws
  {
    // Sure with its third night: what lasts less may be two bad nights.
    let nights = RecordedNights.latency(steps: [(57, 0.0012)])
    let bench = try HistoryFixture(nights)
    #expect(try bench.regress().code == 0)
    let found = try #require(try bench.json().changes.first)
    #expect(found["state"]?.string == "found" && found["standing"]?.string == "unconfirmed")
    // Nearer to the level before: the night was a bad one.
    nights.writeRerun(of: 59, values: [0.0101, 0.0083], to: bench.archive)
    #expect(try bench.regress().code == 0)
    #expect(try bench.json().changes.first?["state"]?.string == "weak")
    let other = try HistoryFixture(nights)
    nights.writeRerun(of: 59, values: [0.0111, 0.0083], to: other.archive)
    let ending = try other.regress()
    #expect(ending.code == 1, "\(ending.output)")
    // A re-run is no part of its night.
    let last = try #require(try other.json().series("latency.onset")?["nights"]?.elements?.last)
    #expect(last["count"]?.integer == nights.repeats)
  }

  @Test func `an earlier end gives what was said then`() throws {
    let bench = try HistoryFixture(.latency(steps: [(45, 0.0005)]))
    #expect(try bench.regress("--until", bench.nights.day(of: 44)).code == 0)
    #expect(try bench.regress("--until", bench.nights.day(of: 50)).code == 1)
    #expect(try bench.regress("--until", "2001-01-01").code == 0)
    let none = try bench.regress("--until", "2001-01-01")
    #expect(none.output == "There is no complete run of nightly on bench.\n")
  }

  @Test func `equal archives give equal words, whatever the clock says`() throws {
    let nights = RecordedNights.latency(steps: [(45, 0.0005)])
    let (one, other) = (try HistoryFixture(nights), try HistoryFixture(nights))
    #expect(try one.regress().output == other.regress().output)
    #expect(try one.regress("--json").output == other.regress("--json").output)
  }

  @Test func `the outcome is written for a metrics collector`() throws {
    let bench = try HistoryFixture(.latency(steps: [(45, 0.0005)]))
    #expect(try bench.regress("--metrics", "metrics/haprig.prom").code == 1)
    let text = String(decoding: try bench.bench.bytes("metrics/haprig.prom"), as: UTF8.self)
    #expect(
      text.contains(
        "haprig_history_outcome{rig=\"bench\",plan=\"nightly\",outcome=\"regression\"} 1.0\n"))
    #expect(
      text.contains(
        "haprig_history_changes{rig=\"bench\",plan=\"nightly\",standing=\"raised\"} 1.0\n"))
    #expect(text.hasSuffix("# EOF\n"))
    #expect(bench.bench.names(in: "metrics") == ["haprig.prom"])
  }

  @Test func `the page says what the command says, and its links lead to the runs`() throws {
    let bench = try HistoryFixture(.latency(steps: [(45, 0.0005)]))
    let ending = try bench.regress("--html", "pages/of all/night.html")
    #expect(ending.code == 1, "\(ending.errors)")
    let page = String(decoding: try bench.bench.bytes("pages/of all/night.html"), as: UTF8.self)
    #expect(ending.output.contains("First: felt start of tap went from"))
    #expect(page.contains(">Felt start of tap went up by "))
    let links = page.matches(of: /href="([^"#]+report\.html)"/).map { String($0.output.1) }
    #expect(Set(links).count >= 2)
    for link in links {
      let path = try #require(link.removingPercentEncoding)
      let target = bench.bench.file("pages/of all/" + path).standardizedFileURL.path()
      #expect(FileManager.default.fileExists(atPath: target), "\(link)")
      #expect(link.hasPrefix("../../reports/"))
    }
  }

  @Test func `a record that cannot be read is passed over with a warning`() throws {
    let bench = try HistoryFixture(.latency(steps: [(45, 0.0005)]))
    try bench.bench.write("{", to: "reports/20260301-020000-bench-nightly/record.json")
    let ending = try bench.regress()
    #expect(ending.code == 1)
    #expect(ending.errors.split(separator: "\n").count == 1, "\(ending.errors)")
    #expect(
      ending.errors.contains(
        "not indexed: reports/20260301-020000-bench-nightly/record.json: "))
    #expect(ending.output.contains("note: not indexed: "))
  }

  @Test func `two processes at once say the same`() throws {
    let bench = try HistoryFixture(.latency(steps: [(45, 0.0005)]))
    let arguments = ["regress", "--rig", "bench", "--json"]
    let both = try (0..<2).map { _ in try bench.bench.start(haprig: arguments) }
    let endings = try both.map { try $0.end() }
    #expect(endings.map(\.code) == [1, 1])
    #expect(endings[0].output == endings[1].output)
    #expect(endings.allSatisfy { $0.errors == "" }, "\(endings.map(\.errors))")
  }

  @Test(
    arguments: [
      (["--rig", "other"], "no run of the rig 'other'; it has runs of bench"),
      (["--rig", "bench", "--plan", "smoke"], "no run of the plan 'smoke', but of nightly"),
      (["--rig", "bench", "--days", "0"], "--days takes 1 to 36500, not 0"),
      (["--rig", "bench", "--until", "tomorrow"], "--until takes a day such as 2026-11-21"),
      (["--rig", "bench", "--rerun"], "there is no rig 'bench' in rigs, "),
      (["--rig", "bench", "--rig-file", "x.yaml"], "--rig takes a file as well as a name"),
      (["--rig", "x.yaml"], "x.yaml: there is no such file"),
      (["--rerun"], "there is no rig 'bench' in rigs, "),
      (["--rig", "bench", "--archive", "nowhere"], "nowhere: there is no such folder"),
    ])
  func `bad input is one sentence and exit code 2`(arguments: [String], words: String) throws {
    var nights = RecordedNights.latency()
    nights.count = 3
    let bench = try HistoryFixture(nights)
    let ending = try bench.bench.haprig(["regress"] + arguments)
    #expect(ending.code == 2, "\(ending.output)")
    #expect(ending.errors.contains(words), "\(ending.errors)")
  }

  @Test func `the only rig of an archive need not be named`() throws {
    var nights = RecordedNights.latency()
    nights.count = 3
    let bench = try HistoryFixture(nights)
    let named = try bench.bench.haprig("regress", "--rig", "bench")
    let ending = try bench.bench.haprig("regress")
    #expect(ending.code == 0 && ending.output == named.output, "\(ending.errors)")
    let accepted = try bench.bench.haprig("baseline", "accept", "--why", "a new mount")
    #expect(accepted.code == 0 && accepted.output.contains("bench"), "\(accepted.errors)")
    nights.rig = "other"
    nights.write(to: bench.archive)
    for words in [["regress"], ["baseline", "accept", "--why", "a new mount"]] {
      let ending = try bench.bench.haprig(words)
      #expect(ending.code == 2, "\(words)")
      #expect(ending.errors.contains("--rig: the archive has runs of bench, other: name one"))
    }
  }

  @Test(arguments: ["regress", "history"])
  func `an empty archive is said to be empty`(command: String) throws {
    let bench = try Workbench()
    try bench.write("", to: "reports/README.md")
    let ending = try bench.haprig(command, "--rig", "bench")
    #expect(ending.code == 2)
    #expect(ending.errors.contains("reports: the archive holds no run"), "\(ending.errors)")
  }
}
