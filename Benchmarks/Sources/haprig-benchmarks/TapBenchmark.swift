// SPDX-License-Identifier: Apache-2.0

import Devices
import Foundation
import LiveRuns

/// What it costs a take that others may watch its signals: simulated seconds with the tap of a live folder and without.
struct TapBenchmark {
  private static let block = 1_024

  func report() {
    print("a take that is watched, simulated rig, 48 kHz, 3 out and 3 in, virtual time")
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "haprig-tap-\(ProcessInfo.processInfo.processIdentifier)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let simulation = SimulationBenchmark()
    guard
      (try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true))
        != nil, let tap = try? LiveTap(simulation.rig(block: Self.block), folder: folder.path())
    else {
      print("  not measured: the folder could not be had\n")
      return
    }
    // In turn, so that what else the machine does falls on both.
    var (plain, tapped) = (Double.infinity, Double.infinity)
    for _ in 0..<12 {
      plain = min(plain, simulation.time(block: Self.block))
      tapped = min(tapped, simulation.time(block: Self.block, tap: tap))
    }
    row(
      "a take with its tap to one without", String(format: "%.3f", tapped / plain), "aim: 1.10")
    print("")
  }
}
