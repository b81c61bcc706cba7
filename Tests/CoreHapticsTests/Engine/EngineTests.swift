// SPDX-License-Identifier: Apache-2.0

import CoreHaptics
import Foundation
import Testing

/// The engine's own life, on a clock that the test moves.
struct EngineTests {
  @Test func `a stepped clock stands until it is moved, and runs on over a stop`() throws {
    let engine = steppedEngine()
    #expect(engine.currentTime == 0)
    try engine.start()
    engine.advance(by: 0.25)
    #expect(abs(engine.currentTime - 0.25) < 1e-9)
    engine.stop()
    let stopped = engine.currentTime
    #expect(stopped >= 0.25)
    try engine.start()
    #expect(engine.currentTime == stopped)
  }

  @Test func `a start while it runs is nothing, and both forms of stop tell`() async throws {
    let engine = steppedEngine()
    let heard = Heard()
    heard.listen(to: engine)
    try await engine.start()
    try await engine.start()
    engine.stop { heard.say("stop \($0 == nil)") }
    #expect(heard.wait(for: 1) == ["stop true"])
    engine.stop { heard.say("again \($0 == nil)") }
    #expect(heard.wait(for: 2) == ["stop true", "again true"])
    try await engine.stop()
    #expect(heard.all == ["stop true", "again true"], "an app's own stop is not told")
  }

  @Test func `a start with a handler tells it`() {
    let engine = steppedEngine()
    let heard = Heard()
    engine.start { heard.say("started \($0 == nil)") }
    #expect(heard.wait(for: 1) == ["started true"])
  }

  @Test func `handlers run in order, off the main thread, and may call the engine`() throws {
    let engine = steppedEngine()
    let heard = Heard()
    engine.stoppedHandler = { reason in
      heard.say("stopped \(reason.rawValue) \(Thread.isMainThread)")
      try? engine.start()
      heard.say("running \((try? engine.makePlayer(with: pattern()).start(atTime: 0)) != nil)")
    }
    try engine.start()
    engine.interrupt(.audioSessionInterrupt)
    #expect(heard.wait(for: 2) == ["stopped 1 false", "running true"])
    engine.stoppedHandler = { _ in }
  }

  @Test func `what waits for the players is called when the last has finished, and can stop`()
    throws
  {
    let engine = steppedEngine()
    let heard = Heard()
    heard.listen(to: engine)
    try engine.start()
    let player = try engine.makePlayer(with: pattern(seconds: 0.1))
    let later = try engine.makePlayer(with: pattern(seconds: 0.1))
    try player.start(atTime: 0)
    try later.start(atTime: engine.currentTime + 0.3)
    engine.notifyWhenPlayersFinished { _ in
      heard.say("finished at \((engine.currentTime * 10).rounded() / 10)")
      return .stopEngine
    }
    for _ in 0..<39 { engine.advance(by: 0.01) }
    #expect(heard.all.isEmpty)
    for _ in 0..<10 { engine.advance(by: 0.01) }
    let all = heard.wait(for: 2)
    #expect(all.last == "stopped 4")
    #expect(throws: CHHapticError(.engineNotRunning)) { try player.start(atTime: 0) }
  }

  @Test func `what waits for a stopped engine does not stop one that is started later`() throws {
    let engine = steppedEngine()
    let heard = Heard()
    heard.listen(to: engine)
    let gate = DispatchSemaphore(value: 0)
    engine.stop { _ in gate.wait() }
    engine.notifyWhenPlayersFinished { _ in
      heard.say("finished")
      return .stopEngine
    }
    try engine.start()
    gate.signal()
    #expect(heard.wait(for: 1) == ["finished"])
    engine.stop { _ in heard.say("at rest") }
    #expect(heard.wait(for: 2) == ["finished", "at rest"], "and not stopped for a reason")
  }

  @Test func `a player that is started before its turn delays what waits`() throws {
    let engine = steppedEngine()
    let heard = Heard()
    try engine.start()
    let player = try engine.makePlayer(with: pattern(seconds: 0.1))
    let gate = DispatchSemaphore(value: 0)
    let passed = Heard()
    engine.start { _ in gate.wait() }
    engine.notifyWhenPlayersFinished { _ in
      heard.say("finished")
      return .leaveEngineRunning
    }
    try player.start(atTime: 0)
    gate.signal()
    engine.start { _ in passed.say("passed") }
    #expect(passed.wait(for: 1) == ["passed"])
    #expect(heard.all.isEmpty)
    for _ in 0..<30 { engine.advance(by: 0.01) }
    #expect(heard.wait(for: 1) == ["finished"])
  }

  @Test func `what is asked of a player waits for a start that was asked for`() throws {
    let engine = steppedEngine()
    let heard = Heard()
    let gate = DispatchSemaphore(value: 0)
    engine.stop { _ in gate.wait() }
    let player = try engine.makePlayer(with: pattern())
    #expect(throws: CHHapticError(.engineNotRunning)) { try player.start(atTime: 0) }
    engine.start { heard.say("started \($0 == nil)") }
    try player.start(atTime: 0)
    #expect(heard.all.isEmpty, "the handlers' thread is still busy")
    #expect(engine.advance(by: 0.1))
    gate.signal()
    #expect(heard.wait(for: 1) == ["started true"])
    engine.stop()
    #expect(!engine.advance(by: 0.1))
  }

  @Test func `a stop comes after the start that was asked for before it`() throws {
    let engine = steppedEngine()
    let heard = Heard()
    let gate = DispatchSemaphore(value: 0)
    engine.stop { _ in gate.wait() }
    engine.start { _ in heard.say("started") }
    engine.stop { _ in heard.say("stopped") }
    gate.signal()
    #expect(heard.wait(for: 2) == ["started", "stopped"])
    #expect(!engine.advance(by: 0.1))
  }

  @Test func `an engine that was stopped and let go tells no reason`() throws {
    let heard = Heard()
    do {
      let engine = CHHapticEngine(bench: EngineBench())
      heard.listen(to: engine)
      try engine.start()
      engine.stop { _ in heard.say("at rest") }
    }
    #expect(heard.wait(for: 1) == ["at rest"])
  }

  @Test func `what waits for no player is called at once`() throws {
    let engine = steppedEngine()
    let heard = Heard()
    try engine.start()
    engine.notifyWhenPlayersFinished { _ in
      heard.say("finished")
      return .leaveEngineRunning
    }
    #expect(heard.wait(for: 1) == ["finished"])
    #expect(engine.advance(by: 0.01))
  }

  @Test func `an idle engine shuts itself down where it may, and starts on demand`() throws {
    let engine = steppedEngine { $0.idleTimeout = 0.5 }
    let heard = Heard()
    heard.listen(to: engine)
    engine.isAutoShutdownEnabled = true
    try engine.start()
    for _ in 0..<60 { engine.advance(by: 0.01) }
    #expect(heard.wait(for: 1) == ["stopped 3"])
    let player = try engine.makePlayer(with: pattern())
    try player.start(atTime: CHHapticTimeImmediate)
    #expect(engine.advance(by: 0.01))
  }

  @Test func `several engines do not know of each other`() throws {
    let (one, other) = (steppedEngine(), steppedEngine())
    try one.start()
    try other.start()
    one.stop()
    #expect(other.advance(by: 0.01))
  }

  @Test func `the device says what it can`() throws {
    let device = CHHapticEngine.capabilitiesForHardware()
    #expect(device.supportsHaptics && device.supportsAudio)
    let intensity = try device.attributes(
      forEventParameter: .hapticIntensity, eventType: .hapticTransient)
    #expect(intensity.minValue == 0 && intensity.maxValue == 1 && intensity.defaultValue == 0.75)
    let control = try device.attributes(forDynamicParameter: .hapticSharpnessControl)
    #expect(control.minValue == -1 && control.defaultValue == 0)
    #expect(throws: CHHapticError(.invalidParameterType)) {
      try device.attributes(forEventParameter: .audioPan, eventType: .hapticTransient)
    }
  }

  @Test func `starts on a stepped clock are exact`() throws {
    let engine = steppedEngine()
    try engine.start()
    let player = try engine.makePlayer(with: pattern())
    try player.start(atTime: CHHapticTimeImmediate)
    engine.advance(by: 0.05)
    try player.start(atTime: engine.currentTime + 0.125)
    engine.advance(by: 0.3)
    #expect(engine.latency.immediate == [0])
    let error = try #require(engine.latency.scheduled.first)
    #expect(abs(error) < 1 / 48_000)
  }

  @Test func `on the host's clock a start comes to the device within a few blocks, and is counted`()
    throws
  {
    let engine = CHHapticEngine(bench: EngineBench())
    let heard = Heard()
    try engine.start()
    for _ in 0..<5 {
      let player = try engine.makeAdvancedPlayer(with: pattern())
      player.completionHandler = { _ in heard.say("over") }
      let before = heard.all.count
      try player.start(atTime: CHHapticTimeImmediate)
      _ = heard.wait(for: before + 1)
    }
    let latency = engine.latency
    #expect(latency.immediate.count == 5)
    #expect(latency.immediate.allSatisfy { $0 > -1e-3 }, "\(latency.immediate)")
    engine.stop()
  }
}
