// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import JSONText
import Testing

/// A card that keeps the pace of a clock belongs to one run, which can be ended from outside.
@Suite(
  .enabled(if: SoundCard.isBuilt, SoundCard.missing),
  .enabled(if: SoundCard.isOptimized, SoundCard.slow))
struct CardStopTests {
  private let bench: Workbench

  init() throws { bench = try Workbench() }

  /// The run was ended by a signal, and its record was kept.
  private func expectStopped(
    _ ending: Ending, by signal: Int32, at location: SourceLocation = #_sourceLocation
  ) throws {
    #expect(ending.code == 128 + signal, "\(ending.errors)", sourceLocation: location)
    #expect(
      ending.errors.contains("the run was stopped by signal \(signal); the drive is at zero"),
      "\(ending.errors)", sourceLocation: location)
    let record = try bench.record()
    #expect(record.status == "interrupted", sourceLocation: location)
    #expect(record.reason?.contains("signal \(signal)") == true, sourceLocation: location)
    #expect(record.verdict == "not measured", sourceLocation: location)
    #expect(record.takes.count < 100, sourceLocation: location)
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func `a signal ends a run on a card and keeps its record`(signal: Int32) throws {
    let run = try bench.startLongRun()
    run.wait(forError: "measured tap, take 1")
    run.send(signal)
    try expectStopped(try run.end(), by: signal)
    let stop = try bench.haprig("stop")
    #expect(stop.output == "no rig is in use\n")
  }

  /// The latest recording shows that the drive was at work, and then at zero.
  private func expectRest(at location: SourceLocation = #_sourceLocation) throws {
    let record = try bench.record()
    let reference = try record.response("reference", ofTake: try #require(record.takes.last))
    // What was queued at the request is zero too: the end of it all came 0.1 to 0.4 s after.
    try #require(reference.count > 48_000, sourceLocation: location)
    let (before, after) = (reference.suffix(38_400).prefix(9600), reference.suffix(4000))
    #expect(before.contains { abs($0) > 0.5 }, sourceLocation: location)
    #expect(after.allSatisfy { abs($0) < 1e-6 }, sourceLocation: location)
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func `a signal in the middle of a vibration leaves the output at zero`(signal: Int32) throws {
    try bench.longTone()
    let run = try bench.start(haprig: ["run", "plan.yaml", "--rig", "rig.yaml", "--archive", "out"])
    run.waitForTone()
    run.send(signal)
    try expectStopped(try run.end(), by: signal)
    try expectRest()
  }

  @Test(arguments: [false, true])
  func `the loss of the terminal ends the run, keeps its record, and leaves the output at zero`(
    isBehindShell: Bool
  ) throws {
    try bench.longTone()
    let terminal = try Terminal()
    let words = [Workbench.haprig, "run", "plan.yaml", "--rig", "rig.yaml", "--archive", "out"]
    // A shell in between dies of the same signal, and the kernel then sends it a second time.
    let shell = ["sh", "-c", #""$@"; echo $? > code"#, "sh"]
    let run = try bench.start((isBehindShell ? shell : []) + words, on: terminal)
    run.waitForTone()
    terminal.hangUp()
    let ending = try run.end(keepsGroup: isBehindShell)
    #expect(ending.code == 128 + SIGHUP, "\(ending.errors)")
    // Behind a shell the run goes on for a moment after the shell's end.
    for _ in 0..<4000 where bench.names(in: "out").contains(where: { $0.hasPrefix(".") }) {
      usleep(5_000)
    }
    let record = try bench.record()
    #expect(record.status == "interrupted")
    #expect(record.reason?.contains("signal \(SIGHUP)") == true)
    try expectRest()
    #expect(try bench.haprig("stop").output == "no rig is in use\n")
  }

  @Test func `a stop from another terminal ends the run, and the rig is free`() throws {
    let run = try bench.startLongRun()
    run.wait(forError: "measured tap, take 1")
    let stop = try bench.haprig("stop", "virtual-card")
    #expect(stop.code == 0, "\(stop.errors)")
    #expect(stop.output == "virtual-card: stopped\n")
    try expectStopped(try run.end(), by: SIGTERM)
    let again = try bench.haprig("stop", "virtual-card")
    #expect(again.code == 0)
    #expect(again.output == "virtual-card: nobody uses this rig\n")
  }

  @Test func `a stop of another rig leaves the run alone, and one of all rigs ends it`() throws {
    let run = try bench.startLongRun()
    run.wait(forError: "measured tap, take 1")
    let other = try bench.haprig("stop", "other-card")
    #expect(other.output == "other-card: nobody uses this rig\n")
    run.wait(forError: "measured tap, take 2")
    #expect(try bench.haprig("stop").output == "virtual-card: stopped\n")
    try expectStopped(try run.end(), by: SIGTERM)
  }

  @Test func `a second user of the rig is told who has it`() throws {
    let run = try bench.startLongRun()
    run.wait(forError: "measured tap, take 1")
    for arguments in [
      ["run", "plan.yaml", "--rig", "rig.yaml", "--archive", "second"],
      ["latency", "--rig", "rig.yaml", "--restarts", "1", "--seconds", "2"],
    ] {
      let second = try bench.haprig(arguments)
      #expect(second.code == 75, "\(second.errors)")
      #expect(second.output == "")
      expectSentence(second, saying: ["virtual-card: the rig is in use by process", "haprig stop"])
      // The process that it names works in this folder.
      let number = try #require(second.errors.firstMatch(of: /by process ([0-9]+)/)?.output.1)
      let place = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(number)/cwd")
      #expect(place + "/" == bench.folder.path())
    }
    #expect(bench.names(in: "second") == [])
    run.send(SIGTERM)
    try expectStopped(try run.end(), by: SIGTERM)
  }

  @Test func `two runs in virtual time do not know of each other`() throws {
    try bench.cardRig()
    try bench.write(Patterns.tap, to: "tap.ahap")
    try bench.write(Plans.quick(repeats: 3), to: "plan.yaml")
    let runs = try ["one", "two"].map {
      try bench.start(haprig: ["run", "plan.yaml", "--rig", "rig.yaml", "--archive", $0])
    }
    for run in runs {
      let ending = try run.end()
      #expect(ending.code == 0, "\(ending.errors)")
    }
    #expect(
      try bench.record(in: "one").withoutHeader == bench.record(in: "two").withoutHeader)
  }

  @Test func `a run that is killed leaves the rig free`() throws {
    let run = try bench.startLongRun()
    run.wait(forError: "measured tap, take 1")
    run.send(SIGKILL)
    #expect(try run.end().code == 128 + SIGKILL)
    #expect(try bench.haprig("stop").output == "no rig is in use\n")
    try bench.write(Plans.quick(), to: "plan.yaml")
    let next = try bench.haprig("run", "plan.yaml", "--rig", "rig.yaml", "--archive", "next")
    #expect(next.code == 0, "\(next.errors)")
  }
}
