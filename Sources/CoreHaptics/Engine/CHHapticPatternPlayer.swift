// SPDX-License-Identifier: Apache-2.0

import AHAP
import Devices
public import Foundation
import HapticRendering

/// Plays a pattern; times are those of its engine, 0 for as soon as possible.
public protocol CHHapticPatternPlayer: NSObjectProtocol {
  /// Plays from the beginning.
  func start(atTime time: TimeInterval) throws
  /// Ends the play.
  func stop(atTime time: TimeInterval) throws
  /// Changes parameters, each its own relative time after the given one.
  func sendParameters(_ parameters: [CHHapticDynamicParameter], atTime time: TimeInterval) throws
  /// Changes a parameter along a curve that begins at the given time, whatever the curve's own.
  func scheduleParameterCurve(
    _ parameterCurve: CHHapticParameterCurve, atTime time: TimeInterval) throws
  /// Ends the play and forgets everything that was asked for later.
  func cancel() throws
  /// Whether nothing is felt and heard of it.
  var isMuted: Bool { get set }
}

/// Called when a play is over, with an error where it failed.
public typealias CHHapticAdvancedPatternPlayerCompletionHandler = ((any Error)?) -> Void

/// Plays a pattern, and can hold, move, repeat and speed up the play.
public protocol CHHapticAdvancedPatternPlayer: CHHapticPatternPlayer {
  /// Holds the play.
  func pause(atTime time: TimeInterval) throws
  /// Goes on with a play that is held.
  func resume(atTime time: TimeInterval) throws
  /// Moves to an offset in seconds of the pattern; beyond its end the play ends, or its loop begins.
  func seek(toOffset offsetTime: TimeInterval) throws
  /// Whether the play turns back at the loop's end.
  var loopEnabled: Bool { get set }
  /// The loop's end in seconds of the pattern; 0 for the end of the last event.
  var loopEnd: TimeInterval { get set }
  /// Seconds of the pattern in a second; only values above 0 are taken.
  var playbackRate: Float { get set }
  /// Called on the engine's handler queue when a play is over.
  var completionHandler: CHHapticAdvancedPatternPlayerCompletionHandler { get set }
}

class PatternPlayer: NSObject, CHHapticPatternPlayer {
  let engine: EngineCore
  let player: PlayerCore

  init(_ engine: EngineCore, _ player: PlayerCore) {
    self.engine = engine
    self.player = player
  }

  deinit { engine.openStream?.release(player) }

  func start(atTime time: TimeInterval) throws { try ask(.start, at: time, starts: true) }

  func stop(atTime time: TimeInterval) throws { try ask(.stop, at: time) }

  func cancel() throws { try ask(.cancel, at: CHHapticTimeImmediate) }

  var isMuted: Bool {
    get { player.settings.withLock { $0.isMuted } }
    set { set(.mute(newValue)) { $0.isMuted = newValue } }
  }

  /// Changes a setting for this stream, where there is one, and for the next.
  func set(_ action: PlayerAction, _ change: (inout PlayerCore.Settings) -> Void) {
    player.settings.withLock { change(&$0) }
    engine.openStream?.set(action, of: player)
  }

  func sendParameters(
    _ parameters: [CHHapticDynamicParameter], atTime time: TimeInterval
  ) throws {
    var actions: [(action: PlayerAction, delay: Double)] = []
    for (order, parameter) in parameters.enumerated() {
      let step = try DynamicParameter(parameter, order: order)
      actions.append((.control(ControlStep(step.id, value: step.value)), step.time))
    }
    try ask(actions, at: time)
  }

  func scheduleParameterCurve(
    _ parameterCurve: CHHapticParameterCurve, atTime time: TimeInterval
  ) throws {
    let curve = try ParameterCurve(parameterCurve, order: 0)
    guard let first = curve.points.first else { return }
    let track = ControlTrack(
      neutral: curve.id.neutral, range: curve.id.range,
      sources: [ControlTrack.Source(points: curve.points.map { ($0.time, $0.value) }, order: 0)])
    let actions = track.pieces.map { piece in
      (
        action: PlayerAction.control(
          ControlStep(
            curve.id, value: piece.value, slope: piece.slope, age: piece.start - first.time)),
        delay: piece.start
      )
    }
    try ask(actions, at: time)
  }

  func ask(_ action: PlayerAction, at time: TimeInterval, starts: Bool = false) throws {
    try ask([(action, 0)], at: time, starts: starts)
  }

  private func ask(
    _ actions: [(action: PlayerAction, delay: Double)], at time: TimeInterval, starts: Bool = false
  ) throws {
    guard time >= 0, time < .infinity else {
      throw CHHapticError(
        .invalidTime,
        "the time \(time) s is none of the engine's: give 0 for now, or one from currentTime on")
    }
    let stream = try engine.stream(for: player, starts: starts)
    // A time before the stream began has passed: as soon as possible.
    try stream.ask(actions, of: player, at: time == 0 ? 0 : max(0, time - stream.origin))
  }
}

final class AdvancedPatternPlayer: PatternPlayer, CHHapticAdvancedPatternPlayer {
  func pause(atTime time: TimeInterval) throws { try ask(.pause, at: time) }

  func resume(atTime time: TimeInterval) throws { try ask(.resume, at: time) }

  func seek(toOffset offsetTime: TimeInterval) throws {
    guard offsetTime >= 0, offsetTime < .infinity else {
      throw CHHapticError(
        .invalidTime, "the offset \(offsetTime) s lies before the pattern: 0 or more is needed")
    }
    try ask(.seek(offsetTime), at: CHHapticTimeImmediate)
  }

  var loopEnabled: Bool {
    get { player.settings.withLock { $0.isLooping } }
    set { set(.loop(newValue)) { $0.isLooping = newValue } }
  }

  var loopEnd: TimeInterval {
    get { player.settings.withLock { $0.loopEnd } }
    set {
      guard newValue >= 0, newValue < .infinity else { return }
      set(.loopEnd(newValue)) { $0.loopEnd = newValue }
    }
  }

  var playbackRate: Float {
    get { Float(player.settings.withLock { $0.rate }) }
    set {
      guard newValue > 0, newValue < .infinity else { return }
      set(.rate(Double(newValue))) { $0.rate = Double(newValue) }
    }
  }

  var completionHandler: CHHapticAdvancedPatternPlayerCompletionHandler {
    get { player.completion.withLock { $0 }?.call ?? { _ in } }
    set {
      let handler = Handler(newValue)
      player.completion.withLock { $0 = handler }
    }
  }
}
