// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONText
import Testing

/// `--job`: a run that is asked for again because nobody knew how it ended.
struct JobTests {
  private let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.simulatedRig()
    try bench.write(Patterns.tap, to: "tap.ahap")
    try bench.write(Plans.quick(repeats: 1), to: "plan.yaml")
  }

  private func run(_ words: String...) throws -> Ending {
    try bench.haprig(
      ["run", "plan.yaml", "--rig", "rig.yaml", "--archive", "reports", "--quiet"] + words)
  }

  private var runs: [String] { bench.names(in: "reports").filter { !$0.hasPrefix(".") } }

  @Test func `a job that was done is not done again, and its verdict is told again`() throws {
    let first = try run("--job", "nightly/rig/2026-11-26")
    try #require(first.code <= 1, "\(first.errors)")
    let record = try JSONValue(
      parsing: Array(try bench.bytes("reports/\(try #require(runs.first))/record.json")))
    #expect(record["header"]?["environment"]?["job"]?.string == "nightly/rig/2026-11-26")
    let second = try run("--job", "nightly/rig/2026-11-26")
    #expect(second.code == first.code)
    #expect(second.errors.contains("nothing is played"), "\(second.errors)")
    #expect(runs.count == 1)
    _ = try run("--job", "nightly/rig/2026-11-27")
    #expect(runs.count == 2)
  }

  @Test func `a job whose run was cut short is run again`() throws {
    try bench.simulatedRig(changing: ["clock: virtual": "clock: real"], to: "rig.yaml")
    let words = [
      "run", "plan.yaml", "--rig", "rig.yaml", "--archive", "reports", "--job", "j-1",
    ]
    let cut = try bench.start(haprig: words)
    for _ in 0..<12_000 where !cut.errorsSoFar.contains("measured") {
      usleep(1_000)
    }
    cut.send(SIGTERM)
    let ending = try cut.end()
    let again = try bench.haprig(words + ["--quiet"])
    #expect(again.code <= 1, "\(again.errors)")
    // Where the signal came too late, the job was done.
    #expect(again.errors.contains("nothing is played") == (ending.code != 143), "\(ending)")
  }

  @Test(arguments: ["", "a job", "j\u{E9}", String(repeating: "j", count: 201)])
  func `a job's name is one word`(name: String) throws {
    let ending = try run("--job", name)
    #expect(ending.code == 2, "\(ending.errors)")
    #expect(ending.errors.contains("--job"))
  }

  @Test func `a rig that somebody holds ends a job with the code that is worth a retry`() throws {
    try bench.simulatedRig(changing: ["clock: virtual": "clock: real"], to: "rig.yaml")
    try bench.write(Plans.quick(repeats: 50), to: "long.yaml")
    let holder = try bench.start(
      haprig: ["run", "long.yaml", "--rig", "rig.yaml", "--archive", "other"])
    for _ in 0..<12_000 where !holder.errorsSoFar.contains("measured") { usleep(5_000) }
    let ending = try run("--job", "j-1")
    #expect(ending.code == 75, "\(ending.errors)")
    holder.send(SIGTERM)
    #expect(try holder.end().code == 143)
    #expect(try run("--job", "j-1").code <= 1)
  }
}
