// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import JSONText
import SeededRandom
import Testing

/// Processes that are killed while they write to an archive.
struct KillTests {
  /// How many are killed: `HAPRIG_KILLS`, or as many as a quick test bears.
  private static let kills =
    ProcessInfo.processInfo.environment["HAPRIG_KILLS"].flatMap { Int($0) } ?? 20

  /// What is killed: most of all runs, then what changes the whole archive.
  private static let work = [
    ["run", "plan.yaml", "--rig", "rig.yaml", "--archive", "out", "--quiet"],
    ["run", "plan.yaml", "--rig", "rig.yaml", "--archive", "out", "--quiet"],
    ["archive", "rebuild", "--archive", "out", "--quiet"],
    ["archive", "prune", "--archive", "out", "--keep-recordings", "0"],
  ]

  @Test func `killing at any moment loses at most the run in progress`() throws {
    var generator = SeededRandom(seed: 0x6b69_6c6c)
    let bench = try Workbench()
    try bench.simulatedRig()
    try bench.write(Patterns.tap, to: "tap.ahap")
    try bench.write(Plans.quick(), to: "plan.yaml")
    let lengths = try Self.work.map { work in
      let began = ContinuousClock.now
      let ending = try bench.haprig(work)
      try #require(ending.code == 0, "\(work): \(ending.errors)")
      let length = ContinuousClock.now - began
      return Double(length.components.seconds) + Double(length.components.attoseconds) * 1e-18
    }
    var whole = try runs(in: bench)
    var killed = 0
    for number in 1...Self.kills {
      let choice = generator.integer(0...Self.work.count - 1)
      let pause = generator.uniform(0...lengths[choice] * 1.05)
      let program = try bench.start(haprig: Self.work[choice])
      // A second process now and then: two may write at once.
      let other = generator.chance(0.3) ? try bench.start(haprig: Self.work[0]) : nil
      usleep(useconds_t(pause * 1e6))
      program.send(SIGKILL)
      if try program.end().code == 128 + SIGKILL { killed += 1 }
      if let other { #expect(try other.end().code == 0, "\(generator), kill \(number)") }
      let now = try runs(in: bench)
      #expect(whole.subtracting(now).isEmpty, "\(generator), kill \(number): \(Self.work[choice])")
      whole = now
      if number % 10 == 0 || number == Self.kills {
        try expectSound(bench, holding: whole, "\(generator), kill \(number)")
      }
    }
    // A schedule that kills nobody would prove nothing.
    #expect(killed > Self.kills / 4, "\(killed) of \(Self.kills) were killed")
  }

  /// Whether strace is there, and allowed to end a program at a chosen call.
  private static let canStopAtCalls: Bool = {
    guard let bench = try? Workbench(),
      let program = try? bench.start(["strace", "-o", "calls", "-e", "trace=rename", "true"]),
      let ending = try? program.end()
    else { return false }
    return ending.code == 0
  }()

  /// Killed at its first rename, at its second, and so on: within what it writes, between the two of a run that is
  /// replaced, and between two runs.
  @Test(.enabled(if: canStopAtCalls, "strace is not installed, or must not trace here"))
  func `an import that is killed at any rename is made whole by the same import`() throws {
    func table(_ values: [Double]) -> String {
      "when,reading,value,unit\n"
        + values.enumerated().map {
          "2025-03-0\($0 + 1)T02:00:00Z,latency.onset,\($1),ms\n"
        }.joined()
    }
    let tables = [("old", [10, 11]), ("new", [20.0, 21]), ("newer", [30, 31])]
    let replace = ["--replace"]
    func arguments(_ name: String) -> [String] {
      ["archive", "import", "\(name).csv", "--archive", "nights", "--pattern", "tap"]
        + ["--rig", "bench-1", "--plan", "nightly", "--actuator", "lra-1"]
    }
    var killed = 0
    for call in 1...40 {
      let bench = try Workbench()
      for (name, values) in tables { try bench.write(table(values), to: "\(name).csv") }
      func nights() throws -> [Double] {
        let history = try bench.haprig(
          "history", "--archive", "nights", "--rig", "bench-1", "--json")
        let series = try JSONValue(parsing: Array(history.output.utf8))["series"]?.elements?.first
        return (series?["nights"]?.elements ?? []).compactMap { $0["value"]?.number }
      }
      #expect(try bench.haprig(arguments("old")).code == 0)
      let stop = ["-e", "trace=rename", "-e", "inject=rename:signal=SIGKILL:when=\(call)"]
      let ending = try bench.start(
        ["strace", "-f", "-o", "calls"] + stop + [Workbench.haprig] + arguments("new") + replace
      ).end()
      guard ending.code == 128 + SIGKILL else {
        #expect(ending.code == 0, "call \(call): \(ending.errors)")
        break
      }
      killed += 1
      for (name, values) in tables.dropFirst() {
        let again = try bench.haprig(arguments(name) + replace)
        #expect(again.code == 0, "call \(call), \(name): \(again.errors)")
        #expect(try nights() == values.map { $0 / 1_000 }, "call \(call), \(name)")
        let verified = try bench.haprig("archive", "verify", "--archive", "nights")
        #expect(verified.code == 0, "call \(call): \(verified.output)\(verified.errors)")
      }
    }
    // Three files and two moves a run.
    #expect(killed >= 10, "killed at \(killed) renames")
  }

  /// The names of the runs that are whole: each has a record that can be read.
  private func runs(in bench: Workbench) throws -> Set<String> {
    let names = bench.names(in: "out").filter { !$0.hasPrefix(".") }
    for name in names { _ = try Record(bench.file("out/\(name)")) }
    return Set(names)
  }

  private func expectSound(_ bench: Workbench, holding runs: Set<String>, _ when: String) throws {
    let verified = try bench.haprig("archive", "verify", "--archive", "out")
    #expect(verified.code == 0, "\(when): \(verified.output)\(verified.errors)")
    // Nothing had to be healed: no kill damages an index.
    #expect(verified.errors == "", "\(when)")
    let listed = try bench.haprig(
      "archive", "list", "--archive", "out", "--json", "--limit", "9999")
    let list = try #require(try JSONValue(parsing: Array(listed.output.utf8)).elements)
    let names = list.compactMap { $0["id"]?.string }
    #expect(Set(names) == runs && names.count == runs.count, "\(when)")
  }
}
