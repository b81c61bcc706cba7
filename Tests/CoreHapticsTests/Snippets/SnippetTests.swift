// SPDX-License-Identifier: Apache-2.0

import CoreHaptics
import Foundation
import Testing

@testable import AppSnippets

/// Code as apps have it compiles and runs, on the host's clock where it makes its own engine.
struct SnippetTests {
  @Test func `a palette follows the finger`() throws {
    let palette = PaletteController()
    #expect(palette.supportsHaptics)
    palette.createAndStartHapticEngine()
    palette.createContinuousHapticPlayer()
    palette.began()
    for step in 0..<50 {
      palette.moved(to: CGPoint(x: Double(step) / 50, y: 0.3))
    }
    try palette.ended()
    try palette.tap()
  }

  @Test func `a ball is felt and heard at each bounce`() throws {
    let engine = steppedEngine()
    try engine.start()
    let ball = BouncingBall(engine: engine)
    for velocity in [Float(9), 6, 3] {
      try ball.hit(velocity: velocity)
      engine.advance(by: 0.2)
    }
    #expect(engine.latency.immediate == [0, 0, 0])
  }

  @Test func `a texture rolls until it is let go`() throws {
    let engine = steppedEngine()
    try engine.start()
    let texture = try RollingTexture(engine: engine)
    let heard = Heard()
    texture.player.completionHandler = { _ in heard.say("over") }
    try texture.roll(0.8, for: 0.5)
    engine.advance(by: 1)
    #expect(heard.all.isEmpty)
    try texture.player.stop(atTime: 0)
    engine.advance(by: 0.1)
    #expect(heard.wait(for: 1) == ["over"])
  }

  @Test func `a file is played to its end and the engine stops`() async throws {
    let engine = CHHapticEngine(bench: EngineBench())
    let heard = Heard()
    heard.listen(to: engine)
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "rigs/patterns/feedback/success.ahap")
    try await playHapticsFile(file, on: engine)
    #expect(heard.wait(for: 1) == ["stopped 4"])
  }

  @Test func `an app can tell the errors apart`() throws {
    let engine = steppedEngine()
    let player = try engine.makePlayer(with: pattern())
    #expect(explain { try player.start(atTime: 0) } == "the engine is asleep")
    try engine.start()
    #expect(explain { try player.start(atTime: 0) } == "felt")
    engine.resetServer()
    #expect(explain { try player.start(atTime: 0) } == "make the player again")
    #expect(
      explain { try engine.unregisterAudioResource(3) } == "com.apple.CoreHaptics -4824")
  }

  @Test func `many threads may ask at once while the engine renders`() async throws {
    let engine = CHHapticEngine(bench: EngineBench())
    try await engine.start()
    let one = try pattern(seconds: 0.3)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for thread in 0..<4 {
        group.addTask {
          let player = try engine.makeAdvancedPlayer(with: one)
          player.loopEnabled = true
          try player.start(atTime: 0)
          for step in 0..<300 {
            try player.sendParameters(
              [
                .init(
                  parameterID: .hapticIntensityControl,
                  value: Float((step + thread) % 10) / 10, relativeTime: 0)
              ], atTime: 0)
            if step.isMultiple(of: 50) {
              try player.pause(atTime: 0)
              try player.resume(atTime: 0)
              player.isMuted.toggle()
              player.playbackRate = 1 + Float(step) / 300
              engine.isMutedForAudio.toggle()
            }
          }
          try player.cancel()
        }
      }
      try await group.waitForAll()
    }
    try await engine.stop()
  }
}
