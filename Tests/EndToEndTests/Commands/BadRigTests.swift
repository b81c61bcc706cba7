// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONText
import Testing

/// The plans that come with the project pass a good rig and fail a bad one.
struct BadRigTests {
  private func run(
    _ plan: String, on bench: Workbench, _ more: String...
  ) throws -> (code: Int32, failed: Set<String>) {
    let ending = try bench.start(
      [
        Workbench.haprig, "run", "rigs/plans/\(plan).yaml", "--rig",
        bench.file("rig.yaml").path(), "--archive", bench.file("out").path(), "--json", "--quiet",
      ] + more, in: Workbench.package
    ).end(within: 900)
    let record = try JSONValue(parsing: Array(ending.output.utf8))
    let failed = (record["readings"]?.elements ?? []).filter { $0["verdict"]?.string == "fail" }
    return (ending.code, Set(failed.compactMap { $0["name"]?.string }))
  }

  @Test(arguments: [
    ("latency: 5.2 ms", "latency: 57 ms", ["latency.electrical"]),
    ("clock: 12 ppm", "clock: 500 ppm", ["drift"]),
    ("latency: 1.5 ms", "latency: 40 ms", ["sync.audioHaptic"]),
    ("transport: 0.40 ms", "transport: 15 ms", ["latency.transport", "sync.audioHaptic"]),
  ])
  func `a rig with one fault fails the smoke plan by that`(
    old: String, new: String, failed: [String]
  ) throws {
    let bench = try Workbench()
    try bench.simulatedRig(changing: [old: new])
    let outcome = try run("smoke", on: bench)
    #expect(outcome.code == 1)
    #expect(outcome.failed == Set(failed))
  }

  @Test func `starts that scatter by 2 ms fail the smoke plan`() throws {
    let bench = try Workbench()
    // Another seed: of three starts one draw in a hundred is close together.
    try bench.simulatedRig(
      changing: [
        "jitter: 0.02 ms, clock: 0 ppm": "jitter: 2 ms, clock: 0 ppm", "seed: 1": "seed: 5",
      ])
    let outcome = try run("smoke", on: bench)
    #expect(outcome.code == 1 && outcome.failed == ["latency.jitter"])
  }

  @Test func `a sensor that is all noise ends the smoke plan before it begins`() throws {
    let bench = try Workbench()
    try bench.simulatedRig(changing: ["noise: 4 ug/rtHz": "noise: 8000 ug/rtHz"])
    #expect(try run("smoke", on: bench).code == 3)
  }

  @Test(
    .enabled(
      if: Workbench.haprig.contains("/release/"),
      "34 takes need a release build, which 'make test' has"),
    arguments: [(nil, []), ("{from: coinZ-170, force-factor: 0.25 N/A}", ["harmony.intensity"])])
  func `a calibrated actuator that became 5 dB weaker fails the demo's plan, and no other`(
    plant: String?, failed: [String]
  ) throws {
    let bench = try Workbench()
    try bench.simulatedRig(changing: plant.map { ["plant: coinZ-170": "plant: \($0)"] } ?? [:])
    let outcome = try run("demo", on: bench, "--profiles", "rigs/profiles/sim-coin-1.json")
    #expect(outcome.failed == Set(failed))
    #expect(outcome.code == (failed.isEmpty ? 0 : 1))
  }
}
