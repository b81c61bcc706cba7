// SPDX-License-Identifier: Apache-2.0

import Bench
import Calibration
import RunArchive
import ScratchFolder
import Testing

@testable import Workflows

/// What checks found is kept beside the profile.
struct CheckLogTests {
  private static let root =
    #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()

  private static func entry(_ number: Int) -> CheckLog.Entry {
    CheckLog.Entry(
      date: "2026-11-25T02:00:00Z", rig: "bench", calibration: "run-\(number)", program: "haprig",
      outcome: CalibrationCheck.Outcome(findings: [
        .init(
          name: "f0", unit: "Hz", expected: 170, expectedUncertainty: 0.01, found: 171.5,
          foundUncertainty: 0.02, sigmas: 17.25, verdict: .drifted, drive: 0.4, daily: 0.0005),
        .init(
          name: "noise", unit: "m/s2", expected: 0.1, expectedUncertainty: 0.001, found: 0.01,
          foundUncertainty: 0.001, sigmas: -60, verdict: .same),
      ]))
  }

  @Test
  func `what is kept is read back, the newest are kept, and what nobody wrote is passed over`()
    throws
  {
    let scratch = try ScratchFolder()
    let log = CheckLog(profile: scratch.file("lra-1.json"))
    #expect(log.path == scratch.file("lra-1.checks.jsonl"))
    #expect(try log.entries().isEmpty)
    try log.add(Self.entry(0))
    #expect(try log.entries() == [Self.entry(0)])
    var text = try #require(ScratchFolder.text(log.path))
    #expect(text.hasSuffix("}\n") && text.split(separator: "\n").count == 1)
    text += "no JSON\n{\"schema\":\"haprig.check/2\"}\n"
    try scratch.write(
      String(repeating: text, count: CheckLog.most / 3), to: "lra-1.checks.jsonl")
    for number in 1...3 { try log.add(Self.entry(number)) }
    let all = try log.entries()
    #expect(all.suffix(3) == [1, 2, 3].map(Self.entry))
    let lines = try #require(ScratchFolder.text(log.path)).split(separator: "\n")
    #expect(lines.count == CheckLog.most)
  }

  @Test func `less noise than before is no distance from the profile`() {
    #expect(Self.entry(0).outcome.sigmas == 17.25 && Self.entry(0).outcome.hasDrifted)
    #expect(Self.entry(0).outcome.findings.map(\.isForTheBetter) == [false, true])
  }

  @Test func `each check of a rig is kept, and tells whether its actuator is another one`()
    async throws
  {
    let scratch = try ScratchFolder()
    let sample = try #require(ScratchFolder.bytes(Self.root + "/rigs/profiles/sim-coin-1.json"))
    _ = try scratch.folder("calibration")
    try AtomicFile.write(
      String(decoding: sample, as: UTF8.self), to: scratch.file("calibration/sim-coin-1.json"))
    let rig = try #require(ScratchFolder.text(Self.root + "/rigs/simulated-lra.yaml"))
    let user = RigOperator(version: "9.9-test")
    // The mount is that of the calibration, and then one that passes motion on later.
    for (number, transport) in ["0.40 ms", "0.60 ms"].enumerated() {
      try #require(rig.contains("transport: 0.40 ms"))
      let file = try scratch.write(
        rig.replacing("transport: 0.40 ms", with: "transport: \(transport)"),
        to: "rig\(number).yaml")
      let outcome = try await CheckWorkflow.execute(
        ActuatorChoice(rig: file, actuator: nil), profile: scratch.file("calibration"), by: user)
      #expect(outcome.hasDrifted == (number == 1), "\(outcome.summary)")
      let latency = try #require(outcome.findings.first { $0.name == "latency" })
      let excess = latency.found - latency.expected - Double(number) * 200e-6
      #expect(abs(excess) < 4 * latency.uncertainty && latency.uncertainty < 30e-6, "\(latency)")
      let kept = try CheckLog(profile: scratch.file("calibration/sim-coin-1.json")).entries()
      #expect(kept.count == number + 1 && kept.last?.outcome == outcome)
      #expect(kept.last?.program == "haprig 9.9-test" && kept.last?.rig == "simulated-lra")
    }
    // Profiles are what they were: nothing else in their folder is taken for one.
    #expect(try ProfileFolder(path: scratch.file("calibration")).files().count == 1)
  }
}
