// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONText
import Testing

/// Rigs whose truth is known: what was built in is measured again.
struct KnownTruthTests {
  @Test(arguments: [[100, 119, 172], [0, 7, 1000], [4800, 4800, 4700]])
  func `an outside plant gives the delays that it was built with`(frames: [Int]) throws {
    let (reference, acceleration, sound) = (frames[0], frames[1], frames[2])
    let bench = try Workbench()
    try bench.write(Plants.resonator, to: "plant.py")
    try bench.commandRig("plant.py", "\(acceleration)", "\(sound)", "\(reference)")
    try bench.write(Patterns.tapWithTone, to: "tap.ahap")
    let ending = try bench.haprig("run", "tap.ahap", "--rig", "rig.yaml", "--archive", "out")
    // A tenth of a second on the way is measured well, and fails the timing that is shipped.
    let isLate = reference > 2_400
    #expect(ending.code == (isLate ? 1 : 0) || sound > 1000 + reference, "\(ending.errors)")
    let record = try bench.record()
    let rate = 48_000.0
    let electrical = try record.value("latency.electrical")
    #expect(abs(electrical - Double(reference) / rate) < 1e-6, "\(electrical)")
    let transport = try record.value("latency.transport")
    #expect(abs(transport - Double(acceleration - reference) / rate) < 5e-6, "\(transport)")
    let sync = try record.value("sync.audioHaptic")
    #expect(abs(sync - Double(acceleration - sound) / rate) < 5e-6, "\(sync)")
    #expect(abs(try record.value("drift")) < 0.1)
    let fit = try #require(try record.reading("latency.transport")["note"]?.string)
    #expect(fit.contains("f0 170.0") || fit.contains("f0 169.9"), "\(fit)")
  }

  private static let corpus = Workbench.package.deletingLastPathComponent()
    .appending(path: "shared/corpus/Apple-HapticSampler").path()
  private static let hasCorpus = FileManager.default.fileExists(atPath: corpus)

  @Test(.enabled(if: hasCorpus, "the published patterns are not beside the project"))
  func `a published pattern shows the latencies that the rig file injects`() throws {
    let bench = try Workbench()
    let ending = try bench.haprig(
      "run", Self.corpus + "/Boing.ahap", "--rig", Workbench.rigs + "/simulated-lra.yaml",
      "--archive", "out")
    #expect(ending.code == 0, "\(ending.errors)")
    let record = try bench.record()
    #expect(abs(try record.value("latency.electrical") - (5.2e-3 + 3.1e-3)) < 0.1e-3)
    #expect(abs(try record.value("latency.transport") - 0.40e-3) < 0.1e-3)
    // Its events ring into each other: the joint fit gives each a delay of its own.
    let own = record.readings("latency.event")
    #expect(own.count >= 2, "\(own)")
    for reading in own {
      let (value, uncertainty) = (reading["value"]?.number, reading["uncertainty"]?.number)
      #expect(abs(try #require(value) - 0.40e-3) < 3 * (try #require(uncertainty)) + 2e-6)
    }
  }

  @Test(.enabled(if: hasCorpus, "the published patterns are not beside the project"))
  func `every published pattern is read`() throws {
    let bench = try Workbench()
    let ending = try bench.haprig("lint", "--json", Self.corpus)
    #expect(ending.code == 0, "\(ending.errors)")
    let list = try JSONValue(parsing: [UInt8](ending.output.utf8))
    let files = try #require(list["files"]?.elements)
    #expect(files.count == 8)
    #expect(files.allSatisfy { ($0["events"]?.integer ?? 0) > 0 })
  }
}
