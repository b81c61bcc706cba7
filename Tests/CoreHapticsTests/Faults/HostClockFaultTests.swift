// SPDX-License-Identifier: Apache-2.0

import CoreHaptics
import Devices
import Foundation
import Testing

/// What goes wrong while the engine's own threads render.
struct HostClockFaultTests {
  private func engine(faults: [SimulationDescription.Fault] = []) -> CHHapticEngine {
    steppedEngine(faults: faults) { $0.clock = .host }
  }

  @Test func `a rig that is unplugged while it plays is told in order`() throws {
    let engine = engine(faults: [.init(kind: .unplug, time: 0.05)])
    let heard = Heard()
    heard.listen(to: engine)
    let player = try engine.makeAdvancedPlayer(with: pattern(seconds: 30))
    player.completionHandler = { heard.say("over \(($0 as? CHHapticError)?.code.rawValue ?? 0)") }
    try engine.start()
    // On a machine under load the rig may be gone before the player has begun, which is then not over.
    try? player.start(atTime: CHHapticTimeImmediate)
    let all = heard.wait(until: "stopped -1")
    #expect([["over -4811", "stopped -1"], ["stopped -1"]].contains(all), "\(all)")
    #expect(throws: CHHapticError(.engineNotRunning)) {
      try player.start(atTime: CHHapticTimeImmediate)
    }
  }

  @Test func `an engine that is let go while it plays comes to rest and tells`() throws {
    let heard = Heard()
    var engine: CHHapticEngine? = engine()
    engine?.stoppedHandler = { heard.say("stopped \($0.rawValue)") }
    try engine?.start()
    let player = try #require(try engine?.makeAdvancedPlayer(with: pattern(seconds: 30)))
    player.completionHandler = { _ in heard.say("over") }
    try player.start(atTime: CHHapticTimeImmediate)
    engine = nil
    // A play that had not begun yet is not over.
    let all = heard.wait(until: "stopped 5")
    #expect([["over", "stopped 5"], ["stopped 5"]].contains(all), "\(all)")
    #expect(throws: CHHapticError(.engineNotRunning)) { try player.stop(atTime: 0) }
  }

  @Test func `a reset stops, tells, and leaves an engine that starts again`() throws {
    let engine = engine()
    let heard = Heard()
    heard.listen(to: engine)
    try engine.start()
    engine.resetServer()
    #expect(heard.wait(for: 2) == ["stopped -1", "reset"])
    try engine.start()
    try engine.makePlayer(with: pattern()).start(atTime: CHHapticTimeImmediate)
    engine.stop { _ in heard.say("stop") }
    #expect(heard.wait(for: 3).last == "stop")
  }

  @Test func `many engines start at once, and each start returns`() throws {
    let heard = Heard()
    let engines = (0..<8).map { _ in engine() }
    for engine in engines { try engine.start() }
    for engine in engines { engine.stop { _ in heard.say("stop") } }
    #expect(heard.wait(for: 8).count == 8)
  }
}
