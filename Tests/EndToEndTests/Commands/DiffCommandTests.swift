// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONText
import RecordedNights
import Testing

/// `haprig diff` as a person and a program use it.
struct DiffCommandTests {
  private static let schema = "diff.schema.json"

  /// Two runs of a pattern on the simulated rig, the second with a seed of its own and what else differs.
  private func bench(changing changes: [String: String] = [:]) throws -> (Workbench, [String]) {
    let bench = try Workbench()
    try bench.write(Patterns.taps(seconds: 2), to: "taps.ahap")
    for (number, rig) in ["first.yaml", "second.yaml"].enumerated() {
      try bench.simulatedRig(
        changing: number == 0
          ? [:] : changes.merging(["seed: 1": "seed: 2"], uniquingKeysWith: { $1 }), to: rig)
      let ending = try bench.haprig(
        "run", "taps.ahap", "--rig", rig, "--repeats", "4", "--archive", "reports", "--quiet")
      try #require(ending.code <= 1, "\(ending.errors)")
    }
    return (bench, bench.names(in: "reports").filter { !$0.hasPrefix(".") })
  }

  @Test func `a later transport is found, told and shown`() throws {
    let (bench, runs) = try bench(changing: ["transport: 0.40 ms": "transport: 0.60 ms"])
    try #require(runs.count == 2, "\(runs)")
    let text = try bench.haprig(["diff"] + runs + ["--html", "pages/diff.html"])
    #expect(text.code == 1, "\(text)")
    #expect(text.output.contains("delay to motion"))
    #expect(text.output.contains("environment: rig file from sha256 "))
    #expect(text.output.contains("waveforms"))
    let page = String(decoding: try bench.bytes("pages/diff.html"), as: UTF8.self)
    #expect(page.contains("<svg") && !page.contains("src=\"http"))
    let json = try bench.haprig(["diff"] + runs + ["--json", "--reading", "latency.transport"])
    #expect(json.code == 1)
    let value = try JSONValue(parsing: Array(json.output.utf8))
    let reading = try #require(value["pairs"]?.elements?.first?["readings"]?.elements?.first)
    let found = try #require(reading["difference"]?.number)
    #expect(abs(found - 200e-6) < 10e-6, "\(json.output)")
    #expect(
      reading["course"]?.string == "worse" && reading["finding"]?.string == "more than chance")
    #expect(try bench.complaints(of: json.output, by: Self.schema) == "")
    // The other way about it is for the better.
    let back = try bench.haprig(
      ["diff"] + runs.reversed() + ["--reading", "latency.transport"])
    #expect(back.code == 0 && back.output.contains("1 for the better"), "\(back)")
  }

  @Test func `a run beside itself is no difference, byte for byte the same each time`() throws {
    let (bench, runs) = try bench()
    let words = ["diff", "reports/\(runs[0])", runs[0], "--html"]
    let first = try bench.haprig(words + ["1.html"])
    let second = try bench.haprig(words + ["2.html"])
    #expect(first.code == 0 && first.output == second.output, "\(first)")
    #expect(try bench.bytes("1.html") == bench.bytes("2.html"))
    #expect(first.output.contains("none differs by more than chance"))
    let json = try bench.haprig("diff", runs[0], runs[0], "--json")
    #expect(try bench.complaints(of: json.output, by: Self.schema) == "")
    let takes = try bench.haprig("diff", "\(runs[0]):taps:1", "\(runs[0]):taps:2", "--all")
    #expect(takes.code <= 1 && takes.output.contains("cannot be told"), "\(takes)")
  }

  @Test func `a baseline is what its nights say, or the run that was pinned`() throws {
    let bench = try HistoryFixture(.latency(steps: [(59, 0.001)]))
    let run = bench.nights.id(night: 59)
    let worse = try bench.haprig("diff", run, "--baseline")
    #expect(worse.code == 1, "\(worse)")
    #expect(
      worse.output.contains(
        "A  baseline: 42 runs of 14 nights, the last \(bench.nights.id(night: 58, repeat: 2))"))
    let help = try bench.haprig("diff", "--help").output.split(whereSeparator: \.isWhitespace)
    #expect(help.joined(separator: " ").contains("else the last 14 nights before it"))
    #expect(worse.output.contains("note: no waveforms: ") && worse.output.contains("felt start"))
    #expect(try bench.haprig("diff", bench.nights.id(night: 58), "--baseline").code == 0)
    let golden = bench.nights.id(night: 3)
    #expect(try bench.haprig("baseline", "pin", golden, "--why", "golden").code == 0)
    let pinned = try bench.haprig("diff", run, "--baseline")
    #expect(pinned.output.contains("A  baseline, \(golden)"), "\(pinned)")
    let first = try bench.haprig("baseline", "list", "--json")
    #expect(first.code == 0)
  }

  @Test func `imported runs are compared without waveforms`() throws {
    let bench = try Workbench()
    for (day, shift) in [(1, 0.0), (2, 1.0)] {
      let rows = (0..<5).map { number in
        "2025-03-0\(day)T02:00:00Z,latency.onset,\(10 + shift + 0.02 * Double((number * 3) % 5)),ms,tap,\(number + 1)"
      }
      try bench.write(
        "when,reading,value,unit,pattern,repeat\n" + rows.joined(separator: "\n") + "\n",
        to: "day\(day).csv")
      let ending = try bench.haprig(
        "archive", "import", "day\(day).csv", "--rig", "bench", "--plan", "nightly", "--actuator",
        "lra-1", "--archive", "reports")
      try #require(ending.code == 0, "\(ending.errors)")
    }
    let runs = bench.names(in: "reports").filter { $0.hasPrefix("2025") }
    try #require(runs.count == 2, "\(runs)")
    let ending = try bench.haprig(["diff"] + runs)
    #expect(ending.code == 1, "\(ending)")
    #expect(ending.output.contains("note: no waveforms: an imported run has no recordings"))
    #expect(
      ending.output.contains("not common, so it counts: calibration of the sensor, which a record"))
  }

  @Test func `wrong input is one sentence`() throws {
    let bench = try HistoryFixture(.latency())
    let run = bench.nights.id(night: 1)
    let near = try bench.haprig("diff", run, run + "x")
    #expect(near.code == 2)
    #expect(
      near.errors.contains("there is no run '\(run)x'")
        && near.errors.contains("nearest it has: \(run)"))
    #expect(try bench.haprig("diff", run).code == 2)
    let none = try bench.haprig("diff", run, run, "--reading", "sync.*")
    #expect(none.code == 2 && none.errors.contains("have no reading in common that is asked for"))
    let pattern = try bench.haprig("diff", "\(run):tpa", run)
    #expect(pattern.code == 2 && pattern.errors.contains("the nearest it has: tap"), "\(pattern)")
    #expect(try bench.haprig("diff", "../../etc", run).code == 2)
  }
}
