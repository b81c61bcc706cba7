// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONText
import Testing

/// With `--json` standard output is one value and nothing else.
struct JSONCommandTests {
  private func bench() throws -> Workbench {
    let bench = try Workbench()
    try bench.simulatedRig()
    try bench.write(Patterns.tap, to: "tap.ahap")
    return bench
  }

  private func told(_ ending: Ending, code: Int32 = 0) throws -> JSONValue {
    #expect(ending.code == code, "\(ending.errors)")
    return try JSONValue(parsing: Array(ending.output.utf8))
  }

  @Test func `what writes files lists them`() throws {
    let bench = try bench()
    let rendered = try told(
      bench.haprig(
        "render", "tap.ahap", "--out", "tap.wav", "--intent", "intent.json", "--json"))
    #expect(
      rendered["written"]?.elements?.map { $0["file"]?.string } == ["intent.json", "tap.wav"])
    #expect(rendered["written"]?.elements?.last?["rate"]?.number == 48_000)
    let converted = try told(bench.haprig("convert", "tap.ahap", "tap.haptic", "--json"))
    #expect(converted["written"]?.elements?.first?["kind"]?.string == "clip")
    #expect(converted["changes"]?.elements != nil)
    let exported = try told(
      bench.haprig("export", "--apple", "tap.ahap", "--out", "phone.ahap", "--json"))
    #expect(exported["written"]?.elements?.first?["file"]?.string == "phone.ahap")
    let text = try String(contentsOf: bench.file("tap.ahap"), encoding: .utf8)
    try bench.write(text.replacing("\n", with: ""), to: "tap.ahap")
    let checked = try told(bench.haprig("format", "--check", "tap.ahap", "--json"), code: 1)
    #expect(checked["files"]?.elements?.first?["changed"]?.bool == true)
    let formatted = try told(bench.haprig("format", "tap.ahap", "--json"))
    #expect(formatted["files"]?.elements?.first?["changed"]?.bool == true)
    #expect(try told(bench.haprig("format", "tap.ahap", "--json")).text().contains("false"))
  }

  @Test func `what plays tells what was played`() throws {
    let bench = try bench()
    let played = try told(bench.haprig("play", "tap.ahap", "--rig", "rig.yaml", "--json"))
    #expect(played["played"]?.elements?.map { $0["pattern"]?.string } == ["tap"])
    let stimulus = try told(
      bench.haprig("run", "tap.ahap", "--rig", "rig.yaml", "--stimulus", "s.wav", "--json"))
    #expect(stimulus["stimulus"]?.string == "s.wav" && stimulus["channels"]?.integer == 3)
    #expect(try told(bench.haprig("stop", "nobody", "--json"))["stopped"]?.elements == [])
    let wrong = try bench.haprig("play", "none.ahap", "--rig", "rig.yaml", "--json")
    #expect(wrong.code == 2 && wrong.output.isEmpty && wrong.errors.contains("none.ahap"))
  }

  @Test func `a rig that is stopped is named`() throws {
    let bench = try Workbench()
    try bench.simulatedRig(changing: [
      "clock: virtual": "clock: real", "name: simulated-lra": "name: stopped-lra",
    ])
    try bench.write(Patterns.taps(seconds: 20), to: "long.ahap")
    let playing = try bench.start(haprig: ["play", "long.ahap", "--rig", "rig.yaml", "--json"])
    var stopped: JSONValue?
    for _ in 0..<200 {
      stopped = try told(bench.haprig("stop", "stopped-lra", "--json"))
      if stopped?["stopped"]?.elements?.isEmpty == false { break }
      usleep(50_000)
    }
    #expect(stopped?["stopped"]?.elements?.first?["rig"]?.string == "stopped-lra")
    let ending = try playing.end()
    #expect(ending.code == 143)
    // What was played to its end until then: nothing.
    #expect(try JSONValue(parsing: Array(ending.output.utf8))["played"]?.elements == [])
  }

  @Test func `the demo prints its record`() throws {
    let bench = try Workbench()
    try bench.simulatedRig(to: "rigs/simulated-lra.yaml")
    try bench.write(Plans.quick(["../patterns"]), to: "rigs/plans/demo.yaml")
    try bench.write(Patterns.tap, to: "rigs/patterns/tap.ahap")
    let record = try told(bench.haprig("demo", "--archive", "out", "--json"))
    #expect(record["summary"]?["verdict"]?.string != nil && record["schema"]?.string != nil)
  }

  @Test func `an observed app's words stay out of it`() throws {
    let bench = try bench()
    let ending = try bench.haprig(
      "observe", "--rig", "rig.yaml", "--archive", "out", "--json", "--", "sh", "-c", "echo hello")
    #expect(ending.code == 2 && ending.errors.contains("hello"))
    let told = try JSONValue(parsing: Array(ending.output.utf8))
    #expect(told["starts"]?.elements == [] && told["cutOff"]?.elements == [])
  }
}
