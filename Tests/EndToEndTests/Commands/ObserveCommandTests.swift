// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import JSONText
import Testing

/// `haprig observe`: an app is run on a rig, recorded and scored.
struct ObserveCommandTests {
  /// An example, which is built beside the tests.
  private static func app(_ name: String) -> String {
    URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      .appending(path: name).path()
  }

  /// The folders of the starts that are whole.
  private func starts(_ bench: Workbench) -> [String] {
    bench.names(in: "out/starts").filter { !$0.hasPrefix(".") }
  }

  /// How many bytes of one channel of drive the start that is going on has.
  private func driven(_ bench: Workbench) -> Int {
    guard let start = bench.names(in: "out/starts").first else { return 0 }
    let file = bench.file("out/starts/\(start)/drive.wav.partial")
    let size = try? file.resourceValues(forKeys: [.fileSizeKey]).fileSize
    return (size ?? 0) / 4
  }

  @Test func `what an app plays is kept, and scored on the same rig`() throws {
    let bench = try Workbench()
    try bench.simulatedRig()
    try bench.write(Patterns.tap, to: "sounds/tap.ahap")
    let ending = try bench.haprig(
      "observe", "--rig", "rig.yaml", "--archive", "out", "--quiet", "--", Self.app("Sampler"),
      "sounds")
    #expect(ending.output.contains("1 of 1 patterns were played"), "the app's own output")
    let start = try #require(starts(bench).first, "\(ending.errors)")
    #expect(
      bench.names(in: "out/starts/\(start)")
        == ["Sampler-1.ahap", "drive.wav", "engine.json", "response.wav"])
    #expect(ending.output.contains("1 player in"))
    let latencies = ending.output.split(separator: "\n").filter {
      $0.contains("start to device") || $0.contains("scheduled starts")
    }
    #expect(latencies.count == 1, "of the kind of starts that there were: \(latencies)")
    #expect(!latencies.contains { $0.contains("not measured") })
    let run = try #require(bench.names(in: "out").first { $0 != "starts" })
    let record = try Record(bench.file("out").appending(path: run))
    #expect(record.status == "complete")
    #expect(ending.code == (["pass", "marginal"].contains(record.verdict) ? 0 : 1))
    #expect(!record.readings("latency.electrical").isEmpty)
    #expect(ending.output.contains("report.html"))
  }

  @Test func `without a score the app is recorded and no run is made`() throws {
    let bench = try Workbench()
    try bench.simulatedRig()
    try bench.write(Patterns.tap, to: "sounds/tap.ahap")
    let ending = try bench.haprig(
      "observe", "--rig", "rig.yaml", "--archive", "out", "--no-score", "--", Self.app("Sampler"),
      "sounds")
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(bench.names(in: "out") == ["starts"])
  }

  @Test(
    arguments: [
      ([], 2, "Missing expected argument '-- <command> ...'"),
      (["./no-such-program"], 2, "'./no-such-program' cannot be run: No such file or directory"),
      (["/"], 2, "'/' cannot be run: Permission denied"),
      (["true"], 2, "true played nothing"),
      (["sh", "-c", "exit 7"], 1, "sh ended with 7"),
      (["sh", "-c", "kill -SEGV $$"], 1, "sh was ended by signal 11"),
    ] as [([String], Int32, String)])
  func `an app that cannot be scored ends with a code and a sentence`(
    app: [String], code: Int32, says: String
  ) throws {
    let bench = try Workbench()
    try bench.simulatedRig()
    let ending = try bench.haprig(
      ["observe", "--rig", "rig.yaml", "--archive", "out"] + (app.isEmpty ? [] : ["--"] + app))
    #expect(ending.errors.contains(says), "\(ending.errors)")
    #expect(ending.code == code)
  }

  @Test func `a rig that is not there is told before the app runs`() throws {
    let bench = try Workbench()
    let ending = try bench.haprig(
      "observe", "--rig", "rig.yaml", "--archive", "out", "--", "touch", "ran")
    #expect(ending.code == 2)
    #expect(ending.errors.contains("rig.yaml"))
    #expect(bench.names(in: ".").isEmpty)
  }

  @Test func `a rig that cannot be opened is a device fault before the app runs`() throws {
    let bench = try Workbench()
    // The project's own rig of a sound interface, on a card that no machine has.
    let text = try String(contentsOfFile: Workbench.rigs + "/usb-interface.yaml", encoding: .utf8)
    try bench.write(text.replacing(/hw:CARD=\w+/, with: "hw:CARD=NoSuchCard"), to: "rig.yaml")
    let ending = try bench.haprig(
      "observe", "--rig", "rig.yaml", "--archive", "out", "--", "touch", "ran")
    #expect(ending.code == 3, "\(ending.errors)")
    #expect(bench.names(in: ".") == ["rig.yaml"])
  }

  @Test(arguments: [true, false])
  func `app and score are driven by one profile`(byVariable: Bool) throws {
    let bench = try Workbench()
    try bench.write(Patterns.tap, to: "sounds/tap.ahap")
    let rig = Workbench.rigs + "/simulated-lra.yaml"
    let profile = Workbench.package.appending(path: "rigs/profiles/sim-coin-1.json").path()
    let app = ["--", Self.app("Sampler"), "sounds"]
    let ending =
      byVariable
      ? try bench.haprig(
        ["observe", "--rig", rig, "--archive", "out", "--quiet"] + app,
        changing: ["HAPRIG_PROFILE": profile])
      : try bench.haprig(
        ["observe", "--rig", rig, "--archive", "out", "--quiet", "--profiles", profile] + app)
    let start = try #require(starts(bench).first, "\(ending.errors)")
    let engine = try JSONValue(parsing: Array(try bench.bytes("out/starts/\(start)/engine.json")))
    #expect(engine["profile"]?["actuator"]?.string == "sim-coin-1")
    let run = try #require(bench.names(in: "out").first { $0 != "starts" })
    let record = try Record(bench.file("out").appending(path: run))
    #expect(record.json["run"]?["calibration"]?.string?.hasPrefix("sim-coin-1, sha256") == true)
  }

  @Test func `another actuator's profile is refused before the app runs`() throws {
    let bench = try Workbench()
    let ending = try bench.haprig(
      "observe", "--rig", Workbench.rigs + "/simulated-vcm.yaml", "--profiles",
      Workbench.package.appending(path: "rigs/profiles/sim-coin-1.json").path(), "--", "touch",
      "ran")
    #expect(ending.code == 2)
    #expect(ending.errors.contains("of the actuator 'sim-coin-1'"), "\(ending.errors)")
    #expect(bench.names(in: ".").isEmpty)
  }

  @Test func `a rig that fails while the app plays is a device fault`() throws {
    let bench = try Workbench()
    try bench.simulatedRig(faults: "{kind: unplug, at: 0.2 s}")
    let ending = try bench.haprig(
      "observe", "--rig", "rig.yaml", "--archive", "out", "--", Self.app("Palette"))
    // The app finds its engine stopped and fails as well: the fault is why.
    #expect(ending.code == 3, "\(ending.errors)")
    #expect(ending.output.contains("fault: "), "\(ending.output)")
  }

  @Test(arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
  func `a signal ends the app, whose record is kept`(signal: Int32, code: Int32) throws {
    let bench = try Workbench()
    try bench.simulatedRig()
    // Half a minute of vibration: it does not end by itself.
    try bench.write(Patterns.hold, to: "sounds/hold.ahap")
    let run = try bench.start(haprig: [
      "observe", "--rig", "rig.yaml", "--archive", "out", "--", Self.app("Sampler"), "sounds",
    ])
    // Half a second of drive, in the folder that is not whole yet.
    for _ in 0..<6000 where driven(bench) < 48_000 / 2 * 4 { usleep(10_000) }
    run.send(signal)
    let ending = try run.end(within: 20)
    #expect(ending.code == code, "\(ending.errors)")
    #expect(ending.errors.contains("stopped by signal \(signal): what was played is kept"))
    let start = try #require(starts(bench).first, "\(bench.names(in: "out/starts"))")
    #expect(bench.names(in: "out/starts/\(start)").contains("Sampler-1.ahap"))
    #expect(bench.names(in: "out") == ["starts"])
  }
}
