// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONText
import Testing

/// What `make demo` does once haprig is built.
struct DemoTests {
  private static let isRelease = Workbench.haprig.contains("/release/")

  @Test func `the demo prints a table and the path of a report`() throws {
    let bench = try Workbench()
    try bench.simulatedRig(to: "rigs/simulated-lra.yaml")
    try bench.write(
      Plans.quick(["../patterns"], repeats: 2, probe: true), to: "rigs/plans/demo.yaml")
    try bench.write(Patterns.tapWithTone, to: "rigs/patterns/tap.ahap")
    let ending = try bench.haprig("demo", "--archive", "out")
    try expectWholeRun(ending, in: bench, patterns: 1, verdict: "pass")
  }

  @Test func `a demo is not played twice, unless that is asked for or an input changed`() throws {
    let bench = try Workbench()
    try bench.simulatedRig(to: "rigs/simulated-lra.yaml")
    try bench.write(
      Plans.quick(["../patterns"], repeats: 1, probe: true), to: "rigs/plans/demo.yaml")
    try bench.write(Patterns.tapWithTone, to: "rigs/patterns/tap.ahap")
    func played() -> Int { bench.names(in: "out").count { $0.contains("-quick") } }
    let first = try bench.haprig("demo", "--archive", "out")
    try #require(first.code == 0 && played() == 1, "\(first.errors) \(bench.names(in: "out"))")
    let second = try bench.haprig("demo", "--archive", "out")
    #expect(second.code == 0 && second.output == first.output, "\(second.output)")
    #expect(second.errors.contains("nothing is played ('haprig demo --again'"), "\(second.errors)")
    #expect(played() == 1)
    #expect(try bench.haprig("demo", "--archive", "out", "--again", "--quiet").errors.isEmpty)
    #expect(played() == 2)
    try bench.write(Patterns.transient(at: 0, intensity: 0.5), to: "rigs/patterns/tap.ahap")
    #expect(try bench.haprig("demo", "--archive", "out", "--quiet").errors.isEmpty)
    #expect(played() == 3)
  }

  @Test(
    .enabled(
      if: isRelease, "the whole demo takes minutes in a debug build: 'make test' has a release one")
  )
  func `the demo of the project passes`() throws {
    let bench = try Workbench()
    let ending = try bench.start(
      [Workbench.haprig, "demo", "--archive", bench.file("out").path()], in: Workbench.package
    ).end(within: 900)
    // Without a profile nobody judges how it feels.
    try expectWholeRun(ending, in: bench, patterns: 17, verdict: "marginal")
    #expect(
      ending.output.hasPrefix("Rig pass   Timing pass   Feel not judged (no profile)\n"),
      "\(ending.output)")
  }

  private func expectWholeRun(
    _ ending: Ending, in bench: Workbench, patterns: Int, verdict: String
  ) throws {
    #expect(ending.code == 0, "\(ending.errors)")
    let record = try bench.record()
    for heading in ["pattern", "verdict", "sync", "latency", "sharpness", "electrical delay"] {
      #expect(ending.output.contains(heading), "\(ending.output)")
    }
    let end = ending.output.split(separator: "\n").suffix(2)
    #expect(ending.output.contains(/\nits picture: .+\/picture\.svg\n/))
    #expect(end.first?.firstMatch(of: /haprig serve --archive \S*out$/) != nil, "\(end)")
    #expect(end.last?.contains("prints its address: http://127.0.0.1:8017/") == true, "\(end)")
    let report = try #require(ending.output.firstMatch(of: /report: (.+)\n/)?.output.1)
    #expect(report.hasSuffix("out/\(record.folder.lastPathComponent)/report.html"))
    for name in ["report.html", "picture.svg", "record.json", "junit.xml"] {
      let path = record.folder.appending(path: name).path()
      #expect(FileManager.default.fileExists(atPath: path), "\(name)")
    }
    #expect(record.json["schema"]?.string == "haprig.run/1.1")
    #expect(record.status == "complete")
    #expect(record.verdict == verdict)
    #expect(record.patterns.count == patterns)
    for pattern in record.patterns {
      let name = try #require(pattern["name"]?.string)
      #expect(ending.output.contains(name.count > 18 ? String(name.prefix(17)) : name))
    }
    for take in record.takes {
      for side in ["drive", "response"] {
        let file = try #require(take[side]?["file"]?.string)
        #expect(
          FileManager.default.fileExists(atPath: record.folder.appending(path: file).path()))
      }
    }
  }
}
