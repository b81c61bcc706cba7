// SPDX-License-Identifier: Apache-2.0

// A ball that rolls: a texture that loops while its strength follows the ball's speed, and taps on top.
//
// Lesson: several players at once on one engine. A parameter sent to one player rules its pattern alone,
// so what must not be ducked with the texture (the taps) is a player of its own.
import CoreHaptics
import Foundation

@main
struct Ricochet {
  static func main() async {
    do {
      try await play()
    } catch {
      // The error says in its own words what to do.
      FileHandle.standardError.write(Data("Ricochet: \(error.localizedDescription)\n".utf8))
      exit(1)
    }
  }

  private static func play() async throws {
    let engine = try CHHapticEngine()
    engine.playsHapticsOnly = true
    try await engine.start()

    let texture = try engine.makeAdvancedPlayer(with: grains())
    texture.loopEnabled = true
    texture.loopEnd = 0.2
    try texture.sendParameters([strength(0)], atTime: CHHapticTimeImmediate)
    try texture.start(atTime: CHHapticTimeImmediate)

    // The ball is pushed, rolls out, and hits two walls on its way.
    var speed = 1.0
    for step in 0..<60 {
      speed *= 0.97
      if step == 20 || step == 40 {
        speed *= 0.8
        try engine.makePlayer(with: wall(Float(speed))).start(atTime: CHHapticTimeImmediate)
      }
      // A curve from where the strength is to where it goes has no steps in it.
      let curve = CHHapticParameterCurve(
        parameterID: .hapticIntensityControl,
        controlPoints: [
          CHHapticParameterCurve.ControlPoint(relativeTime: 0, value: Float(speed / 0.97)),
          CHHapticParameterCurve.ControlPoint(relativeTime: 0.02, value: Float(speed)),
        ], relativeTime: 0)
      try texture.scheduleParameterCurve(curve, atTime: CHHapticTimeImmediate)
      texture.playbackRate = Float(0.5 + speed)
      try await Task.sleep(for: .milliseconds(20))
    }
    try texture.stop(atTime: CHHapticTimeImmediate)
    try await engine.stop()
    print("the ball lies still")
  }

  /// Grains in an uneven row, a fifth of a second of them.
  private static func grains() throws -> CHHapticPattern {
    let times = [0, 0.021, 0.047, 0.062, 0.09, 0.118, 0.131, 0.163, 0.182]
    let events = times.enumerated().map { index, time in
      CHHapticEvent(
        eventType: .hapticTransient,
        parameters: [
          CHHapticEventParameter(
            parameterID: .hapticIntensity, value: index.isMultiple(of: 3) ? 0.7 : 0.45),
          CHHapticEventParameter(parameterID: .hapticSharpness, value: 0.4),
        ], relativeTime: time)
    }
    return try CHHapticPattern(events: events, parameters: [])
  }

  /// A wall, hit at a speed of 0...1.
  private static func wall(_ speed: Float) throws -> CHHapticPattern {
    let tap = CHHapticEvent(
      eventType: .hapticTransient,
      parameters: [
        CHHapticEventParameter(parameterID: .hapticIntensity, value: max(0.4, speed)),
        CHHapticEventParameter(parameterID: .hapticSharpness, value: 0.8),
      ], relativeTime: 0)
    return try CHHapticPattern(events: [tap], parameters: [])
  }

  private static func strength(_ value: Float) -> CHHapticDynamicParameter {
    CHHapticDynamicParameter(
      parameterID: .hapticIntensityControl, value: value, relativeTime: 0)
  }
}
