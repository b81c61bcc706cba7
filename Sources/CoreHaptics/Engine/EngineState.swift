// SPDX-License-Identifier: Apache-2.0

/// What an engine is between its calls.
struct EngineState {
  var stream: EngineStream?
  var generation = 0
  var isDestroyed = false
  /// The time at which a stepped clock stands while nothing runs.
  var restingTime = 0.0
  /// When the stream became idle, in seconds of it.
  var idleSince: Double?
  var settings = EngineSettings()
  var stoppedHandler: Handler<(CHHapticEngine.StoppedReason) -> Void>?
  var resetHandler: Handler<() -> Void>?
  var finishedHandlers: [Handler<CHHapticEngine.FinishedHandler>] = []
  /// Why the stream is being stopped, and who waits for it.
  var reason: CHHapticEngine.StoppedReason?
  var isResetting = false
  /// Whether a start was asked for that nobody has made yet, and how the newest one went.
  var isStartAskedFor = false
  var startFault: CHHapticError?
  var stopHandlers: [Handler<((any Error)?) -> Void>] = []
  var latency = EngineLatency()

  /// Whether the stream is being stopped, by the app or otherwise.
  var isEnding: Bool { reason != nil || !stopHandlers.isEmpty }
}

/// What an app has set on an engine.
struct EngineSettings: Sendable {
  var playsHapticsOnly = false
  var playsAudioOnly = false
  var isMutedForAudio = false
  var isMutedForHaptics = false
  var isAutoShutdownEnabled = false
  /// What the two `plays...Only` were when the stream was opened: they wait for the next start.
  var startedHapticsOnly = false
  var startedAudioOnly = false

  func mute(_ stream: EngineStream) {
    stream.mute(
      haptics: isMutedForHaptics || startedAudioOnly, audio: isMutedForAudio || startedHapticsOnly)
  }
}
