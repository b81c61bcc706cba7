// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import JSONText
import Testing

/// What `haprig calibrate` and its profiles do around the measurement itself, on the simulated rig.
struct CalibrationWorkTests {
  private static let sample = Workbench.package.appending(path: "rigs/profiles/sim-coin-1.json")
    .path()

  /// A bench with the sample in a folder of profiles.
  private func fleetBench() throws -> Workbench {
    let bench = try Workbench()
    try bench.write(Data(contentsOf: URL(filePath: Self.sample)), to: "fleet/sim-coin-1.json")
    return bench
  }

  @Test(arguments: [
    ["--actuator", "a"], ["--sharpness-law", "log80-230"], ["--intensity-law", "square"],
    ["--temperature", "20"], ["--archive", "r"], ["--remounts", "2"], ["--restart"],
    ["--rig", "rig.yaml"],
  ])
  func `an option of a measurement is refused where nothing is measured`(option: [String]) throws {
    let bench = try fleetBench()
    let ending = try bench.haprig(Self.level("20") + option)
    #expect(ending.code != 0, "\(ending.output)")
    #expect(
      ending.errors.contains("\(option[0]) does not go with --common-level"), "\(ending.errors)")
  }

  /// Gives the profiles of the folder `fleet` a level.
  private static func level(_ decibels: String) -> [String] {
    ["calibrate", "--common-level", "--profiles", "fleet", "--reference-level", decibels]
  }

  @Test(arguments: [["calibrate", "--common-level", "--profiles", "fleet"], ["compare"]])
  func `two profiles of one actuator are named by their files`(command: [String]) throws {
    let bench = try fleetBench()
    try bench.write(Data(contentsOf: URL(filePath: Self.sample)), to: "fleet/copy.json")
    let files = command == ["compare"] ? ["fleet/copy.json", "fleet/sim-coin-1.json"] : []
    let ending = try bench.haprig(command + files)
    #expect(ending.code == 2)
    #expect(
      ending.errors.contains(
        "fleet/copy.json and fleet/sim-coin-1.json are both profiles of the actuator 'sim-coin-1'"),
      "\(ending.errors)")
  }

  @Test func `a fleet goes to another folder and says what it wrote and what is unproven`() throws {
    let bench = try fleetBench()
    let before = try bench.bytes("fleet/sim-coin-1.json")
    let ending = try bench.haprig(
      Self.level("24") + ["--out", "other/place", "--json"])
    try #require(ending.code == 0, "\(ending.errors)")
    let account = try JSONValue(parsing: Array(ending.output.utf8))
    #expect(account["referenceLevel"]?.number == 24)
    #expect(account["written"]?.elements?.first?.string == "other/place/sim-coin-1.json")
    #expect(account["unproven"]?.elements?.first?.string == "sim-coin-1")
    #expect(try bench.bytes("fleet/sim-coin-1.json") == before)
    let profile = try JSONValue(parsing: Array(bench.bytes("other/place/sim-coin-1.json")))
    #expect(profile["laws"]?["referenceLevel"]?.number == 24)
    let text = try bench.haprig(Self.level("24")).output
    #expect(
      text.contains("1 profile was written") && text.contains("no longer verified"), "\(text)")
    let again = try bench.haprig(Self.level("24")).output
    #expect(again.contains("no profile was written"), "\(again)")
  }

  @Test(arguments: [
    ("mass: 100 g", "mass: 200 g"), ("contact: free", "contact: hand"), ("axis: z", "axis: x"),
    ("model: coinZ-170", "model: coinZ-999"),
  ])
  func `a rig in other conditions is not driven by the profile`(old: String, new: String) throws {
    let bench = try Workbench()
    try bench.simulatedRig(changing: [old: new])
    try bench.write(Patterns.tap, to: "tap.ahap")
    let word = new.split(separator: " ").last.map(String.init) ?? ""
    for command in [["run", "tap.ahap", "--archive", "out"], ["check"]] {
      let ending = try bench.haprig(command + ["--rig", "rig.yaml", "--profiles", Self.sample])
      expectRefusal(
        ending, saying: "the profile was made with", new == "mass: 200 g" ? "200.0 g" : word,
        in: bench)
    }
  }

  @Test func `a rig that is much warmer is noted, on the terminal and in the record`() throws {
    let bench = try Workbench()
    try bench.simulatedRig(changing: ["temperature: 23 degC": "temperature: 60 degC"])
    try bench.write(Patterns.tap, to: "tap.ahap")
    let ending = try bench.haprig(
      "run", "tap.ahap", "--rig", "rig.yaml", "--profiles", Self.sample, "--archive", "out",
      "--json",
      "-q")
    #expect(ending.errors.contains("made at 23.0 degC and the rig file says 60.0 degC"))
    let record = try JSONValue(parsing: Array(ending.output.utf8))
    let environment = record["header"]?["environment"]
    #expect(environment?["profile.temperature"]?.string == "23 degC", "\(ending.errors)")
  }

  @Test func `a place that no profile can be written to is said before anything is played`() throws
  {
    let bench = try Workbench()
    try bench.simulatedRig()
    let ending = try bench.haprig("calibrate", "--rig", "rig.yaml", "--profiles", "/proc/self")
    #expect(ending.code == 2 && ending.errors.contains("/proc/self: "), "\(ending.errors)")
    #expect(!ending.errors.contains("measured"), "\(ending.errors)")
    #expect(bench.names(in: "reports").isEmpty)
  }

  @Test func `a profile that cannot be replaced leaves what was measured to go on with`() throws {
    let bench = try Workbench()
    try bench.simulatedRig()
    try bench.write("", to: "calibration/sim-coin-1.json/in-the-way")
    let first = try bench.haprig("calibrate", "--rig", "rig.yaml")
    #expect(
      first.code == 2 && first.errors.contains("what was measured is kept"), "\(first.errors)")
    try FileManager.default.removeItem(at: bench.file("calibration/sim-coin-1.json"))
    let second = try bench.haprig("calibrate", "--rig", "rig.yaml")
    #expect(second.code == 0 && !second.errors.contains("measured"), "\(second.errors)")
    #expect(bench.names(in: "calibration") == ["sim-coin-1.json"])
    #expect(bench.names(in: "reports").allSatisfy { !$0.hasPrefix(".") })
  }

  @Test func `a level that is reached nowhere is refused, and the old profile stays`() throws {
    let bench = try Workbench()
    try bench.simulatedRig()
    try bench.write("the old profile", to: "calibration/sim-coin-1.json")
    let ending = try bench.haprig("calibrate", "--rig", "rig.yaml", "--reference-level", "60")
    #expect(ending.code == 2, "\(ending.errors)")
    #expect(ending.errors.contains("60 dB is reached nowhere"), "\(ending.errors)")
    #expect(!ending.errors.contains("to verify"), "\(ending.errors)")
    #expect(try bench.bytes("calibration/sim-coin-1.json") == Data("the old profile".utf8))
  }

  @Test func `whoever stops it is told what is kept, and what another command has changed`() throws
  {
    let bench = try Workbench()
    try bench.simulatedRig(changing: ["clock: virtual": "clock: real"])
    let run = try bench.start(haprig: ["calibrate", "--rig", "rig.yaml"])
    for _ in 0..<12_000 where !run.errorsSoFar.contains("measured silence") { usleep(5_000) }
    run.send(SIGINT)
    let stopped = try run.end()
    #expect(stopped.code == 130)
    #expect(
      stopped.errors.contains("1 segment is kept: the same command goes on from here, --restart"),
      "\(stopped.errors)")
    let other = try bench.haprig("calibrate", "--rig", "rig.yaml", "--temperature", "30")
    #expect(other.code == 2, "\(other.errors)")
    #expect(other.errors.contains("another --temperature (23.0, not 30.0)"), "\(other.errors)")
    let level = try bench.haprig("calibrate", "--rig", "rig.yaml", "--reference-level", "20")
    #expect(level.errors.contains("another --reference-level (none, not 20.0)"), "\(level.errors)")
    #expect(!level.errors.contains("rig file ("), "\(level.errors)")
  }
}
