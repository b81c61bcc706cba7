// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONText
import Testing

/// The plans that come with the project, on the simulated rig.
struct ProjectPlanTests {
  private static let isRelease = Workbench.haprig.contains("/release/")

  /// Runs a plan of the project and checks what holds for all of them.
  private func run(
    _ plan: String, _ options: String..., takes: Int, starts: Int = 1, verdict: String = "pass"
  ) throws -> (record: Record, ending: Ending, files: [String]) {
    let bench = try Workbench()
    let arguments =
      [
        "run", "rigs/plans/\(plan).yaml", "--rig", "rigs/simulated-lra.yaml", "--archive",
        bench.file("out").path(),
      ] + options
    let ending = try bench.start([Workbench.haprig] + arguments, in: Workbench.package)
      .end(within: 900)
    #expect(ending.code == 0, "\(ending.errors)\(ending.output)")
    let record = try bench.record()
    #expect(record.status == "complete")
    #expect(record.verdict == verdict, "\(ending.output)")
    #expect(record.json["plan"]?["name"]?.string == plan)
    #expect(record.takes.count == takes)
    #expect(Set(record.takes.compactMap { $0["start"]?.integer }) == Set(1...starts))
    #expect(Set(record.takes.compactMap { $0["place"]?.integer }) == Set(1...takes))
    for line in ending.output.split(separator: "\n") where !line.hasPrefix("report: ") {
      #expect(line.count <= 100, "\(line)")
    }
    #expect(!ending.output.contains("\u{1B}"))
    #expect(ending.output.contains("\n\(verdict): "))
    // The bench, and the run with it, goes when this returns.
    return (
      record, ending, try FileManager.default.contentsOfDirectory(atPath: record.folder.path())
    )
  }

  @Test func `smoke`() throws {
    let (record, ending, _) = try run("smoke", takes: 3)
    #expect(record.json["setup"]?.elements?.count == 3)
    #expect(ending.output.contains("setup: 3 checks passed\n"))
  }

  @Test(.enabled(if: isRelease, "85 takes need a release build, which 'make test' has"))
  func `nightly`() throws {
    // Uncalibrated: nobody judges how it feels.
    let (record, _, files) = try run("nightly", takes: 85, starts: 5, verdict: "marginal")
    #expect(
      record.json["verdicts"]
        == [
          "feel": ["reason": "no profile", "verdict": "not judged"], "rig": ["verdict": "pass"],
          "timing": ["verdict": "pass"],
        ])
    #expect(record.json["control"]?["rig"]?["name"]?.string == "simulated-lra")
    #expect(record.readings("control.latency.transport").count == 6)
    #expect(record.readings("control.latency.electrical").allSatisfy { $0["verdict"] == "pass" })
    #expect(try record.reading("latency.jitter.restarts")["n"]?.integer == 5)
    #expect(files.count { $0.hasPrefix("control-") && $0.hasSuffix(".flac") } == 2 * 2 * 3)
    // The order was drawn: takes of one pattern do not stand together.
    let places = record.patterns[0]["takes"]?.elements?.compactMap { $0["place"]?.integer } ?? []
    #expect(places.count == 5)
    #expect(places == places.sorted())
    #expect(zip(places, places.dropFirst()).contains { $1 - $0 > 5 })
  }

  @Test(.enabled(if: isRelease, "62 takes need a release build, which 'make test' has"))
  func `latency`() throws {
    let (record, _, files) = try run("latency", takes: 62, starts: 31)
    // Simulated: 20 us of jitter on either side of a start, none within a stream.
    let jitter = try record.value("latency.jitter")
    #expect(abs(jitter - 28.3e-6) < 8e-6, "\(jitter) s")
    let restarts = try record.value("latency.jitter.restarts")
    #expect(abs(restarts - 20e-6) < 8e-6, "\(restarts) s")
    #expect(try record.value("latency.jitter.stream") < 1e-6)
    let loop = record.readings("control.latency.electrical").compactMap { $0["value"]?.number }
    #expect(loop.count == 4)
    for delay in loop { #expect(abs(delay - 8.3e-3) < 0.15e-3) }
    // Nothing but what people and programs read.
    #expect(!files.contains { $0.hasSuffix(".flac") || $0.hasSuffix(".wav") })
  }

  @Test(.enabled(if: isRelease, "minutes of signal need a release build, which 'make test' has"))
  func `soak, shortened`() throws {
    let (record, _, _) = try run("soak", "--repeats", "2", takes: 2)
    #expect(record.readings("xruns").compactMap { $0["value"]?.number } == [0, 0])
  }
}
