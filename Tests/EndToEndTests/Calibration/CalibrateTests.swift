// SPDX-License-Identifier: Apache-2.0

import ForeignPlant
import Foundation
import Glibc
import JSONText
import Testing

/// `haprig calibrate` on plants that haprig knows nothing of.
@Suite(
  .disabled(
    if: ForeignPlant.obstacle != nil, Comment(rawValue: ForeignPlant.obstacle ?? "no obstacle")))
struct CalibrateTests {
  private func bench(_ plant: ForeignPlant, _ rig: ForeignRig = ForeignRig()) throws -> Workbench {
    let bench = try Workbench()
    try bench.write(try plant.rigFile(rig), to: "rig.yaml")
    return bench
  }

  private func profile(_ bench: Workbench) throws -> JSONValue {
    try JSONValue(parsing: Array(bench.bytes("calibration/plant-1.json")))
  }

  private func model(_ profile: JSONValue, _ key: String) throws -> (Double, Double) {
    let quantity = try #require(profile["model"]?[key])
    let uncertainty = try #require(quantity["uncertainty"]?.number)
    return (try #require(quantity["value"]?.number), uncertainty)
  }

  @Test(arguments: [("linX-145", 3), ("coinZ-170", 4), ("vcm-65", 5)])
  func `the truth comes out within its uncertainty and the goals`(
    name: String, seed: Int
  ) throws {
    let plant = ForeignPlant(name, "noise=75", "seed=\(seed)")
    let bench = try bench(plant)
    let ending = try bench.start(haprig: ["calibrate", "--rig", "rig.yaml"]).end()
    try #require(ending.code == 0, "\(ending.errors)")
    let truth = try plant.truth()
    let profile = try profile(bench)
    let goals = [
      ("f0", try #require(truth.f0), 0.003), ("q", try #require(truth.q), 0.05),
      ("gain", try #require(truth.gain), 0.01), ("delay", truth.delay, 10e-6 / truth.delay),
    ]
    for (key, value, goal) in goals {
      let (found, uncertainty) = try model(profile, key)
      #expect(abs(found / value - 1) < goal, "\(key): \(found) for \(value)")
      #expect(
        abs(found - value) < 2.5 * uncertainty, "\(key): \(found) +- \(uncertainty), \(value)")
    }
    #expect(ending.output.contains("calibration/plant-1.json"))
    let check = try bench.haprig("check", "--rig", "rig.yaml")
    #expect(check.code == 0, "\(check.errors)")
    let listed = try bench.haprig("archive", "list", "--json")
    let entries = try JSONValue(parsing: Array(listed.output.utf8)).elements ?? []
    #expect(entries.map { $0["kind"]?.string } == ["check", "calibration"])
    #expect(entries.allSatisfy { $0["actuator"]?.string == "plant-1" })
    #expect(entries[0]["calibration"] == entries[1]["id"])
    let one = try bench.haprig("archive", "list", "--kind", "calibration")
    #expect(one.output.split(separator: "\n").count == 2, "\(one.output)")
    let folder = try #require(bench.names(in: "reports").first)
    let names = bench.names(in: "reports/\(folder)")
    #expect(names.contains("certificate.html") && names.contains("certificate.json"))
    #expect(names.contains("SHA256SUMS") && !names.contains { $0.hasPrefix(".") })
  }

  /// A tenth of the mass on a spring of its own, beside an actuator whose spring and magnet are not linear.
  @Test(arguments: [150.0, 175, 180, 250, 260])
  func `a part of the fixture is named, and is no disturbance`(frequency: Double) throws {
    let plant = ForeignPlant(
      "coinZ-170", "fixture=\(frequency)", "fixture-q=40", "fixture-mass=0.1", "seed=41")
    let bench = try bench(plant)
    let ending = try bench.start(haprig: ["calibrate", "--rig", "rig.yaml"]).end()
    try #require(ending.code < 2, "\(ending.errors)")
    let told = try #require(
      ending.output.firstMatch(of: /a part of the fixture rings near ([0-9.]+) Hz/),
      "\(ending.output)")
    let named = try #require(Double(told.output.1))
    #expect(abs(named / frequency - 1) < 0.03)
    #expect(!ending.output.contains("shook the rig"), "\(ending.output)")
    let (f0, _) = try model(try profile(bench), "f0")
    #expect(abs(f0 / 170 - 1) < 0.01)
  }

  @Test func `a piezo that would shake its sensor beyond its range is swept below it`() throws {
    let plant = ForeignPlant("piezo-7G", "seed=6")
    let bench = try bench(plant)
    let ending = try bench.start(haprig: ["calibrate", "--rig", "rig.yaml"]).end()
    let profile = try profile(bench)
    let truth = try plant.truth()
    for (key, value) in [("f0", try #require(truth.f0)), ("gain", try #require(truth.gain))] {
      let (found, uncertainty) = try model(profile, key)
      #expect(abs(found - value) < 2.5 * uncertainty, "\(key): \(found), \(ending.errors)")
    }
    let level = profile["verification"]?["level"]?["rms"]?.number
    #expect(try #require(level) < 0.5)
  }

  @Test func `an amplifier that clips below the peak limit narrows the profile's`() throws {
    let plant = ForeignPlant("linX-145", "amplifier-clip=4.6", "seed=6")
    let bench = try bench(plant)
    let ending = try bench.start(haprig: ["calibrate", "--rig", "rig.yaml"]).end()
    let profile = try profile(bench)
    #expect(ending.output.contains("The amplifier clips at 4."), "\(ending.output)")
    let peak = try #require(profile["limits"]?["peakVolts"]?.number)
    #expect((4.45...4.6).contains(peak), "\(peak)")
  }

  @Test func `a profile makes vibrations as strong as intensity asks for`() throws {
    let plant = ForeignPlant("linX-145", "noise=75", "seed=9")
    let bench = try bench(plant)
    let calibrated = try bench.start(haprig: ["calibrate", "--rig", "rig.yaml", "-q"]).end()
    try #require(calibrated.code == 0, "\(calibrated.errors)")
    // At the resonance, so that every intensity is within reach.
    let sharpness = log(145.0 / 80) / log(230.0 / 80)
    let events = [0.3, 0.6, 0.9].enumerated().map { index, intensity in
      """
      {"Event": {"Time": \(index), "EventType": "HapticContinuous", "EventDuration": 0.5,
        "EventParameters": [
          {"ParameterID": "HapticIntensity", "ParameterValue": \(intensity)},
          {"ParameterID": "HapticSharpness", "ParameterValue": \(sharpness)}]}}
      """
    }
    try bench.write(
      "{\"Version\": 1.0, \"Pattern\": [\(events.joined(separator: ","))]}", to: "steps.ahap")
    func errors(_ arguments: String...) throws -> [Double] {
      let ending = try bench.start(
        haprig: ["run", "steps.ahap", "--rig", "rig.yaml", "--json", "-q"] + arguments
      ).end()
      let record = try JSONValue(parsing: Array(ending.output.utf8))
      return (record["readings"]?.elements ?? []).filter {
        $0["name"]?.string == "intensity.error"
      }.compactMap { $0["value"]?.number }
    }
    let with = try errors("--profiles", "calibration")
    let without = try errors()
    try #require(with.count == 3 && without.count == 3)
    #expect(with.allSatisfy { abs($0) < 0.5 }, "\(with) dB")
    #expect(without.contains { abs($0) > 2 }, "\(without) dB")
  }

  /// Intensity and sharpness of vibrations that both plants of the fleet reach, and of taps.
  private static let common = [(0.3, 0.3), (0.7, 0.4), (1, 0.5), (0.5, 0.55), (0.9, 0.62)]
  private static let taps = [(0.6, 0.3), (1, 0.5), (0.8, 0.8)]

  @Test func `two unlike actuators feel alike where both reach, taps and a pattern too`() throws {
    let places = Self.common.map { (true, $0.0, $0.1) } + Self.taps.map { (false, $0.0, $0.1) }
    let events = places.enumerated().map { index, place in
      let kind =
        place.0 ? "\"HapticContinuous\", \"EventDuration\": 0.5" : "\"HapticTransient\""
      return """
        {"Event": {"Time": \(0.8 * Double(index)), "EventType": \(kind),
          "EventParameters": [
            {"ParameterID": "HapticIntensity", "ParameterValue": \(place.1)},
            {"ParameterID": "HapticSharpness", "ParameterValue": \(place.2)}]}}
        """
    }
    let bench = try Workbench()
    try bench.write(
      "{\"Version\": 1.0, \"Pattern\": [\(events.joined(separator: ","))]}", to: "all.ahap")
    for (index, name) in ["linX-145", "vcm-65"].enumerated() {
      var rig = ForeignRig()
      rig.actuator = "plant-\(index + 1)"
      try bench.write(try ForeignPlant(name, "noise=20").rigFile(rig), to: "rig\(index).yaml")
      let ending = try bench.start(haprig: [
        "calibrate", "--rig", "rig\(index).yaml", "-q", "--reference-level", "20",
      ]).end()
      try #require(ending.code == 0, "\(ending.errors)\(ending.output)")
      let profile = try JSONValue(
        parsing: Array(bench.bytes("calibration/plant-\(index + 1).json")))
      let pattern = try #require(profile["verification"]?["pattern"], "\(ending.output)")
      #expect(try #require(pattern["envelope"]?["rms"]?.number) <= 1)
      let run = try bench.start(haprig: [
        "run", "all.ahap", "--rig", "rig\(index).yaml", "--profiles", "calibration", "--json", "-q",
      ]).end()
      let readings = try JSONValue(parsing: Array(run.output.utf8))["readings"]?.elements ?? []
      func values(_ kind: String) -> [Double] {
        readings.filter { $0["name"]?.string == kind }.compactMap { $0["value"]?.number }
      }
      func rms(_ values: some Collection<Double>) -> Double {
        (values.reduce(0) { $0 + $1 * $1 } / Double(max(1, values.count))).squareRoot()
      }
      let levels = values("intensity.error")
      try #require(levels.count == places.count, "\(run.errors)")
      #expect(rms(levels.prefix(5)) <= 0.5, "\(name): \(levels) dB")
      // A tenth of a tap's peak.
      #expect(levels.suffix(3).allSatisfy { abs($0) < 0.92 }, "\(name): \(levels) dB")
      let octaves = values("sharpness.error")
      #expect(rms(octaves.prefix(5)) * log(2) <= 0.03, "\(name): \(octaves) octaves")
    }
  }

  @Test func `mounting again is asked for, and measured`() throws {
    let bench = try bench(ForeignPlant("linX-145", "noise=20"))
    try bench.write("\n\n", to: "returns")
    func calibrate(_ input: String) throws -> Ending {
      let words = "'\(Workbench.haprig)' calibrate --rig rig.yaml --remounts 2"
      return try bench.start(["sh", "-c", "exec \(words) < \(input)"]).end()
    }
    // Nobody there: what was measured is gone on with later.
    let alone = try calibrate("/dev/null")
    #expect(alone.code == 2 && alone.errors.contains("mounted again [1/2]"), "\(alone.errors)")
    #expect(bench.names(in: "calibration").isEmpty)
    let ending = try calibrate("returns")
    try #require(ending.code == 0, "\(ending.errors)")
    #expect(ending.errors.contains("kept from before: silence"))
    #expect(ending.errors.contains("[2/2] take the actuator off"))
    let lines = try profile(bench)["uncertainty"]?["lines"]?.elements ?? []
    let mounting = try #require(
      lines.first { $0["name"]?.string == "mounting, 2 times anew" })
    #expect(mounting["type"]?.string == "A" && mounting["degreesOfFreedom"]?.number == 2)
  }

  @Test func `a calibration that was stopped goes on where it was`() throws {
    let plant = ForeignPlant("linX-150hiQ", "noise=75", "seed=2")
    let bench = try bench(plant)
    let first = try bench.start(haprig: ["calibrate", "--rig", "rig.yaml"])
    let deadline = Date(timeIntervalSinceNow: 60)
    while !first.errorsSoFar.contains("measured sweep up"), Date() < deadline { usleep(5_000) }
    first.send(SIGINT)
    let stopped = try first.end()
    #expect(stopped.code == 130, "\(stopped.errors)")
    #expect(bench.names(in: "calibration").isEmpty)
    let second = try bench.start(haprig: ["calibrate", "--rig", "rig.yaml"]).end()
    try #require(second.code == 0, "\(second.errors)")
    #expect(second.errors.contains("kept from before: silence"))
    #expect(second.output.contains("segments were taken from before the stop"))
    let (f0, uncertainty) = try model(try profile(bench), "f0")
    #expect(abs(f0 - (try #require(try plant.truth().f0))) < 3 * uncertainty)
  }

  @Test func `another rig file does not go on with what was stopped`() throws {
    let bench = try bench(ForeignPlant("linX-145", "exit-at=3"))
    let first = try bench.start(haprig: ["calibrate", "--rig", "rig.yaml", "-q"]).end()
    #expect(first.code == 3, "\(first.errors)")
    try bench.write(try ForeignPlant("coinZ-170").rigFile(), to: "rig.yaml")
    let second = try bench.start(haprig: ["calibrate", "--rig", "rig.yaml", "-q"]).end()
    #expect(second.code == 2 && second.errors.contains("--restart"), "\(second.errors)")
    #expect(second.errors.contains("was made with another rig file: "), "\(second.errors)")
    let third = try bench.start(haprig: ["calibrate", "--rig", "rig.yaml", "-q", "--restart"]).end()
    #expect(third.code == 0, "\(third.errors)")
  }

  @Test func `what was stopped by a version that asked for more is that version's`() throws {
    let bench = try bench(ForeignPlant("linX-145", "exit-at=3"))
    let first = try bench.start(haprig: ["calibrate", "--rig", "rig.yaml", "-q"]).end()
    #expect(first.code == 3, "\(first.errors)")
    let key = "reports/\(try #require(bench.names(in: "reports").first))/.key"
    let known = String(decoding: try bench.bytes(key), as: UTF8.self)
    try bench.write(known + "--later: 1\n", to: key)
    let second = try bench.start(haprig: ["calibrate", "--rig", "rig.yaml", "-q"]).end()
    #expect(
      second.errors.contains("was made with another version of haprig: "), "\(second.errors)")
  }

  /// What is wrong with the rig, and a word of the sentence that says so.
  static let faults = [
    (["dead-at=0"], "actuator"), (["stuck-at=0"], "actuator"), (["sensor-scale=0.102"], "units"),
    (["reference-gain=0"], "reference"), (["crossed=2"], "channel"), (["sensor-clip=3"], "clip"),
    (["unplug-at=6"], "reference"), (["drift=41000"], "4.1 % fast"), (["tilt=30"], "tilted"),
    (["crossed=3"], "only the reference is driven"), (["loose=5"], "loose above a level"),
  ]

  @Test(arguments: faults)
  func `a fault is said and the old profile stays`(_ fault: (keys: [String], word: String)) throws {
    var plant = ForeignPlant("linX-145", "noise=75")
    plant.parameters += fault.keys
    let bench = try bench(plant)
    try bench.write("the old profile", to: "calibration/plant-1.json")
    let ending = try bench.start(haprig: ["calibrate", "--rig", "rig.yaml", "-q"]).end()
    #expect(ending.code == 2 || ending.code == 3, "\(ending.code): \(ending.output)")
    #expect(ending.errors.lowercased().contains(fault.word), "\(ending.errors)")
    #expect(try bench.bytes("calibration/plant-1.json") == Data("the old profile".utf8))
    #expect(bench.names(in: "reports").allSatisfy { $0.hasPrefix(".") })
  }

  @Test(arguments: [-150, 500, 20_000])
  func `clocks that drift apart change neither resonance nor gain`(drift: Int) throws {
    let plant = ForeignPlant("slim-240", "noise=20", "seed=2", "drift=\(drift)")
    let bench = try bench(plant)
    let ending = try bench.start(haprig: ["calibrate", "--rig", "rig.yaml", "-q"]).end()
    try #require(ending.code == 0, "\(ending.errors)")
    let (truth, profile) = (try plant.truth(), try profile(bench))
    #expect(abs(try model(profile, "f0").0 / (try #require(truth.f0)) - 1) < 5e-4)
    #expect(abs(try model(profile, "gain").0 / (try #require(truth.gain)) - 1) < 3e-3)
    #expect(ending.output.contains("The sensor's clock runs \(abs(drift))"), "\(ending.output)")
  }

  @Test func `a stopped calibration does not go on with another actuator`() throws {
    let bench = try bench(ForeignPlant("linX-145", "noise=75", "swap-at=100", "swap-f0=150"))
    let first = try bench.start(haprig: ["calibrate", "--rig", "rig.yaml"])
    let deadline = Date(timeIntervalSinceNow: 60)
    while !first.errorsSoFar.contains("measured sweep down"), Date() < deadline { usleep(5_000) }
    first.send(SIGINT)
    #expect(try first.end().code == 130)
    // Rig time goes on past the swap.
    try bench.write("100 0 9\n", to: "plant.state")
    let second = try bench.start(haprig: ["calibrate", "--rig", "rig.yaml"]).end()
    #expect(second.code == 3 && second.errors.contains("stopped calibration"), "\(second.errors)")
    #expect(!second.errors.contains("measured sweep"), "\(second.errors)")
    #expect(bench.names(in: "calibration").isEmpty)
  }

  @Test func `units that changed since the last profile are told without gravity`() throws {
    let bench = try bench(ForeignPlant("linX-145", "noise=75", "gravity=0"))
    let first = try bench.start(haprig: ["calibrate", "--rig", "rig.yaml"]).end()
    try #require(first.code == 0, "\(first.errors)")
    #expect(first.output.contains("does not show gravity"), "\(first.output)")
    let mixed = ForeignPlant("linX-145", "noise=75", "gravity=0", "sensor-scale=0.10197")
    try bench.write(try mixed.rigFile(), to: "rig.yaml")
    let old = try bench.bytes("calibration/plant-1.json")
    let second = try bench.start(haprig: ["calibrate", "--rig", "rig.yaml", "-q"]).end()
    #expect(second.code == 2 && second.errors.contains("units mixed up"), "\(second.errors)")
    #expect(try bench.bytes("calibration/plant-1.json") == old)
  }

  @Test func `what a refused calibration measured is not gone on with`() throws {
    let swapped = ForeignPlant("linX-145", "noise=75", "swap-at=20", "swap-f0=150")
    let bench = try bench(swapped)
    let refused = try bench.start(haprig: ["calibrate", "--rig", "rig.yaml", "-q"]).end()
    #expect(refused.code == 3, "\(refused.errors)")
    try bench.write(try ForeignPlant("linX-145", "noise=75").rigFile(), to: "rig.yaml")
    let again = try bench.start(haprig: ["calibrate", "--rig", "rig.yaml"]).end()
    #expect(again.code == 0 && !again.errors.contains("kept from before"), "\(again.errors)")
  }

  @Test func `an actuator that dies between sweeps and tones is not called weak`() throws {
    let bench = try bench(ForeignPlant("linX-145", "noise=75", "dead-at=20"))
    let ending = try bench.start(haprig: ["calibrate", "--rig", "rig.yaml", "-q"]).end()
    #expect(ending.code == 3 && !ending.errors.contains("raise the limits"), "\(ending.errors)")
  }

  @Test func `a full disk is said, the old profile stays, and the rest is measured later`() throws {
    let bench = try bench(ForeignPlant("linX-145", "noise=75"))
    try bench.write("the old profile", to: "calibration/plant-1.json")
    // Blocks of 512 bytes: the first recordings fit, a longer one does not.
    let words = "'\(Workbench.haprig)' calibrate --rig rig.yaml -q"
    let full = try bench.start(["sh", "-c", "ulimit -f 2200; exec \(words)"]).end()
    #expect(full.code == 3, "\(full.errors)")
    #expect(full.errors.contains("was not written"), "\(full.errors)")
    #expect(try bench.bytes("calibration/plant-1.json") == Data("the old profile".utf8))
    let again = try bench.start(haprig: ["calibrate", "--rig", "rig.yaml"]).end()
    #expect(again.code == 0 && again.errors.contains("kept from before"), "\(again.errors)")
  }

  @Test func `another actuator under the profile's name ends the run as a failed setup check`()
    throws
  {
    let bench = try bench(ForeignPlant("linX-145"))
    try #require(try bench.start(haprig: ["calibrate", "--rig", "rig.yaml", "-q"]).end().code == 0)
    // Nobody changed the rig file when the actuator was changed: only the plant is another.
    let file = try ForeignPlant("linX-145").rigFile(ForeignRig())
    let other = file.replacing("linX-145", with: "slim-240")
      .replacing("model: slim-240", with: "model: linX-145")
    try bench.write(other, to: "rig.yaml")
    let run = try bench.start(haprig: [
      "run", Workbench.rigs + "/patterns/swell.ahap", Workbench.rigs + "/patterns/steps.ahap",
      "--rig", "rig.yaml", "--profiles", "calibration", "--json",
    ]).end()
    #expect(run.code == 3, "\(run.errors)")
    #expect(run.errors.contains("the setup check 'actuator' failed: "), "\(run.errors)")
    let record = try JSONValue(parsing: Array(run.output.utf8))
    let setup = try #require(record["setup"]?.elements)
    #expect(setup.map { $0["check"]?.string } == ["actuator"])
    #expect(setup.first?["holds"]?.bool == false)
    let readings = try #require(record["readings"]?.elements)
    #expect(!readings.contains { $0["name"]?.string == "intensity.error" && $0["value"] != nil })
    #expect(record["run"]?["status"]?.string == "fault")
  }

  @Test func `a profile of another actuator is refused with the reason`() throws {
    let bench = try bench(ForeignPlant("linX-145"))
    try #require(try bench.start(haprig: ["calibrate", "--rig", "rig.yaml", "-q"]).end().code == 0)
    var other = ForeignRig()
    other.actuator = "plant-2"
    try bench.write(try ForeignPlant("linX-145").rigFile(other), to: "other.yaml")
    let pattern = Workbench.rigs + "/patterns/swell.ahap"
    let run = try bench.start(haprig: [
      "run", pattern, "--rig", "other.yaml", "--profiles", "calibration/plant-1.json",
    ]).end()
    #expect(run.code == 2 && run.errors.contains("plant-1"), "\(run.errors)")
    let law = try bench.start(haprig: [
      "run", pattern, "--rig", "rig.yaml", "--profiles", "calibration", "--sharpness-law",
      "mpeg65-300",
    ]).end()
    #expect(law.code == 2 && law.errors.contains("sharpness law"), "\(law.errors)")
    var damaged = try bench.bytes("calibration/plant-1.json")
    damaged.removeLast(damaged.count / 2)
    try bench.write(damaged, to: "half.json")
    let half = try bench.start(haprig: [
      "run", pattern, "--rig", "rig.yaml", "--profiles", "half.json",
    ]).end()
    #expect(half.code == 2 && half.errors.contains("half.json:"), "\(half.errors)")
  }

  @Test func `a check knows the actuator, and a changed one`() throws {
    let bench = try bench(ForeignPlant("linX-145", "noise=75"))
    try #require(try bench.start(haprig: ["calibrate", "--rig", "rig.yaml", "-q"]).end().code == 0)
    let same = try bench.start(haprig: ["check", "--rig", "rig.yaml", "-q"]).end()
    #expect(same.code == 0, "\(same.output)")
    try bench.write(try ForeignPlant("linX-145", "noise=75", "f0=147").rigFile(), to: "rig.yaml")
    let changed = try bench.start(haprig: ["check", "--rig", "rig.yaml", "-q", "--json"]).end()
    #expect(changed.code == 1, "\(changed.errors)")
    let json = try JSONValue(parsing: Array(changed.output.utf8))
    #expect(json["hasDrifted"]?.bool == true)
  }

  @Test func `a fleet gets one level and compares`() throws {
    let bench = try Workbench()
    for (index, name) in ["linX-145", "vcm-65"].enumerated() {
      var rig = ForeignRig()
      rig.actuator = "plant-\(index + 1)"
      try bench.write(try ForeignPlant(name, "noise=75").rigFile(rig), to: "rig\(index).yaml")
      let ending = try bench.start(haprig: ["calibrate", "--rig", "rig\(index).yaml", "-q"]).end()
      try #require(ending.code == 0, "\(ending.errors)")
    }
    let fleet = try bench.start(haprig: [
      "calibrate", "--common-level", "--reference-level", "24",
    ]).end()
    #expect(fleet.code == 0 && fleet.output.contains("24.0 dB"), "\(fleet.errors)")
    let compare = try bench.start(haprig: [
      "compare", "calibration/plant-1.json", "calibration/plant-2.json", "--picture", "fleet.svg",
    ]).end()
    #expect(compare.code == 0 && compare.output.contains("plant-1 - plant-2"), "\(compare.errors)")
    #expect(try bench.bytes("fleet.svg").count > 1000)
    #expect(compare.output.contains("fleet: 1 of 1 pairs measured, level at most "))
    let numbers = try bench.start(haprig: [
      "compare", "calibration/plant-1.json", "calibration/plant-2.json", "--json",
    ]).end()
    let json = try JSONValue(parsing: Array(numbers.output.utf8))
    #expect(json["fleet"]?["levelGoal"]?.number == 1)
    #expect(json["fleet"]?["level"]?.number == json["pairs"]?.elements?[0]["level"]?["rms"]?.number)
  }
}
