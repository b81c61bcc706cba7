// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import JSONText
import Testing

/// `haprig demo --nights`: simulated nights in which three things happen.
struct DemoNightsTests {
  private static let isRelease = Workbench.haprig.contains("/release/")
  /// The fewest that the command takes.
  private static let count = 24

  private func arguments(_ more: String...) -> [String] {
    ["demo", "--nights", "\(Self.count)", "--rigs", Workbench.rigs, "--archive", "nights"] + more
  }

  @Test(.enabled(if: isRelease, "two dozen runs need a release build, which 'make test' has"))
  func `the history finds the three changes and no other, and says whose they are`() throws {
    let bench = try Workbench()
    let ending = try bench.haprig(arguments())
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(ending.output.hasSuffix("\nhistory: nights/history.html\n"), "\(ending.output)")
    let shown = try bench.haprig("history", "--archive", "nights", "--json")
    let json = try JSONValue(parsing: Array(shown.output.utf8))
    #expect(json["nights"]?.integer == Self.count)
    #expect((json["series"]?.elements?.count ?? 0) > 50, "there is something to find them among")

    let incidents = json["incidents"]?.elements ?? []
    #expect(incidents.count == 2, "\(incidents)")
    let step = try #require(incidents.first { $0["standing"]?.string == "raised" })
    #expect(step["lead"]?["reading"]?.string == "sync.audioHaptic")
    #expect(step["whose"]?.string == "product")
    #expect(step["lead"]?["day"]?.string == "2026-01-15")
    #expect(abs((step["lead"]?["effect"]?.number ?? 0) + 2e-3) < 0.1e-3)
    let move = try #require(incidents.first { $0["standing"]?.string == "rigMoved" })
    #expect(move["lead"]?["reading"]?.string == "control.latency.electrical")
    #expect(move["whose"]?.string == "rig")
    #expect(move["lead"]?["day"]?.string == "2026-01-23")
    #expect(abs((move["lead"]?["effect"]?.number ?? 0) - 0.9e-3) < 0.1e-3)

    let drifts = json["drifts"]?.elements ?? []
    #expect(drifts.count == 1, "\(drifts)")
    let drift = try #require(drifts.first)
    #expect(drift["lead"]?["reading"]?.string == "response.peak")
    #expect(drift["whose"]?.string == "product")
    let (slope, level) = (drift["lead"]?["perMonth"]?.number, drift["lead"]?["level"]?.number)
    // 4 % in 24 nights.
    let share = (slope ?? 0) / (level ?? 1) * 24 / 30.4375
    #expect(abs(share + 0.04) < 0.012, "\(share)")

    let page = String(decoding: try bench.bytes("nights/history.html"), as: UTF8.self)
    #expect(page.components(separatedBy: "<article class=\"card\"").count == 4)
    for words in [
      "The rig: look at the measurement first", "The control&#39;s electrical delay went up by ",
      "Sound-to-touch sync of taps-and-clicks went down by ", "Peak acceleration of taps-",
    ] { #expect(page.contains(words), "\(words)") }

    // What happened is in the rig that was played, and only there.
    let runs = bench.names(in: "nights").filter { $0.hasPrefix("2026") }
    #expect(runs.count == Self.count)
    let ends = try [runs.first, runs.last].map {
      String(
        decoding: try bench.bytes("nights/\($0 ?? "")/inputs/rig/simulated-lra.yaml"), as: UTF8.self
      )
    }
    #expect(ends[0].contains("  capture: {latency: 3.10000 ms"))
    #expect(ends[1].contains("  capture: {latency: 4.00000 ms"))
    #expect(try bench.haprig("archive", "verify", "--archive", "nights").code == 0)

    let again = try bench.haprig(arguments())
    #expect(again.code == 0 && again.errors.contains("24 nights were there already"))
    #expect(String(decoding: try bench.bytes("nights/history.html"), as: UTF8.self) == page)
    let other = try bench.haprig(arguments("--seed", "2"))
    #expect(other.code == 2)
    #expect(
      other.errors.contains("nights of another demo (24 simulated nights, seed 1)"),
      "\(other.errors)")
  }

  @Test(.enabled(if: isRelease, "two dozen runs need a release build, which 'make test' has"))
  func `nights that were stopped go on, and are those of an unbroken demo`() throws {
    let bench = try Workbench()
    let stopped = try bench.start(haprig: arguments())
    for _ in 0..<12_000 where bench.names(in: "nights").count(where: { $0.hasPrefix("2026") }) < 2 {
      usleep(5_000)
    }
    stopped.send(SIGINT)
    let ending = try stopped.end()
    #expect(ending.code == 130, "\(ending.errors)")
    let left = try #require(
      ending.errors.firstMatch(of: /([0-9]+) of 24 nights are there/)?.output.1)
    #expect((2..<24).contains(Int(left) ?? 0))
    #expect(try bench.haprig(arguments()).code == 0)
    let whole = try Workbench()
    #expect(try whole.haprig(arguments()).code == 0)
    #expect(
      try bench.bytes("nights/history.html") == whole.bytes("nights/history.html"))
  }

  @Test func `a folder with other runs is left as it is`() throws {
    let bench = try Workbench()
    try bench.simulatedRig()
    try bench.write(Patterns.tap, to: "tap.ahap")
    #expect(
      try bench.haprig("run", "tap.ahap", "--rig", "rig.yaml", "--archive", "nights", "-q").code < 2
    )
    let before = bench.names(in: "nights")
    let ending = try bench.haprig(arguments())
    #expect(ending.code == 2)
    #expect(ending.errors.contains("this folder has other runs"), "\(ending.errors)")
    #expect(bench.names(in: "nights") == before)
  }

  @Test(arguments: [
    (["--nights", "5"], "--nights takes 24 to 366, not 5"),
    (["--seed", "2"], "--seed goes with --nights"),
  ])
  func `what cannot be is said`(arguments: [String], words: String) throws {
    let ending = try Workbench().haprig(["demo"] + arguments)
    #expect(ending.code == 2)
    #expect(ending.errors.contains(words), "\(ending.errors)")
  }
}
