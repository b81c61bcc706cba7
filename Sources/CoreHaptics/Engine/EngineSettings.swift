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

  /// Tells a stream what is muted.
  func mute(_ stream: EngineStream) {
    stream.mute(
      haptics: isMutedForHaptics || startedAudioOnly, audio: isMutedForAudio || startedHapticsOnly)
  }
}
