// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import JSONText
import Testing

/// `haprig gauge` on the simulated rig.
struct GaugeCommandTests {
  private static let study = """
    name: tiny
    plan: plan.yaml
    actuators: [a, b]
    rigs: [simulated-lra]
    mounts: 2
    repeats: 2
    readings: [latency.transport, {reading: response.rms, tolerance: 1 m/s2}]
    """

  private func bench() throws -> Workbench {
    let bench = try Workbench()
    try bench.write(Self.study, to: "study.yaml")
    try bench.write(
      """
      name: plan
      patterns: [\(Workbench.rigs)/patterns/taps-isolated.ahap]
      limits: []
      recordings: false
      """, to: "plan.yaml")
    return bench
  }

  private static let run = [
    "gauge", "run", "--study", "study.yaml", "--rig", Workbench.rigs + "/simulated-lra.yaml",
    "--archive", "archive",
  ]

  /// Runs the command with some lines on its standard input.
  private func type(_ lines: String, in bench: Workbench) throws -> Ending {
    try bench.write(lines, to: "lines")
    let words = ([Workbench.haprig] + Self.run).map { "'\($0)'" }.joined(separator: " ")
    return try bench.start(["sh", "-c", "exec \(words) < lines"]).end()
  }

  private func report(_ more: String..., in bench: Workbench) throws -> Ending {
    try bench.haprig(
      ["gauge", "report", "--study", "study.yaml", "--archive", "archive"] + more)
  }

  @Test func `a study is done mount by mount, goes on where it was left, and is reported`() throws {
    let bench = try bench()
    let first = try type("\nq\n", in: bench)
    #expect(first.code == 0, "\(first.errors)")
    #expect(first.errors.contains("0 of 4 mounts are done; today on simulated-lra: "))
    #expect(
      first.errors.contains("anew on simulated-lra, then press Return (s skips it today, q ends)"))
    #expect(first.output.hasPrefix("1 of 4 mounts are done; left today on simulated-lra: "))
    // Half of it, and one value of an actuator, is told as what it is.
    let half = try report(in: bench)
    #expect(half.output.contains("note: 1 of 4 mounts are done"), "\(half)")
    // A script mounts one: whichever is open still has a mount.
    let scripted = try bench.haprig(Self.run + ["--mount", "a", "--quiet"])
    #expect(scripted.code == 0, "\(scripted.errors)")
    let rest = try type("\n\n\n", in: bench)
    #expect(
      rest.output
        == "4 of 4 mounts are done; simulated-lra is done for today, and with the study\n",
      "\(rest)")
    let ending = try report("--json", "--html", "pages/gauge.html", in: bench)
    #expect([0, 1].contains(ending.code), "\(ending.errors)")
    let json = try JSONValue(parsing: Array(ending.output.utf8))
    #expect(json["doneMounts"]?.number == 4)
    #expect(json["runs"]?.number == 8)
    #expect(json["readings"]?.elements?.count == 2)
    #expect(
      try String(decoding: bench.bytes("pages/gauge.html"), as: UTF8.self).hasPrefix("<!DOCTYPE"))
    let csv = try report("--csv", in: bench)
    #expect(csv.output.split(separator: "\r\n").count == 17)
    // The same archive, the same bytes.
    #expect(try report("--json", in: bench).output == ending.output)
    // Nothing of it is in a history of the plan.
    let history = try bench.haprig(
      "history", "--rig", "simulated-lra", "--plan", "plan", "--archive", "archive")
    #expect(history.code == 2)
    #expect(history.errors.contains("has no run of the plan 'plan', but of gauge-tiny"))
  }

  @Test func `an interruption at the question leaves nothing behind`() throws {
    let bench = try bench()
    let terminal = try Terminal()
    let program = try bench.start([Workbench.haprig] + Self.run, on: terminal)
    for _ in 0..<2000 where !program.errorsSoFar.contains("press Return") { usleep(5_000) }
    program.send(SIGINT)
    let ending = try program.end()
    #expect(ending.code == 130, "\(ending)")
    #expect(ending.errors.contains("stopped by signal 2 between two runs"), "\(ending.errors)")
    #expect(bench.names(in: "archive").filter { !$0.hasPrefix(".") }.isEmpty)
    // And the next one goes on.
    #expect(try type("q\n", in: bench).code == 0)
  }

  @Test(arguments: [
    (["--mount", "c"], "the study 'tiny' has no actuator 'c': it has a, b"),
    (["--actuator", "a"], "a study says itself which actuator is mounted"),
    (["--study", "none.yaml"], "none.yaml"),
  ])
  func `what is wrong is told before anything plays`(more: [String], words: String) throws {
    let bench = try bench()
    let ending = try bench.haprig(Self.run + more)
    #expect(ending.code == 2, "\(ending)")
    #expect(ending.errors.contains(words), "\(ending.errors)")
  }
}
