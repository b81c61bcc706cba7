// SPDX-License-Identifier: Apache-2.0

import CoreHaptics
import Devices
import Foundation
import ScratchFolder
import SoundFiles
import Testing
import Units

/// What goes wrong, and what an app is told.
struct FaultTests {
  @Test func `without a rig there is no engine, and the device says so`() throws {
    let variables = ["HAPRIG_RIG": "/nowhere/rig.yaml"]
    let error = #expect(throws: CHHapticError.self) { try EngineBench.environment(variables) }
    #expect(error?.code == .notSupported)
    #expect(
      error?.localizedDescription
        == "HAPRIG_RIG /nowhere/rig.yaml: there is no such file: check the path")
  }

  @Test func `a rig file that is none says where it is wrong`() throws {
    let folder = try ScratchFolder()
    try folder.write("haprig: 1\nname: 7x\nactuators: none\n", to: "rig.yaml")
    let error = #expect(throws: CHHapticError.self) {
      try EngineBench.environment(["HAPRIG_RIG": folder.path + "/rig.yaml"])
    }
    #expect(error?.code == .notSupported)
    #expect(
      error?.localizedDescription.contains("rig.yaml:") == true, "\(String(describing: error))")
  }

  @Test func `a profile that is not there, or of another actuator, is no bench`() throws {
    let missing = #expect(throws: CHHapticError.self) {
      try EngineBench.environment(["HAPRIG_PROFILE": "/nowhere/a.json"])
    }
    #expect(
      missing?.localizedDescription
        == "HAPRIG_PROFILE /nowhere/a.json: there is no such file: check the path")
    let profile = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "rigs/profiles/sim-coin-1.json").path()
    let other = #expect(throws: CHHapticError.self) {
      try EngineBench.environment(["HAPRIG_PROFILE": profile])
    }
    #expect(other?.code == .notSupported)
    #expect(
      other?.localizedDescription.contains("of the actuator 'sim-coin-1', but 'simulated'") == true)
  }

  @Test func `a folder that cannot be made is named, and the engine does not start`() throws {
    let engine = steppedEngine(records: "/dev/null/records")
    let error = #expect(throws: CHHapticError.self) { try engine.start() }
    #expect(error?.code == .serverInitFailed)
    #expect(
      error?.localizedDescription.contains("cannot be recorded in '/dev/null/records'") == true)
    #expect(error?.localizedDescription.contains("UserInfo") == false)
  }

  /// Plays a second on an engine whose rig fails within half of it, and hears what is told of it.
  private func playIntoFault(
    _ engine: CHHapticEngine
  ) throws -> (player: any CHHapticAdvancedPatternPlayer, heard: Heard) {
    let heard = Heard()
    heard.listen(to: engine)
    try engine.start()
    let player = try engine.makeAdvancedPlayer(with: pattern(seconds: 1))
    player.completionHandler = { heard.say("over \(($0 as? CHHapticError)?.code.rawValue ?? 0)") }
    try player.start(atTime: 0)
    #expect(!engine.advance(by: 0.5))
    return (player, heard)
  }

  @Test func `a rig that fails without being unplugged has come back after a reset`() throws {
    let engine = steppedEngine {
      $0.rig.drive.device = .command(
        CommandDescription(
          arguments: [
            "sh", "-c",
            """
            read hello
            echo '{"haprig":1,"channels":[{"name":"z","unit":"m/s2"},{"name":"reference","unit":"V"}]}'
            head -c 20000 /dev/zero
            """,
          ], folder: "/"))
      $0.rig.capture.kind = .command
    }
    let (player, heard) = try playIntoFault(engine)
    #expect(heard.wait(for: 3) == ["over -4811", "stopped -1", "reset"])
    // What was made before the reset is not of this engine any more; the engine itself starts again.
    #expect(throws: CHHapticError(.invalidPatternPlayer)) { try player.start(atTime: 0) }
    try engine.start()
    try engine.makePlayer(with: pattern()).start(atTime: 0)
  }

  @Test func `a rig that cannot be opened fails the start`() throws {
    let engine = steppedEngine {
      $0.rig.drive.device = .command(
        CommandDescription(arguments: ["/nowhere/program"], folder: "/"))
      $0.rig.capture.kind = .command
    }
    #expect(throws: CHHapticError(.serverInitFailed)) { try engine.start() }
  }

  @Test func `a rig that is unplugged stops the engine, its players and their handlers`() throws {
    let engine = steppedEngine(faults: [.init(kind: .unplug, time: 0.2)])
    let (player, heard) = try playIntoFault(engine)
    #expect(heard.wait(for: 2) == ["over -4811", "stopped -1"])
    #expect(throws: CHHapticError(.engineNotRunning)) { try player.start(atTime: 0) }
  }

  @Test func `after a reset players are made again and the engine is started again`() throws {
    let engine = steppedEngine()
    let heard = Heard()
    heard.listen(to: engine)
    try engine.start()
    let own = try pattern()
    let player = try engine.makePlayer(with: own)
    engine.resetServer()
    #expect(heard.wait(for: 2) == ["stopped -1", "reset"])
    #expect(throws: CHHapticError(.invalidPatternPlayer)) { try player.start(atTime: 0) }
    try engine.start()
    #expect(throws: CHHapticError(.invalidPatternPlayer)) { try player.start(atTime: 0) }
    try engine.makePlayer(with: own).start(atTime: 0)
    #expect(engine.advance(by: 0.1))
  }

  @Test func `a player of an engine that is gone says so, and the engine's end is told`() throws {
    let heard = Heard()
    var engine: CHHapticEngine? = steppedEngine()
    engine?.stoppedHandler = { heard.say("stopped \($0.rawValue)") }
    try engine?.start()
    let player = try #require(try engine?.makePlayer(with: pattern(seconds: 1)))
    try player.start(atTime: 0)
    engine?.advance(by: 0.1)
    engine = nil
    #expect(heard.wait(for: 1) == ["stopped 5"])
    #expect(throws: CHHapticError(.engineNotRunning)) { try player.stop(atTime: 0) }
  }

  @Test func `a stopped engine throws engineNotRunning with Apple's domain and number`() throws {
    let engine = steppedEngine()
    let player = try engine.makePlayer(with: pattern())
    do {
      try player.start(atTime: 0)
      Issue.record("a player started on an engine that does not run")
    } catch {
      let bridged = error as NSError
      #expect(bridged.domain == "com.apple.CoreHaptics")
      #expect(bridged.code == -4805)
      #expect(bridged.localizedDescription.contains("start it"))
    }
  }

  @Test func `a pattern without events can be made, and not played`() throws {
    let engine = steppedEngine()
    let empty = try CHHapticPattern(events: [], parameters: [])
    #expect(empty.duration == 0)
    #expect(throws: CHHapticError(.invalidPatternData)) { try engine.makePlayer(with: empty) }
  }

  @Test func `a sound that is missing is named`() throws {
    let engine = steppedEngine()
    let json = """
      {"Pattern": [{"Event": {"Time": 0, "EventType": "AudioCustom", \
      "EventWaveformPath": "not-there.wav"}}]}
      """
    let error = #expect(throws: CHHapticError.self) {
      try engine.playPattern(from: Data(json.utf8))
    }
    #expect(error?.code == .fileNotFound)
    #expect(error?.localizedDescription.contains("not-there.wav") == true)
    #expect(throws: CHHapticError(.fileNotFound)) {
      try engine.registerAudioResource(URL(fileURLWithPath: "/nowhere/a.wav"))
    }
    #expect(throws: CHHapticError(.invalidAudioResource)) { try engine.unregisterAudioResource(7) }
  }

  @Test func `twenty players at once all play to their end`() throws {
    let engine = steppedEngine()
    let heard = Heard()
    try engine.start()
    let players = try (0..<20).map { index in
      let player = try engine.makeAdvancedPlayer(
        with: pattern(seconds: 0.1 + 0.01 * Double(index)))
      player.completionHandler = { _ in heard.say("\(index)") }
      try player.start(atTime: 0)
      return player
    }
    engine.advance(by: 0.5)
    #expect(heard.wait(for: 20) == (0..<20).map(String.init))
    withExtendedLifetime(players) {}
  }

  @Test func `more players than there is room for is an error, and room is given back`() throws {
    let engine = steppedEngine { $0.playerLimit = 4 }
    try engine.start()
    let one = try pattern(seconds: 0.1)
    var players = try (0..<4).map { _ in try engine.makePlayer(with: one) }
    for player in players { try player.start(atTime: 0) }
    #expect(throws: CHHapticError(.memoryError)) {
      try engine.makePlayer(with: one).start(atTime: 0)
    }
    players = []
    engine.advance(by: 0.5)
    try engine.makePlayer(with: one).start(atTime: 0)
  }

  @Test func `a seek beyond the end ends the play`() throws {
    let engine = steppedEngine()
    let heard = Heard()
    try engine.start()
    let player = try engine.makeAdvancedPlayer(with: pattern(seconds: 2))
    player.completionHandler = { heard.say("over \($0 == nil)") }
    try player.start(atTime: 0)
    engine.advance(by: 0.1)
    try player.seek(toOffset: 5)
    engine.advance(by: 0.1)
    #expect(heard.wait(for: 1) == ["over true"])
    #expect(throws: CHHapticError(.invalidTime)) { try player.seek(toOffset: -1) }
  }

  @Test func `a rate of zero or less and a loop end before the start change nothing`() throws {
    let engine = steppedEngine()
    let player = try engine.makeAdvancedPlayer(with: pattern(seconds: 2))
    player.playbackRate = 2
    player.playbackRate = 0
    player.playbackRate = -1
    player.playbackRate = .nan
    #expect(player.playbackRate == 2)
    player.loopEnd = 0.5
    player.loopEnd = -1
    #expect(player.loopEnd == 0.5)
  }

  @Test func `times before the clock are refused, times that have passed are now`() throws {
    let engine = steppedEngine()
    try engine.start()
    engine.advance(by: 1)
    let player = try engine.makePlayer(with: pattern())
    #expect(throws: CHHapticError(.invalidTime)) { try player.start(atTime: -1) }
    #expect(throws: CHHapticError(.invalidTime)) { try player.start(atTime: .nan) }
    try player.start(atTime: 0.5)
    engine.advance(by: 0.1)
    let late = try #require(engine.latency.scheduled.first)
    #expect(abs(late - 0.5) < 1e-3, "it was asked for half a second ago: \(late)")
  }

  /// The drive of a vibration under an intensity control.
  private func drive(control: Float) throws -> [Float] {
    let folder = try ScratchFolder()
    let engine = steppedEngine(records: folder.path)
    try engine.start()
    let player = try engine.makePlayer(with: pattern(seconds: 0.2, intensity: 0.8))
    try player.sendParameters(
      [.init(parameterID: .hapticIntensityControl, value: control, relativeTime: 0)], atTime: 0)
    try player.start(atTime: 0)
    engine.advance(by: 0.3)
    engine.stop()
    let start = try #require(
      try FileManager.default.contentsOfDirectory(atPath: folder.path).first { $0.first != "." })
    return Array(
      try SoundFile.read(path: "\(folder.path)/\(start)/drive.wav").channels[0].samples)
  }

  private func text(_ exported: [CHHapticPattern.Key: Any]) throws -> String {
    let plain = Dictionary(uniqueKeysWithValues: exported.map { ($0.key.rawValue, $0.value) })
    return String(
      decoding: try JSONSerialization.data(withJSONObject: plain, options: .sortedKeys),
      as: UTF8.self)
  }

  @Test func `parameters out of range are limited, unknown ones refused`() throws {
    let loud = try pattern(intensity: 40, sharpness: -3)
    let exported = try loud.exportDictionary()
    let limits = try pattern(intensity: 1, sharpness: 0).exportDictionary()
    #expect(try text(exported) == text(limits))
    let again = try CHHapticPattern(dictionary: exported)
    #expect(again.duration == loud.duration)
    let own: [CHHapticPattern.Key: Any] = [.time: 0, .eventType: "HapticTransient"]
    #expect(
      try CHHapticPattern(dictionary: [.pattern: [[CHHapticPattern.Key.event: own]]]).duration == 0)
    #expect(throws: CHHapticError(.invalidParameterType)) {
      try CHHapticPattern(
        events: [
          CHHapticEvent(
            eventType: .hapticTransient,
            parameters: [.init(parameterID: .init(rawValue: "Loudness"), value: 1)],
            relativeTime: 0)
        ], parameters: [])
    }
    #expect(try drive(control: 9) == drive(control: 1), "a control of 9 is one of 1")
    #expect(try drive(control: 0.5) != drive(control: 1))
    let engine = steppedEngine()
    try engine.start()
    let player = try engine.makePlayer(with: loud)
    #expect(throws: CHHapticError(.invalidParameterType)) {
      try player.sendParameters(
        [.init(parameterID: .hapticIntensityControl, value: .nan, relativeTime: 0)], atTime: 0)
    }
  }

  @Test func `a handler may end the engine that called it`() throws {
    let heard = Heard()
    var engine: CHHapticEngine? = steppedEngine()
    weak let watched = engine
    try engine?.start()
    let player = try #require(try engine?.makeAdvancedPlayer(with: pattern(seconds: 0.05)))
    player.completionHandler = { _ in
      watched?.stop { _ in heard.say("stopped") }
    }
    try player.start(atTime: 0)
    engine?.advance(by: 0.1)
    #expect(heard.wait(for: 1) == ["stopped"])
    engine = nil
  }

  @Test func `a file that is no pattern says where`() throws {
    #expect(throws: CHHapticError(.invalidPatternData)) {
      try steppedEngine().playPattern(from: Data("{\"Pattern\": [".utf8))
    }
    #expect(throws: CHHapticError(.invalidPatternDictionary)) {
      try CHHapticPattern(dictionary: [.version: 1.0])
    }
    #expect(throws: CHHapticError(.fileNotFound)) {
      try CHHapticPattern(contentsOf: URL(fileURLWithPath: "/nowhere/a.ahap"))
    }
    #expect(throws: CHHapticError(.invalidEventType)) {
      try CHHapticPattern(dictionary: [
        .pattern: [
          [CHHapticPattern.Key.event: [CHHapticPattern.Key.eventType: "Thump", .time: 0.0]]
        ]
      ])
    }
    #expect(throws: CHHapticError(.invalidEventTime)) { try pattern(at: -1) }
    #expect(throws: CHHapticError(.invalidEventDuration)) { try pattern(seconds: -1) }
  }
}
