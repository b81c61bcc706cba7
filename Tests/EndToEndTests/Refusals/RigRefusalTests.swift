// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Rig files, plans and output folders that cannot be used.
struct RigRefusalTests {
  private func bench() throws -> Workbench {
    let bench = try Workbench()
    try bench.write(Patterns.tap, to: "tap.ahap")
    return bench
  }

  /// A place of the rig file, what stands there instead, and what is said of it.
  struct Change: Sendable, CustomTestStringConvertible {
    let old: String
    let new: String
    let words: [String]

    var testDescription: String { words.joined(separator: " ") }
  }

  static let changes: [Change] = [
    Change(
      old: "  rate: 48 kHz", new: "\trate: 48 kHz",
      words: ["rig.yaml:9:1: ", "a tab stands in the indentation", "use spaces"]),
    Change(
      old: "  device: simulated\n  rate", new: "  device: telepathic\n  rate",
      words: [
        "rig.yaml:8:11: ", "'telepathic' is not a kind of device", "simulated, command, file",
      ]
    ),
    Change(
      old: "rate: 48 kHz", new: "rate: -48 kHz",
      words: ["rig.yaml:9:9: ", "'rate' is '-48 kHz'", "from 8000 Hz to 192000 Hz"]),
    Change(
      old: "full-scale: 3.6 V ", new: "full-scale: 3.6 kg ",
      words: ["rig.yaml:11:15: ", "'kg' is not a unit of voltage", "use V, mV"]),
    Change(
      old: "      sensitivity: 10.2 mV/g\n", new: "",
      words: ["rig.yaml:17:5: ", "'z' has no sensor scale", "sensitivity: 10.2 mV/g"]),
    Change(
      old: "full-scale: 3.6 V ", new: "fullscale: 3.6 V ",
      words: ["rig.yaml:11:3: ", "'fullscale' is not a key of the drive", "'full-scale'"]),
    Change(
      old: "transport: 0.40 ms", new: "transport: 0.40 ms\n  faults: [{kind: gremlin, at: 1 s}]",
      words: [": 'gremlin' is not a kind of fault", "use xrun, drop, unplug"]),
  ]

  @Test(arguments: changes) func `a wrong place of a rig file is shown`(change: Change) throws {
    let bench = try bench()
    try bench.simulatedRig(changing: [change.old: change.new])
    for command in [["run", "--archive", "out"], ["play"], ["render", "--out", "x.wav"]] {
      let ending = try bench.start(
        haprig: [command[0], "tap.ahap", "--rig", "rig.yaml"] + command.dropFirst()
      ).end()
      #expect(ending.code == 2)
      expectSentence(ending, saying: change.words)
      #expect(ending.errors.hasSuffix("^\n"), "\(ending.errors)")
    }
    #expect(bench.names(in: ".") == ["rig.yaml", "tap.ahap"])
  }

  @Test func `a rig file that is not there is refused`() throws {
    let bench = try bench()
    let ending = try bench.haprig("run", "tap.ahap", "--rig", "gone.yaml", "--archive", "out")
    expectRefusal(ending, saying: "gone.yaml: there is no such file", in: bench)
    let demo = try bench.haprig("demo", "--rigs", "nowhere", "--archive", "out")
    expectRefusal(demo, saying: "nowhere/simulated-lra.yaml: there is no such file", in: bench)
  }

  @Test(arguments: [
    (
      "{reading: latncy.electrical, below: 20 ms}",
      ["plan.yaml:", "'latncy.electrical' is not a reading", "latency.electrical"]
    ),
    ("{below: 20 ms}", ["plan.yaml:", "a limit needs 'reading'"]),
    ("{reading: latency.electrical}", ["plan.yaml:", "below"]),
    ("{reading: latency.electrical, below: 20 kg}", ["plan.yaml:", "'kg'"]),
    ("{reading: xruns, below: 0, patterns: [tip]}", ["'tip', which is not played", "tap"]),
  ])
  func `a limit that asks for nothing is refused`(limit: String, words: [String]) throws {
    let bench = try bench()
    try bench.simulatedRig()
    try bench.write(Plans.quick(limits: [limit]), to: "plan.yaml")
    let ending = try bench.haprig("run", "plan.yaml", "--rig", "rig.yaml", "--archive", "out")
    #expect(ending.code == 2)
    expectSentence(ending, saying: words)
    #expect(bench.names(in: "out") == [])
  }

  @Test func `a plan without patterns or beside patterns is refused`() throws {
    let bench = try bench()
    try bench.simulatedRig()
    try bench.write("name: none\n", to: "plan.yaml")
    let empty = try bench.haprig("run", "plan.yaml", "--rig", "rig.yaml", "--archive", "out")
    expectRefusal(empty, saying: "plan.yaml: the plan names no pattern", in: bench)
    let both = try bench.haprig(
      "run", "plan.yaml", "tap.ahap", "--rig", "rig.yaml", "--archive", "out")
    expectRefusal(both, saying: "plan.yaml: a plan names its own patterns", in: bench)
  }

  // Permissions do not bind every user, so these are paths that nobody can write.
  @Test(arguments: ["tap.ahap", "tap.ahap/out", "/proc/haprig"])
  func `an output folder that cannot be written is refused before anything plays`(path: String)
    throws
  {
    let bench = try bench()
    let ending = try bench.haprig(
      "run", "tap.ahap", "--rig", Workbench.rigs + "/simulated-lra.yaml", "--archive", path)
    expectRefusal(ending, saying: "haprig: \(path): ", in: bench)
    #expect(!ending.errors.contains("measured"))
    #expect(bench.names(in: ".") == ["tap.ahap"])
  }

  @Test(arguments: ["tap.ahap/x.wav", "/proc/x.wav", "no/such/folder/x.wav", "."])
  func `a sound file that cannot be written is refused`(path: String) throws {
    let bench = try bench()
    let rig = Workbench.rigs + "/simulated-lra.yaml"
    for command in [
      ["render", "tap.ahap", "--out", path], ["run", "tap.ahap", "--rig", rig, "--stimulus", path],
    ] {
      let ending = try bench.start(haprig: command).end()
      expectRefusal(ending, saying: "\(path): ", in: bench)
    }
    #expect(bench.names(in: ".") == ["tap.ahap"])
  }
}
