// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Foundation
import JSONText
import RecordedNights
import SeededRandom
import Testing

/// `haprig history` over several rigs.
struct LabCommandTests {
  /// An archive of rigs whose levels of latency scatter by 0.1 ms, and the one that is off.
  private func bench(
    rigs: Int = 6, off: Int? = 3, by size: Double = 2e-3, actuator: String? = "lra-1"
  ) throws -> Workbench {
    let bench = try Workbench()
    var random = SeededRandom(seed: 11)
    try bench.write("runs of tests", to: "reports/README.md")
    for rig in 0..<rigs {
      let level = 0.01 + 1e-4 * random.gaussian() + (rig == off ? size : 0)
      var nights = RecordedNights([
        .init(.init(.latencyOnset), pattern: "tap", level: level, spread: 5e-5),
        .init(
          .init(.latencyElectrical, isControl: true), level: 0.0083 + 1e-5 * random.gaussian(),
          spread: 1e-5),
      ])
      nights.rig = "coin-\(rig)"
      nights.actuator = actuator ?? "lra-\(rig)"
      nights.count = 20
      nights.repeats = 1
      nights.seed = UInt64(rig + 1)
      nights.write(to: bench.file("reports").path())
    }
    return bench
  }

  private func json(_ bench: Workbench, _ arguments: String...) throws -> JSONValue {
    let ending = try bench.haprig(["history", "--plan", "nightly", "--json"] + arguments)
    #expect(ending.code == 0, "\(ending.errors)")
    return try JSONValue(parsing: Array(ending.output.utf8))
  }

  @Test func `the rig that is off leads, with by how much`() throws {
    let bench = try bench()
    let ending = try bench.haprig("history", "--plan", "nightly", "--html", "lab.html")
    #expect(ending.code == 0, "\(ending.errors)")
    let lines = ending.output.split(separator: "\n").map(String.init)
    #expect(lines[1] == "Off beside the other rigs: coin-3 (1 reading).", "\(ending.output)")
    let finding = try #require(lines.first { $0.hasPrefix("  coin-3: felt start of tap 1") })
    #expect(finding.contains(" ms, +") && finding.contains(" beside the other rigs (1 in "))
    let page = String(decoding: try bench.bytes("lab.html"), as: UTF8.self)
    #expect(page.contains("coin-3 (1 reading)") && page.contains("Rigs"))
    #expect(page.contains(">felt start</a><span class=\"detail\">tap · latency.onset<"))
    let json = try json(bench)
    #expect(json["schema"]?.string == "haprig.lab/1")
    let rigs = json["rigs"]?.elements ?? []
    #expect(rigs.first?["rig"]?.string == "coin-3" && rigs.first?["off"]?.integer == 1)
    #expect(rigs.allSatisfy { $0["nights"]?.integer == 14 })
    let reading = try #require(
      json["readings"]?.elements?.first { $0["reading"]?.string == "latency.onset" })
    let off = try #require(reading["rigs"]?.elements?.first { $0["rig"]?.string == "coin-3" })
    #expect(abs((off["distance"]?.number ?? 0) - 2e-3) < 4e-4)
    #expect(off["isOff"]?.bool == true)
  }

  @Test func `of one actuator on all rigs both limits of ISO 5725 are told`() throws {
    let reading = try #require(
      try json(try bench(rigs: 8, off: nil), "--days", "20")["readings"]?.elements?
        .first { $0["reading"]?.string == "latency.onset" })
    #expect(reading["sharedActuators"]?.elements?.compactMap(\.string) == ["lra-1"])
    let within = reading["withinRig"]
    let any = reading["anyRig"]
    #expect(abs((within?["value"]?.number ?? 0) - 5e-5) < 2e-5, "\(reading)")
    // Rigs were drawn with 1e-4.
    let (low, high) = (any?["low"]?.number ?? 1, any?["high"]?.number ?? 0)
    #expect(low < 1.12e-4 && high > 1.12e-4, "\(reading)")
    let limit = reading["reproducibilityLimit"]?.number ?? 0
    #expect(abs(limit - 2.8 * (any?["value"]?.number ?? 0)) < 1e-9)
  }

  @Test
  func `where each rig has its own actuator it is said, and the odd one is told all the same`()
    throws
  {
    let bench = try bench(actuator: nil)
    let ending = try bench.haprig("history", "--plan", "nightly")
    #expect(ending.output.contains("Off beside the other rigs: coin-3 (1 reading)."))
    #expect(ending.output.contains("no actuator was measured on two rigs"))
    let reading = try json(bench)["readings"]?.elements?.first { $0["pattern"]?.string == "tap" }
    #expect(reading?["anyRig"] == nil && reading?["withinRig"] != nil)
  }

  @Test func `rigs are chosen by a pattern, and one rig is its history`() throws {
    let bench = try bench()
    let some = try json(bench, "--rig", "coin-[0-2]")
    #expect(some["rigs"]?.elements?.count == 3)
    #expect(some["sentence"]?.string == "No rig of 3 is off.")
    let one = try bench.haprig("history", "--rig", "coin-4*", "--json")
    #expect(one.output.contains("haprig.history/1"))
    let two = try json(bench, "--rig", "coin-[23]")
    #expect(two["sentence"]?.string?.hasPrefix("Two rigs differ") == true)
    let none = try bench.haprig("history", "--rig", "lra-*")
    #expect(none.code == 2 && none.errors.contains("no rig is called 'lra-*'"), "\(none.errors)")
    #expect(none.errors.contains("coin-0, coin-1"))
    let other = try bench.haprig("history", "--plan", "weekly")
    #expect(other.code == 2 && other.errors.contains("no rig has a run of 'weekly'"))
  }

  @Test func `of one night a rig nothing is told of what nights scatter`() throws {
    let reading = try json(try bench(), "--days", "1")["readings"]?.elements?
      .first { $0["pattern"]?.string == "tap" }
    #expect(reading?["withinRig"] == nil && reading?["anyRig"] != nil)
  }

  @Test func `equal archives give equal bytes`() throws {
    let bench = try bench()
    #expect(try json(bench) == json(bench))
  }
}
