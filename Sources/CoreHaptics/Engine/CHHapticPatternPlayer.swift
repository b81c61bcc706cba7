public import Foundation

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
