// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import JSONText
import Testing

/// `play --commands` and `play --watch`: a rig that stays open.
struct PlayedByHandTests {
  private let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.simulatedRig()
    try bench.write(Patterns.tap, to: "tap.ahap")
  }

  /// Waits for a minute at most: a machine under load takes its time.
  private func wait(for condition: () -> Bool) {
    for _ in 0..<12_000 where !condition() { usleep(5_000) }
  }

  /// Runs the program with what a shell writes to its standard input.
  private func commanded(by script: String, _ others: [String] = []) throws -> Ending {
    let words = [Workbench.haprig, "play", "--commands", "--rig", "rig.yaml"] + others
    return try bench.start(["sh", "-c", "(\(script)) | \"$@\"", "sh"] + words).end()
  }

  private func lines(_ ending: Ending) throws -> [JSONValue] {
    try ending.output.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
  }

  @Test func `what comes on the input is played, told, and ends with the input`() throws {
    let text = JSONValue.string(Patterns.tap).text(indent: nil)
    try bench.write(
      """
      {"do": "play", "ahap": \(text), "id": 4}
      {"do": "tap", "intensity": 1, "sharpness": 0.5}
      {"do": "jump"}

      """, to: "commands")
    let ending = try commanded(
      by: "echo .; cat commands; for i in 1 2 3 4 5 6; do sleep 0.1; echo .; done")
    #expect(ending.code == 129, "\(ending.errors)")
    let lines = try lines(ending)
    #expect(lines.first?["state"]?.string == "open")
    #expect(lines.first?["rate"]?.number == 48_000)
    #expect(lines.first?["actuator"]?.string == "sim-coin-1")
    #expect(lines.last?["state"]?.string == "ended")
    #expect(lines.last?["said"]?.string?.contains("stopped by signal 1") == true)
    for word in ["play", "tap"] {
      let did = lines.first { $0["did"]?["do"]?.string == word }
      #expect(did?["delay"]?.number != nil, "\(lines)")
      #expect(did?["did"]?["ahap"] == nil)
    }
    #expect(lines.contains { $0["ended"]?.integer == 4 })
    #expect(lines.compactMap { $0["fault"]?.string }.count == 1)
  }

  @Test(arguments: ["true", "echo .; sleep 1", "sleep 2.5; echo ."])
  func `a rig that nobody holds is let go`(script: String) throws {
    let ending = try commanded(by: script)
    #expect(ending.code == 129, "\(ending.errors)")
    expectSentence(ending, saying: ["stopped by signal 1", "the drive is at zero"])
  }

  @Test func `a file is played again at each save, and a broken one is told`() throws {
    let play = try bench.start(
      haprig: ["play", "--watch", "tap.ahap", "--loop", "--rig", "rig.yaml"])
    func plays(_ count: Int) -> Bool {
      play.outputSoFar.split(separator: "\n").filter { $0.hasPrefix("playing") }.count == count
    }
    wait { plays(1) }
    try bench.write("{\n  \"Pattern\": [\n    7\n  ]\n}\n", to: "tap.ahap")
    wait { play.errorsSoFar.contains("stays") }
    #expect(play.errorsSoFar.contains("tap.ahap:3:5: "), "\(play.errorsSoFar)")
    try bench.write(Patterns.transient(at: 0.05), to: "new")
    #expect(rename(bench.file("new").path(), bench.file("tap.ahap").path()) == 0)
    wait { plays(2) && play.outputSoFar.contains("ms from its save to the drive") }
    play.send(SIGINT)
    let ending = try play.end()
    #expect(ending.code == 130, "\(ending.errors)")
  }

  @Test(arguments: [
    [], ["tap.ahap", "--commands"], ["--watch", "tap.ahap", "--commands"], ["tap.ahap", "--loop"],
    ["--commands", "--held"], ["--watch", "missing.ahap"],
    ["--commands", "--stimulus", "x.wav"], ["--commands", "--actuator", "other"],
  ])
  func `ways to play that exclude each other are refused`(arguments: [String]) throws {
    let ending = try bench.haprig(["play", "--rig", "rig.yaml"] + arguments)
    #expect(ending.code == 2, "\(ending.errors)")
    #expect(ending.output == "")
  }
}
