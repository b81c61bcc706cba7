// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Patterns that an actuator does not bear: one sentence, exit code 2, nothing played.
struct LimitRefusalTests {
  /// A rig whose actuator bears a slope, beside the pattern of a tap.
  private func bench(slope: String) throws -> Workbench {
    let bench = try Workbench()
    try bench.write(Patterns.tap, to: "tap.ahap")
    try bench.simulatedRig(changing: ["    peak: 3.6 V\n": "    peak: 3.6 V\n    slope: \(slope)\n"]
    )
    return bench
  }

  @Test(arguments: [
    ["run", "--archive", "out"], ["run", "--stimulus", "x.wav"], ["play"],
    ["render", "--out", "x.wav"],
  ])
  func `a tap steeper than the slope limit is refused before anything plays`(
    command: [String]
  ) throws {
    let bench = try bench(slope: "100 V/s")
    try bench.write(Plans.quick(), to: "plan.yaml")
    let what = command.contains("--out") && command[0] == "run" ? "plan.yaml" : "tap.ahap"
    // Without a plan a run has a probe, which such a limit leaves nothing of.
    let isProbed = command[0] == "run" && what == "tap.ahap"
    let ending = try bench.haprig(
      [command[0], what, "--rig", "rig.yaml"] + command.dropFirst())
    #expect(ending.code == 2, "\(ending.errors)")
    expectSentence(
      ending,
      saying: isProbed
        ? ["rig simulated-lra", "leaves the probe", "'probe: false'"]
        : [
          "tap.ahap: event 0 (HapticTransient at 0 s) asks for a slope of ",
          "the actuator 'sim-coin-1' on drive channel 1 bears 100 V/s ('limits.slope'): ",
          "lower its intensity there to 0.1", "or raise 'limits.slope'",
        ])
    #expect(ending.output == "")
    #expect(bench.names(in: ".") == ["plan.yaml", "rig.yaml", "tap.ahap"])
  }

  @Test func `the intensity that is told is played within the limit`() throws {
    let bench = try bench(slope: "1 V/ms")
    let refused = try bench.haprig("play", "tap.ahap", "--rig", "rig.yaml")
    let told = try #require(
      refused.errors.firstMatch(of: /there to ([0-9.]+) or less/)?.output.1)
    try bench.write(
      Patterns.transient(at: 0, intensity: try #require(Double(told))), to: "tap.ahap")
    try bench.write(Plans.quick(probe: true), to: "plan.yaml")
    let ending = try bench.haprig("run", "plan.yaml", "--rig", "rig.yaml", "--archive", "out")
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(try bench.record().value("drive.limited") == 0)
  }

  @Test func `the project's own patterns keep the limits of the project's own rigs`() throws {
    let bench = try Workbench()
    let rigs = try FileManager.default.contentsOfDirectory(atPath: Workbench.rigs)
      .filter { $0.hasSuffix(".yaml") }.sorted()
    #expect(rigs.count >= 8)
    let patterns = try FileManager.default.contentsOfDirectory(atPath: Workbench.rigs + "/patterns")
      .filter { $0.hasSuffix(".ahap") }.sorted()
    for rig in rigs {
      for pattern in patterns {
        let ending = try bench.haprig(
          "render", Workbench.rigs + "/patterns/" + pattern, "--rig", Workbench.rigs + "/" + rig,
          "--out", "x.wav")
        #expect(ending.code == 0, "\(rig), \(pattern): \(ending.errors)")
      }
    }
  }
}
