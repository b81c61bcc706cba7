// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Foundation
import Glibc
import JSONText
import RecordedNights
import Testing

/// A rig's night, from the run to the exit code.
struct NightlyCommandTests {
  /// A bench with a simulated rig, a tap and the plan `quick`.
  private func bench(
    limits: [String] = [], changing changes: [String: String] = [:], faults: String? = nil,
    repeats: Int = 1
  ) throws -> Workbench {
    let bench = try Workbench()
    try bench.simulatedRig(changing: changes, faults: faults)
    try bench.write(Patterns.tap, to: "tap.ahap")
    try bench.write(Plans.quick(repeats: repeats, limits: limits), to: "plan.yaml")
    try bench.write("runs of tests", to: "reports/README.md")
    return bench
  }

  private let nightly = ["nightly", "--rig", "rig.yaml", "--plan", "plan.yaml", "--quiet"]

  /// Nights up to yesterday in which the rig's electrical latency was another one, but for the last two.
  ///
  /// With tonight's run the new level has its third night, and is sure; with none before it is its first.
  private func history(in bench: Workbench, before: Int = 2) throws -> RecordedNights {
    let run = try bench.haprig(
      "run", "plan.yaml", "--rig", "rig.yaml", "--archive", "truth", "--quiet")
    try #require(run.code == 0, "\(run.errors)")
    let record = try bench.record(in: "truth")
    let level = try #require(try record.reading("latency.electrical")["value"]?.number)
    var nights = RecordedNights([
      .init(
        ReadingName(.latencyElectrical), pattern: "tap", level: 0.5 * level, spread: 0.002 * level,
        steps: [(60 - before, 0.5 * level)])
    ])
    nights.rig = "simulated-lra"
    nights.plan = "quick"
    nights.actuator = try #require(record.json["actuator"]?["id"]?.string)
    nights.firstDay = Int(Date.now.timeIntervalSince1970) / 86_400 - nights.count
    nights.write(to: bench.file("reports").path())
    return nights
  }

  @Test func `a first night has no history, and passes by its run`() throws {
    let bench = try bench()
    let ending = try bench.haprig(nightly + ["--metrics", "night.prom"])
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(ending.output.contains("Too few nights to tell: 1 night of quick on simulated-lra"))
    let text = String(decoding: try bench.bytes("night.prom"), as: UTF8.self)
    #expect(text.contains("haprig_run_verdict{") && text.contains("haprig_history_outcome{"))
    #expect(text.components(separatedBy: "# EOF").count == 2)
    #expect(try bench.haprig("archive", "verify").code == 0)
    let page = String(
      decoding: try bench.bytes("reports/nightly-simulated-lra-quick.html"), as: UTF8.self)
    let run = try #require(bench.names(in: "reports").first { $0.hasSuffix("-quick") })
    #expect(page.contains("/\(run)/report.html\""))
  }

  @Test func `a change that rests on tonight is run again, and an alarm when that bears it out`()
    throws
  {
    let bench = try bench()
    let nights = try history(in: bench)
    let ending = try bench.haprig(nightly)
    #expect(ending.code == 1, "\(ending.output)\(ending.errors)")
    #expect(ending.errors.contains("the plan is run again"))
    #expect(ending.output.contains("Regression: 1 incident for the worse in 61 nights"))
    let runs = bench.names(in: "reports").filter { $0.hasSuffix("-quick") || $0.hasSuffix("-2") }
    #expect(runs.count == nights.count * nights.repeats + 2)
    // The next question does not run anything again: the re-run is in the archive.
    let again = try bench.haprig(
      "regress", "--rig", "rig.yaml", "--plan", "plan.yaml", "--rerun", "--quiet")
    #expect(again.code == 1 && again.errors == "", "\(again.errors)")
  }

  @Test func `a first night that looks off is run again, and stays suspected`() throws {
    let bench = try bench()
    _ = try history(in: bench, before: 0)
    let ending = try bench.haprig(nightly)
    #expect(ending.code == 0, "\(ending.output)\(ending.errors)")
    #expect(ending.errors.contains("the plan is run again"))
    let words = ending.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("Nothing is confirmed yet: 61 nights"), "\(ending.output)")
    #expect(ending.output.contains("electrical delay of tap"))
    #expect(ending.output.contains("borne out by a re-run, 2 more nights to confirm"))
    #expect(!ending.output.contains("No regression"))
  }

  @Test func `without a re-run the change waits for the next night`() throws {
    let bench = try bench()
    _ = try history(in: bench)
    let ending = try bench.haprig(nightly + ["--no-rerun"])
    #expect(ending.code == 0, "\(ending.output)")
    #expect(ending.output.hasSuffix("") && ending.output.contains("Not confirmed yet: "))
    let rerun = try bench.haprig(
      "regress", "--rig", "rig.yaml", "--plan", "plan.yaml", "--rerun", "--quiet")
    #expect(rerun.code == 1, "\(rerun.errors)")
    #expect(rerun.errors.contains("the plan is run again"))
  }

  @Test func `a re-run of a plan that has no nights is refused before anything plays`() throws {
    let bench = try bench()
    _ = try bench.haprig(nightly)
    try bench.write(
      Plans.quick().replacing("name: quick", with: "name: slow"), to: "other.yaml")
    let before = bench.names(in: "reports")
    let ending = try bench.haprig(
      "regress", "--rig", "rig.yaml", "--plan", "other.yaml", "--rerun")
    #expect(ending.code == 2)
    #expect(ending.errors.contains("the rig 'simulated-lra' has no run of the plan 'slow'"))
    #expect(bench.names(in: "reports") == before)
  }

  @Test func `a run that breaks a limit is a bad night, whatever the history says`() throws {
    let bench = try bench(limits: ["{reading: latency.electrical, below: 0.1 ms}"])
    let ending = try bench.haprig(nightly)
    #expect(ending.code == 1, "\(ending.errors)")
    #expect(ending.output.contains("No regression, but outside the plan's limits"))
  }

  @Test func `a device fault is told as one and no part of a night`() throws {
    let bench = try bench(faults: "{kind: unplug, at: 0.2 s}")
    let ending = try bench.haprig(nightly)
    #expect(ending.code == 3, "\(ending.errors)")
    #expect(ending.output.contains("There is no complete run of quick on simulated-lra."))
  }

  @Test func `old runs go when the night is over`() throws {
    let bench = try bench()
    let nights = try history(in: bench)
    let ending = try bench.haprig(nightly + ["--no-rerun", "--keep-runs", "30"])
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(ending.output.contains("pruned: "))
    let left = Set(bench.names(in: "reports"))
    #expect(!left.contains(nights.id(night: 10)))
    #expect(left.contains(nights.id(night: 50)))
  }

  @Test(arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
  func `a rig has one night at a time, and a night that is stopped ends clean`(
    signal: Int32, code: Int32
  ) throws {
    let bench = try bench(changing: ["clock: virtual": "clock: real"], repeats: 100)
    let first = try bench.start(
      haprig: nightly.filter { $0 != "--quiet" } + ["--metrics", "night.prom"])
    for _ in 0..<12_000 where !first.errorsSoFar.contains("measured tap, take 1") {
      usleep(5_000)
    }
    let second = try bench.haprig(nightly)
    #expect(second.code == 75)
    #expect(
      second.errors.contains("is at this rig's night already: wait for it"), "\(second.errors)")
    first.send(signal)
    let ending = try first.end()
    #expect(ending.code == code, "\(ending.errors)")
    // Nothing is judged and nothing pruned after it, and the archive is sound.
    #expect(!ending.output.contains("regression"))
    #expect(!bench.names(in: ".").contains("night.prom"))
    #expect(!bench.names(in: "reports").contains { $0.hasSuffix(".html") })
    #expect(try bench.haprig("archive", "verify").code == 0)
    let listed = try bench.haprig("archive", "list", "--json")
    let runs = try JSONValue(parsing: Array(listed.output.utf8)).elements ?? []
    #expect(runs.map { $0["status"]?.string } == ["interrupted"])
  }

  @Test(
    arguments: [
      (["--plan", "plan.yaml"], "--rig"),
      (["--rig", "rig.yaml", "--plan", "none.yaml"], "none.yaml"),
      (["--rig", "rig.yaml", "--plan", "plan.yaml", "--days", "0"], "--days takes"),
      (
        ["--rig", "rig.yaml", "--plan", "plan.yaml", "--stimulus", "a.wav"],
        "a night plays on a rig that is on line"
      ),
      (
        [
          "--rig", "rig.yaml", "--plan", "plan.yaml", "--keep-recordings", "30", "--keep-runs", "3",
        ], "recordings go first"
      ),
    ])
  func `bad input is one sentence before anything plays`(arguments: [String], words: String) throws
  {
    let bench = try bench()
    let ending = try bench.haprig(["nightly"] + arguments)
    #expect(ending.code == 2, "\(ending.output)")
    #expect(ending.errors.contains(words), "\(ending.errors)")
    #expect(bench.names(in: "reports") == ["README.md"])
  }
}
