/// What a parameter acts on.
public enum ParameterDomain: String, Sendable, CaseIterable {
  /// Haptic events.
  case haptic
  /// Audio events.
  case audio
  /// The envelopes of haptic and audio events alike.
  case both
}
