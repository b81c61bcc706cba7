// SPDX-License-Identifier: Apache-2.0

import AHAP
import CoreHaptics
import Devices
import Foundation
import HapticRendering
import ScratchFolder
import SoundFiles
import Testing
import Units

/// Each start is recorded, and what was played is a pattern again.
struct RecordTests {
  /// Where it is kept what the first player of this program played.
  private static let file = "\(ProcessInfo.processInfo.processName)-1.ahap"

  private func record(_ folder: String) throws -> URL {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    let name = try #require(names.first { !$0.hasPrefix(".") })
    #expect(names.count == 1)
    return URL(fileURLWithPath: folder).appendingPathComponent(name)
  }

  @Test func `what is recorded renders to the drive that was sent`() throws {
    let folder = try ScratchFolder()
    let engine = steppedEngine(records: folder.path)
    try engine.start()
    let texture = try CHHapticPattern(
      events: [
        CHHapticEvent(
          eventType: .hapticContinuous,
          parameters: [.init(parameterID: .hapticSharpness, value: 0.3)], relativeTime: 0,
          duration: 0.3),
        CHHapticEvent(eventType: .hapticTransient, parameters: [], relativeTime: 0.1),
      ],
      parameterCurves: [
        CHHapticParameterCurve(
          parameterID: .hapticIntensityControl,
          controlPoints: [
            .init(relativeTime: 0, value: 0.2), .init(relativeTime: 0.3, value: 1),
          ], relativeTime: 0)
      ])
    let player = try engine.makeAdvancedPlayer(with: texture)
    player.loopEnabled = true
    try player.start(atTime: 0)
    engine.advance(by: 0.45)
    try player.sendParameters(
      [.init(parameterID: .hapticSharpnessControl, value: 0.25, relativeTime: 0.05)], atTime: 0)
    engine.advance(by: 0.3)
    player.loopEnabled = false
    engine.advance(by: 0.5)
    engine.stop()

    let run = try record(folder.path)
    let text = try Data(contentsOf: run.appendingPathComponent("engine.json"))
    let account = try #require(
      try JSONSerialization.jsonObject(with: text) as? [String: Any])
    let players = try #require(account["players"] as? [[String: Any]])
    #expect(players.count == 1)
    let origin = try #require(players[0]["origin"] as? Double)
    let drive = try SoundFile.read(path: run.appendingPathComponent("drive.wav").path)
    let response = try SoundFile.read(path: run.appendingPathComponent("response.wav").path)
    #expect(drive.info.frameCount == response.info.frameCount)

    let file = run.appendingPathComponent(Self.file)
    let document = try AHAPReader.read(Array(try Data(contentsOf: file)))
    var configuration = RenderConfiguration()
    configuration.fullScale = 2.5 * 2.0.squareRoot() / 3.6
    let timeline = Timeline(document.pattern, configuration: configuration)
    var renderer = HapticRenderer(timeline: timeline, configuration: configuration)
    let first = Int((origin * 48_000).rounded())
    let sent = Array(drive.channels[0].samples.dropFirst(first))
    var again = [Float](repeating: 0, count: sent.count)
    var span = again.mutableSpan
    renderer.render(haptic: &span)
    let power = sent.reduce(0) { $0 + Double($1 * $1) }
    let missed = zip(sent, again).reduce(0) { $0 + Double(($1.0 - $1.1) * ($1.0 - $1.1)) }
    #expect(power > 100)
    #expect(missed < 1e-3 * power, "\((missed / power).squareRoot())")
  }

  @Test func `a start whose rig fails is recorded with its fault`() throws {
    let folder = try ScratchFolder()
    let engine = steppedEngine(
      records: folder.path, faults: [.init(kind: .unplug, time: 0.1)])
    try engine.start()
    engine.advance(by: 0.5)
    let text = try String(
      contentsOf: try record(folder.path).appendingPathComponent("engine.json"), encoding: .utf8)
    #expect(text.contains("unplugged"))
  }

  @Test func `a rig that lags behind plays what was asked, at the times of the calls`() throws {
    let folder = try ScratchFolder()
    // Blocks of 5 ms take it 15 ms.
    let program = """
      import json, sys, time
      hello = json.loads(sys.stdin.buffer.readline())
      units = {"z": "m/s2", "reference": "V"}
      channels = [{"name": name, "unit": units[name]} for name in hello["capture"]]
      size = hello["block"] * len(hello["drive"]) * 4
      print(json.dumps({"haprig": 1, "channels": channels}), flush=True)
      while len(sys.stdin.buffer.read(size)) == size:
          time.sleep(0.015)
          sys.stdout.buffer.write(bytes(hello["block"] * len(hello["capture"]) * 4))
          sys.stdout.buffer.flush()
      """
    let engine = steppedEngine(records: folder.path) {
      $0.clock = .host
      $0.rig.drive.device = .command(
        CommandDescription(arguments: ["python3", "-c", program], folder: "/"))
      $0.rig.capture.kind = .command
    }
    let heard = Heard()
    try engine.start()
    let player = try engine.makePlayer(with: pattern(seconds: 30))
    let first = engine.currentTime
    try player.start(atTime: CHHapticTimeImmediate)
    let started = engine.currentTime
    while engine.currentTime < started + 0.1 { usleep(1000) }
    let second = engine.currentTime
    try player.stop(atTime: CHHapticTimeImmediate)
    let stopped = engine.currentTime
    engine.stop { _ in heard.say("stop") }
    #expect(heard.wait(for: 1) == ["stop"])
    let file = try record(folder.path).appendingPathComponent(Self.file)
    let played = try AHAPReader.read(Array(try Data(contentsOf: file))).pattern
    let duration = try #require(played.events.first?.duration)
    // Either call may wait for the next block.
    let block = 256.0 / 48_000
    #expect(duration > second - started - block && duration < stopped - first + block)
  }

  @Test func `the environment names rig and folder`() throws {
    let rig = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "rigs/simulated-vcm.yaml").path()
    let named = try EngineBench.environment(["HAPRIG_RIG": rig])
    #expect(named.rig.name == "simulated-vcm")
    #expect(named.records == "reports")
    let folder = try ScratchFolder()
    let bench = try EngineBench.environment(["HAPRIG_OBSERVE": folder.path])
    #expect(bench.records == folder.path)
    #expect(try EngineBench.environment([:]).records == nil)
  }
}
