// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

/// The simulated sound card that haprig drives through ALSA.
enum SoundCard {
  /// Where haprig looks for the plug-in first.
  static let plugin: String = {
    let named = ProcessInfo.processInfo.environment["HAPRIG_ALSA_PLUGIN"]
    let beside = URL(filePath: Workbench.haprig).deletingLastPathComponent()
      .appending(path: "libasound_module_pcm_haprig.so").path()
    return named ?? beside
  }()

  static let isBuilt = FileManager.default.fileExists(atPath: plugin)

  static let missing: Comment =
    "the virtual card's plug-in is not beside haprig: 'swift build' makes both"

  /// Whether the program named to the tests is the optimised one, as `make test` has it.
  static let isOptimized = ProcessInfo.processInfo.environment["HAPRIG_PROGRAM"] != nil

  /// Whether tests that take a minute by the clock on the wall are wanted.
  static let hasMinutes = ProcessInfo.processInfo.environment["HAPRIG_MINUTES"] != nil

  static let long: Comment = "it takes a minute by the wall's clock: set HAPRIG_MINUTES"

  static let slow: Comment =
    "the simulation of a debug build is slower than its clock: name a release build in HAPRIG_PROGRAM"

  /// What the project's description injects, its jitter apart: seconds and ppm.
  static let electrical = 5.2e-3 + 3.1e-3
  static let transport = 0.40e-3
  static let drift = 12.0
}

extension Workbench {
  /// Writes the project's rig of a virtual card with some places changed and without its jitter.
  func cardRig(
    changing changes: [String: String] = [:], faults: [String] = [], jitter: String = "0 ms",
    to name: String = "rig.yaml"
  ) throws {
    var text = try String(contentsOfFile: Self.rigs + "/virtual-card.yaml", encoding: .utf8)
    for (old, new) in changes.merging(
      ["jitter: 0.02 ms": "jitter: \(jitter)"], uniquingKeysWith: { $1 })
    {
      try #require(text.contains(old), "\(old)")
      text = text.replacing(old, with: new)
    }
    if !faults.isEmpty { text += "  faults: [\(faults.joined(separator: ", "))]\n" }
    try write(text, to: name)
  }

  /// Runs one plan on the rig of this folder.
  func run(_ plan: String = "plan.yaml", rig: String = "rig.yaml") throws -> Ending {
    try haprig("run", plan, "--rig", rig, "--archive", "out")
  }

  /// Starts a run that goes on for minutes on a card that keeps the pace of a clock.
  func startLongRun() throws -> Program {
    try cardRig(changing: ["clock: virtual": "clock: real"])
    try write(Patterns.tap, to: "tap.ahap")
    try write(Plans.quick(repeats: 100), to: "plan.yaml")
    return try start(haprig: ["run", "plan.yaml", "--rig", "rig.yaml", "--archive", "out"])
  }
}

extension Workbench {
  /// Writes what a run needs that drives its actuator without a pause for half a minute, on a card that
  /// keeps the pace of a clock, after two short takes.
  func longTone() throws {
    // Without noise the capture tells to the frame when the drive is at zero.
    try cardRig(changing: [
      "clock: virtual": "clock: real", "bits: 24, noise: 0.05 mV": "bits: 0",
      "bits: 24, noise: 0.002 mV": "bits: 0",
    ])
    try write(Patterns.tap, to: "tap.ahap")
    try write(Patterns.tap, to: "again.ahap")
    try write(Patterns.hold, to: "hold.ahap")
    try write(Plans.quick(["tap.ahap", "again.ahap", "hold.ahap"]), to: "plan.yaml")
  }
}

extension Program {
  /// Waits until the last take of a long tone drives the actuator: its clock is the host's.
  ///
  /// A take is said to be measured once the next one was played.
  func waitForTone(at location: SourceLocation = #_sourceLocation) {
    wait(forError: "measured tap, take 1", at: location)
    usleep(1_200_000)
  }

  /// Waits until it has said something on its standard error, for at most 20 s.
  func wait(forError words: String, at location: SourceLocation = #_sourceLocation) {
    for _ in 0..<4_000 {
      if errorsSoFar.contains(words) { return }
      usleep(5_000)
    }
    Issue.record("'\(words)' was never said: \(errorsSoFar)", sourceLocation: location)
  }
}
