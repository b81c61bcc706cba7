// SPDX-License-Identifier: Apache-2.0

// The bouncing ball: a tap and a sound at each bounce, as strong as the ball is fast.
//
// Lesson: bounces are known before they happen, so they are scheduled. What is scheduled is exact to the
// sample; what is asked for "now" is late by a block.
import CoreHaptics
import Foundation

@main
struct BouncingBall {
  /// How much of its speed the ball keeps.
  static let restitution = 0.75
  /// The pull downwards, in heights a second squared.
  static let gravity = 12.0

  static func main() async {
    do {
      try await play()
    } catch {
      // The error says in its own words what to do.
      FileHandle.standardError.write(Data("BouncingBall: \(error.localizedDescription)\n".utf8))
      exit(1)
    }
  }

  private static func play() async throws {
    let engine = try CHHapticEngine()
    try await engine.start()

    // A ball falls from height 1: it meets the ground at sqrt(2 / g), then every 2 v / g seconds.
    var speed = (2 * gravity).squareRoot()
    var time = engine.currentTime + 0.1 + (2 / gravity).squareRoot()
    let fastest = speed
    var bounces = 0
    while speed > 0.15 * fastest {
      let strength = Float(speed / fastest)
      try engine.makePlayer(with: bounce(strength)).start(atTime: time)
      speed *= restitution
      time += 2 * speed / gravity
      bounces += 1
    }
    print("\(bounces) bounces are scheduled")

    // The engine stops when the last of them has been played.
    await withCheckedContinuation { (finished: CheckedContinuation<Void, Never>) in
      engine.notifyWhenPlayersFinished { _ in
        finished.resume()
        return .leaveEngineRunning
      }
    }
    try await engine.stop()
    let errors = engine.latency.scheduled.map { abs($0) }
    print("largest error of a scheduled start: \(Int((errors.max() ?? 0) * 1e6)) us")
  }

  /// A bounce, its strength 0...1: fast is crisp and loud, slow is dull and soft.
  private static func bounce(_ strength: Float) throws -> CHHapticPattern {
    let tap = CHHapticEvent(
      eventType: .hapticTransient,
      parameters: [
        CHHapticEventParameter(parameterID: .hapticIntensity, value: strength),
        CHHapticEventParameter(parameterID: .hapticSharpness, value: 0.2 + 0.6 * strength),
      ], relativeTime: 0)
    // Not sustained: over when the decay has come to its end.
    let thud = CHHapticEvent(
      eventType: .audioContinuous,
      parameters: [
        CHHapticEventParameter(parameterID: .audioVolume, value: strength * strength),
        CHHapticEventParameter(parameterID: .audioPitch, value: -0.6),
        CHHapticEventParameter(parameterID: .decayTime, value: 0.6),
        CHHapticEventParameter(parameterID: .sustained, value: 0),
      ], relativeTime: 0, duration: 0.2)
    return try CHHapticPattern(events: [tap, thud], parameters: [])
  }
}
