// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The same inputs and seed give the same bytes.
struct DeterminismTests {
  @Test func `a run depends on nothing but its inputs`() throws {
    let bench = try Workbench()
    let pattern = try bench.write(Patterns.tapWithTone, to: "tap.ahap")
    try bench.simulatedRig()
    let rig = bench.file("rig.yaml").path()
    func run(_ out: String, changing environment: [String: String], in folder: URL) throws -> Record
    {
      let ending = try bench.haprig(
        "run", pattern, "--rig", rig, "--archive", bench.file(out).path(),
        changing: environment, in: folder)
      #expect(ending.code == 0, "\(ending.errors)")
      return try bench.record(in: out)
    }
    let first = try run("first", changing: [:], in: bench.folder)
    let again = try run("again", changing: [:], in: bench.folder)
    let elsewhere = try run(
      "elsewhere",
      changing: [
        "LANG": "de_DE.UTF-8", "LC_ALL": "de_DE.UTF-8", "TZ": "Asia/Tokyo", "HOME": "/nowhere",
      ],
      in: FileManager.default.temporaryDirectory)
    #expect(first.withoutHeader.count > 2000)
    #expect(first.withoutHeader != first.text)
    for other in [again, elsewhere] {
      #expect(other.withoutHeader == first.withoutHeader)
      for name in ["tap-1-drive.flac", "tap-1-response.flac"] {
        let (one, two) = (
          try Data(contentsOf: first.folder.appending(path: name)),
          try Data(contentsOf: other.folder.appending(path: name))
        )
        #expect(one == two, "\(name)")
      }
    }
  }

  @Test func `a motor's run rounds alike in every process`() throws {
    let bench = try Workbench()
    let rig = "\(Workbench.rigs)/simulated-erm.yaml"
    let patterns = ["texture-gravel", "engine-rev"].map { "\(Workbench.rigs)/patterns/\($0).ahap" }
    let records = try ["first", "again"].map { out in
      let ending = try bench.haprig(
        ["run"] + patterns + ["--rig", rig, "--archive", bench.file(out).path()])
      #expect(ending.code == 0, "\(ending.errors)")
      return try bench.record(in: out)
    }
    #expect(records[0].withoutHeader == records[1].withoutHeader)
  }

  @Test func `another seed of the rig is another run`() throws {
    let bench = try Workbench()
    try bench.write(Patterns.tap, to: "tap.ahap")
    try bench.write(Plans.quick(), to: "plan.yaml")
    try bench.simulatedRig(to: "one.yaml")
    try bench.simulatedRig(changing: ["seed: 1": "seed: 5"], to: "five.yaml")
    for name in ["one", "five"] {
      let ending = try bench.haprig("run", "plan.yaml", "--rig", "\(name).yaml", "--archive", name)
      #expect(ending.code == 0, "\(ending.errors)")
    }
    let delays = try ["one", "five"].map { try bench.record(in: $0).value("latency.electrical") }
    #expect(delays[0] != delays[1])
    #expect(abs(delays[0] - delays[1]) < 0.2e-3)
  }
}
