// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONText
import Testing

/// What `haprig run` takes and gives.
struct RunCommandTests {
  /// A bench with a rig that answers at once.
  private func bench() throws -> Workbench {
    let bench = try Workbench()
    try bench.write(Plants.mirror, to: "mirror.py")
    try bench.commandRig("mirror.py")
    return bench
  }

  /// A bench with a rig that moves as an actuator does, which a run without a plan asks for.
  private func livelyBench() throws -> Workbench {
    let bench = try Workbench()
    try bench.write(Plants.resonator, to: "plant.py")
    try bench.commandRig("plant.py", "0", "0", "0")
    return bench
  }

  @Test func `a folder stands for the patterns in it by name`() throws {
    let bench = try livelyBench()
    try bench.write(Patterns.tap, to: "patterns/b.ahap")
    try bench.write(Patterns.tapWithTone, to: "patterns/a.ahap")
    try bench.write("no pattern", to: "patterns/notes.txt")
    try bench.write(Patterns.tap, to: "patterns/below/c.ahap")
    let ending = try bench.haprig("run", "patterns", "--rig", "rig.yaml", "--archive", "out")
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(try bench.record().patterns.map { $0["name"]?.string } == ["a", "b"])
    let steps = ending.errors.split(separator: "\n")
    #expect(steps.first?.hasPrefix("[1/2] measured a, take 1") == true, "\(ending.errors)")
    #expect(steps.last?.hasPrefix("[2/2] measured b, take 1") == true, "\(ending.errors)")
  }

  @Test func `files that share a name are told apart`() throws {
    let bench = try livelyBench()
    try bench.write(Patterns.tap, to: "one/tap.ahap")
    try bench.write(Patterns.tap, to: "two/tap.ahap")
    let ending = try bench.haprig(
      "run", "one/tap.ahap", "two/tap.ahap", "--rig", "rig.yaml", "--archive", "out", "--quiet")
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(ending.errors == "")
    let record = try bench.record()
    #expect(record.patterns.map { $0["name"]?.string } == ["tap", "tap-2"])
    #expect(record.patterns.map { $0["file"]?.string } == ["one/tap.ahap", "two/tap.ahap"])
  }

  @Test func `a plan's patterns lie relative to the plan, and repeats replace its own`() throws {
    let bench = try bench()
    try bench.write(Patterns.tap, to: "patterns/tap.ahap")
    try bench.write(
      Plans.quick(["../patterns/tap.ahap"], limits: ["{reading: xruns, below: 0}"]),
      to: "plans/plan.yaml")
    let ending = try bench.haprig(
      "run", bench.file("plans/plan.yaml").path(), "--rig", bench.file("rig.yaml").path(),
      "--archive", bench.file("out").path(), "--repeats", "3",
      in: FileManager.default.temporaryDirectory)
    #expect(ending.code == 0, "\(ending.errors)")
    let record = try bench.record()
    #expect(record.json["plan"]?["name"]?.string == "quick")
    #expect(record.takes.count == 3)
    #expect(record.readings("xruns").map { $0["repeat"]?.integer } == [1, 2, 3])
    #expect(record.readings("xruns").allSatisfy { $0["verdict"]?.string == "pass" })
    #expect(try record.value("latency.jitter") < 1e-6)
  }

  @Test func `the record on standard output is the one in the folder, behind its summary`() throws {
    let bench = try livelyBench()
    try bench.write(Patterns.tap, to: "tap.ahap")
    let ending = try bench.haprig(
      "run", "tap.ahap", "--rig", "rig.yaml", "--archive", "far/out", "--json")
    #expect(ending.code == 0, "\(ending.errors)")
    let printed = try JSONDocument(Array(ending.output.utf8)).root.value
    guard case .object(var members) = printed else {
      Issue.record("what was printed is no object")
      return
    }
    let summary = members.removeFirst()
    #expect(summary.key == "summary")
    #expect(summary.value["patterns"]?.elements?.first?["pattern"]?.string == "tap")
    #expect(
      JSONValue.object(members).text(indent: 1, sortedKeys: true) + "\n"
        == (try bench.record(in: "far/out").text))
  }

  @Test func `a limit that fails is exit code 1`() throws {
    let bench = try bench()
    try bench.write(Patterns.tap, to: "tap.ahap")
    try bench.write(
      Plans.quick(limits: ["{reading: response.peak, below: 0.001 m/s2}"]), to: "plan.yaml")
    let ending = try bench.haprig("run", "plan.yaml", "--rig", "rig.yaml", "--archive", "out")
    #expect(ending.code == 1, "\(ending.errors)")
    let record = try bench.record()
    #expect(record.verdict == "fail")
    #expect(try record.reading("response.peak")["verdict"]?.string == "fail")
  }

  @Test func `a required reading that is not measured is exit code 1`() throws {
    let bench = try bench()
    try bench.write(Patterns.tap, to: "tap.ahap")
    try bench.write(
      Plans.quick(limits: ["{reading: sync.audioHaptic, within: 1 s}"]), to: "plan.yaml")
    let ending = try bench.haprig("run", "plan.yaml", "--rig", "rig.yaml", "--archive", "out")
    #expect(ending.code == 1, "\(ending.errors)")
    #expect(try bench.record().verdict == "not measured")
  }

  @Test func `runs of the same second lie side by side`() throws {
    let bench = try bench()
    try bench.write(Patterns.tap, to: "tap.ahap")
    try bench.write(Plans.quick(), to: "plan.yaml")
    let runs = try (0..<3).map { _ in
      try bench.start(haprig: ["run", "plan.yaml", "--rig", "rig.yaml", "--archive", "out"])
    }
    for run in runs { #expect(try run.end().code == 0) }
    let names = bench.names(in: "out")
    #expect(names.count == 3, "\(names)")
    for name in names {
      #expect(try Record(bench.file("out/\(name)")).status == "complete")
    }
  }

  @Test func `a file for other test runners is well formed`() throws {
    let bench = try bench()
    try bench.write(Patterns.tap, to: "a<b>&\"c'.ahap")
    try bench.write(
      Plans.quick(
        ["'a<b>&\"c''.ahap'"], repeats: 2,
        limits: [
          "{reading: xruns, below: 0}", "{reading: response.peak, below: 0.001 m/s2}",
          "{reading: sync.audioHaptic, within: 1 s}",
        ]), to: "plan.yaml")
    let ending = try bench.haprig("run", "plan.yaml", "--rig", "rig.yaml", "--archive", "out")
    #expect(ending.code == 1, "\(ending.errors)")
    let path = try bench.record().folder.appending(path: "junit.xml").path()
    let count = """
      import sys, xml.etree.ElementTree as tree
      root = tree.parse(sys.argv[1]).getroot()
      cases = list(root.iter("testcase"))
      print(root.tag, len(cases) >= 5, any("a<b>&\\"c'" in case.attrib.values() for case in cases),
            sum(case.find("failure") is not None for case in cases))
      """
    let printed = try bench.tool("python3", "-c", count, path)
    #expect(printed.hasPrefix("testsuites True True "), "\(printed)")
    #expect(!printed.hasSuffix(" 0\n"), "\(printed)")
  }
}
