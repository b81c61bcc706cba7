// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals

// Code as an app for iOS has it: Core Haptics and Foundation, nothing of haprig.
import CoreHaptics
import Foundation

/// A palette: what a finger does while it moves changes what is felt.
final class PaletteController {
  private var engine: CHHapticEngine!
  private var continuousPlayer: CHHapticAdvancedPatternPlayer!

  lazy var supportsHaptics: Bool = CHHapticEngine.capabilitiesForHardware().supportsHaptics

  func createAndStartHapticEngine() {
    do {
      engine = try CHHapticEngine()
    } catch let error {
      fatalError("Engine Creation Error: \(error)")
    }
    engine.stoppedHandler = { reason in
      switch reason {
      case .audioSessionInterrupt: print("Audio session interrupt.")
      case .applicationSuspended: print("Application suspended.")
      case .idleTimeout: print("Idle timeout.")
      case .systemError: print("System error.")
      case .notifyWhenFinished: print("Playback finished.")
      case .engineDestroyed: print("Engine destroyed.")
      case .gameControllerDisconnect: print("Controller disconnected.")
      @unknown default: print("Unknown error")
      }
    }
    engine.resetHandler = { [weak self] in
      do {
        try self?.engine.start()
        self?.createContinuousHapticPlayer()
      } catch {
        print("Failed to restart: \(error)")
      }
    }
    do {
      try engine.start()
    } catch {
      print("Failed to start the engine: \(error)")
    }
  }

  func createContinuousHapticPlayer() {
    let intensity = CHHapticEventParameter(parameterID: .hapticIntensity, value: 1)
    let sharpness = CHHapticEventParameter(parameterID: .hapticSharpness, value: 0.5)
    let continuousEvent = CHHapticEvent(
      eventType: .hapticContinuous, parameters: [intensity, sharpness], relativeTime: 0,
      duration: 100)
    do {
      let pattern = try CHHapticPattern(events: [continuousEvent], parameters: [])
      continuousPlayer = try engine.makeAdvancedPlayer(with: pattern)
    } catch let error {
      print("Pattern Player Creation Error: \(error)")
    }
    continuousPlayer.completionHandler = { _ in print("over") }
  }

  func began() { try? continuousPlayer.start(atTime: CHHapticTimeImmediate) }

  func moved(to location: CGPoint) {
    let intensityParameter = CHHapticDynamicParameter(
      parameterID: .hapticIntensityControl, value: Float(1 - location.y), relativeTime: 0)
    let sharpnessParameter = CHHapticDynamicParameter(
      parameterID: .hapticSharpnessControl, value: Float(location.x - 0.5), relativeTime: 0)
    do {
      try continuousPlayer.sendParameters([intensityParameter, sharpnessParameter], atTime: 0)
    } catch let error {
      print("Dynamic Parameter Error: \(error)")
    }
  }

  func ended() throws { try continuousPlayer.stop(atTime: CHHapticTimeImmediate) }

  func tap() throws {
    let transient = CHHapticEvent(eventType: .hapticTransient, parameters: [], relativeTime: 0)
    let pattern = try CHHapticPattern(events: [transient], parameters: [])
    let player = try engine.makePlayer(with: pattern)
    try player.start(atTime: CHHapticTimeImmediate)
  }
}

/// A ball that hits a wall: the harder, the stronger, with a sound that decays.
struct BouncingBall {
  let engine: CHHapticEngine

  func hit(velocity: Float) throws {
    let volume = min(1, max(0.1, velocity / 10))
    let decay: Float = max(0, volume - 0.5) * 2
    let audioEvent = CHHapticEvent(
      eventType: .audioContinuous,
      parameters: [
        CHHapticEventParameter(parameterID: .audioPitch, value: -0.15),
        CHHapticEventParameter(parameterID: .audioVolume, value: volume),
        CHHapticEventParameter(parameterID: .decayTime, value: decay),
        CHHapticEventParameter(parameterID: .sustained, value: 0),
      ], relativeTime: 0)
    let hapticEvent = CHHapticEvent(
      eventType: .hapticTransient,
      parameters: [
        CHHapticEventParameter(parameterID: .hapticSharpness, value: volume),
        CHHapticEventParameter(parameterID: .hapticIntensity, value: volume),
      ], relativeTime: 0)
    let pattern = try CHHapticPattern(events: [audioEvent, hapticEvent], parameters: [])
    try engine.makePlayer(with: pattern).start(atTime: CHHapticTimeImmediate)
  }
}

/// A texture that goes round and round, its strength along a curve.
struct RollingTexture {
  let player: CHHapticAdvancedPatternPlayer

  init(engine: CHHapticEngine) throws {
    let hapticDict = [
      CHHapticPattern.Key.pattern: [
        [
          CHHapticPattern.Key.event: [
            CHHapticPattern.Key.eventType: CHHapticEvent.EventType.hapticTransient,
            CHHapticPattern.Key.time: 0.001,
            CHHapticPattern.Key.eventParameters: [
              [
                CHHapticPattern.Key.parameterID: CHHapticEvent.ParameterID.hapticSharpness,
                CHHapticPattern.Key.parameterValue: 0.7,
              ] as [CHHapticPattern.Key: Any]
            ],
          ] as [CHHapticPattern.Key: Any]
        ],
        [
          CHHapticPattern.Key.event: [
            CHHapticPattern.Key.eventType: CHHapticEvent.EventType.hapticContinuous,
            CHHapticPattern.Key.time: 0.02, CHHapticPattern.Key.eventDuration: 0.05,
          ] as [CHHapticPattern.Key: Any]
        ],
      ]
    ]
    player = try engine.makeAdvancedPlayer(with: CHHapticPattern(dictionary: hapticDict))
    player.loopEnabled = true
    player.loopEnd = 0.1
    player.playbackRate = 1.5
  }

  func roll(_ strength: Float, for seconds: TimeInterval) throws {
    let curve = CHHapticParameterCurve(
      parameterID: .hapticIntensityControl,
      controlPoints: [
        CHHapticParameterCurve.ControlPoint(relativeTime: 0, value: 0),
        CHHapticParameterCurve.ControlPoint(relativeTime: seconds, value: strength),
      ], relativeTime: 0)
    try player.scheduleParameterCurve(curve, atTime: CHHapticTimeImmediate)
    try player.start(atTime: CHHapticTimeImmediate)
  }
}

/// Game over: a pattern from a file, and the engine stops when it has been played.
func playHapticsFile(_ url: URL, on engine: CHHapticEngine) async throws {
  try await engine.start()
  try engine.playPattern(from: url)
  await withCheckedContinuation { continuation in
    engine.notifyWhenPlayersFinished { error in
      if let error { print(error) }
      continuation.resume()
      return .stopEngine
    }
  }
}

/// What an app says when a tap is refused.
func explain(_ tap: () throws -> Void) -> String {
  do {
    try tap()
    return "felt"
  } catch CHHapticError.engineNotRunning {
    return "the engine is asleep"
  } catch let error as CHHapticError where error.code == .invalidPatternPlayer {
    return "make the player again"
  } catch {
    let error = error as NSError
    return "\(error.domain) \(error.code)"
  }
}
