// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONText
import Testing

/// Faults that a simulated rig is told to have are seen for what they are.
struct SimulatedFaultTests {
  /// The pattern of a take without a probe starts at 0.35 s.
  private func run(
    _ fault: String, limits: [String], repeats: Int = 1, probe: Bool = false
  ) throws -> (Workbench, Ending, Record) {
    let bench = try Workbench()
    try bench.simulatedRig(faults: fault)
    try bench.write(Patterns.tap, to: "tap.ahap")
    try bench.write(
      Plans.quick(repeats: repeats, probe: probe, limits: limits), to: "plan.yaml")
    let ending = try bench.haprig("run", "plan.yaml", "--rig", "rig.yaml", "--archive", "out")
    return (bench, ending, try bench.record())
  }

  private func expectTouched(_ record: Record) throws {
    for name in ["latency.onset", "response.peak"] {
      let reading = try record.reading(name)
      #expect(reading["value"] == nil)
      #expect(reading["verdict"]?.string == "not measured")
      #expect(reading["note"]?.string == "a gap, an xrun or an overload touches it")
    }
    let rejected = try #require(record.takes.first?["rejected"]?.elements)
    #expect(rejected.map { $0["event"]?.integer } == [0])
  }

  @Test func `an xrun is counted once, and what it touches is not measured`() throws {
    let (_, ending, record) = try run(
      "{kind: xrun, at: 0.37 s, for: 20 ms}", limits: ["{reading: xruns, below: 0}"])
    #expect(ending.code == 1, "\(ending.errors)")
    // The drive runs dry and the capture over, both at one moment.
    #expect(try record.value("xruns") == 1)
    #expect(try record.value("dropouts") == 0)
    #expect(try record.reading("xruns")["verdict"]?.string == "fail")
    #expect(record.verdict == "fail")
    try expectTouched(record)
    #expect(abs(try record.value("latency.electrical") - 8.3e-3) < 0.1e-3)
  }

  @Test func `lost packets are counted, and what they touch is not measured`() throws {
    let (_, ending, record) = try run(
      "{kind: drop, at: 0.37 s, for: 5 ms}", limits: ["{reading: dropouts, below: 0}"])
    #expect(ending.code == 1, "\(ending.errors)")
    #expect(try record.value("dropouts") == 1)
    #expect(try record.value("xruns") == 0)
    #expect(record.verdict == "fail")
    try expectTouched(record)
  }

  @Test func `an overload is counted, and what it touches is not measured`() throws {
    let (_, ending, record) = try run(
      "{kind: overload, at: 0.37 s, for: 5 ms}", limits: ["{reading: overloads, below: 0}"])
    #expect(ending.code == 1, "\(ending.errors)")
    #expect(try record.value("overloads") == 1)
    #expect(record.verdict == "fail")
    try expectTouched(record)
  }

  @Test func `a fault of one take leaves the other untouched`() throws {
    // A take has 1.18 s, and faults count from the rig's opening.
    let (_, ending, record) = try run(
      "{kind: drop, at: 0.37 s, for: 5 ms}", limits: ["{reading: dropouts, below: 0}"], repeats: 2)
    #expect(ending.code == 1)
    #expect(record.readings("dropouts").map { $0["value"]?.number } == [1, 0])
    #expect(record.readings("latency.onset").map { $0["value"]?.number == nil } == [true, false])
  }

  @Test func `an unplugged device ends the run, and what was measured stays`() throws {
    let (_, ending, record) = try run(
      "{kind: unplug, at: 1.5 s}", limits: ["{reading: dropouts, below: 0}"], repeats: 3)
    #expect(ending.code == 3, "\(ending.errors)")
    expectSentence(ending, saying: ["simulated-lra: the simulated device was unplugged"])
    #expect(record.status == "fault")
    #expect(record.verdict == "not measured")
    #expect(record.takes.count == 2)
    #expect(record.readings("latency.electrical").map { $0["repeat"]?.integer } == [1])
  }

  @Test func `an actuator that is stuck is not measured and never a pass`() throws {
    let (_, ending, record) = try run(
      "{kind: stuck, at: 0 s}", limits: ["{reading: latency.onset, below: 1 s}"])
    #expect(ending.code == 1, "\(ending.errors)")
    #expect(record.verdict == "not measured")
    let onset = try record.reading("latency.onset")
    #expect(onset["value"] == nil)
    #expect(onset["note"]?.string == "the response stays below six sigma of the noise floor")
    #expect(abs(try record.value("latency.electrical") - 8.3e-3) < 0.1e-3)
  }

  @Test func `an actuator that is stuck never passes without a plan either`() throws {
    let bench = try Workbench()
    try bench.simulatedRig(faults: "{kind: stuck, at: 0 s}")
    try bench.write(Patterns.tap, to: "tap.ahap")
    let ending = try bench.haprig("run", "tap.ahap", "--rig", "rig.yaml", "--archive", "out")
    #expect(ending.code == 1, "\(ending.output)")
    #expect(try bench.record().verdict == "not measured")
  }

  @Test func `a loose sensor gives no transport latency`() throws {
    let (_, ending, record) = try run(
      "{kind: loose, at: 0 s}", limits: ["{reading: latency.transport, below: 10 ms}"], probe: true)
    #expect(ending.code == 1, "\(ending.errors)")
    #expect(record.verdict == "not measured")
    let note = try #require(try record.reading("latency.transport")["note"]?.string)
    #expect(note.contains("the response is not that of one resonator"), "\(note)")
  }
}
