/// The parameters that an event can carry; the raw values are the IDs in a file.
public enum EventParameterID: String, Sendable, CaseIterable {
  /// Strength: 0 is off, 1 the most.
  case hapticIntensity = "HapticIntensity"
  /// Character: 0 is round and dull, 1 crisp and precise.
  case hapticSharpness = "HapticSharpness"
  /// How slowly the level rises, without a unit: 1 is not one second.
  case attackTime = "AttackTime"
  /// How slowly the level falls after the attack; acts only where `Sustained` is 0.
  case decayTime = "DecayTime"
  /// How slowly the level falls after the end.
  case releaseTime = "ReleaseTime"
  /// 1: the level holds for the event's duration; 0: it falls by the decay alone.
  case sustained = "Sustained"
  /// Loudness.
  case audioVolume = "AudioVolume"
  /// Pitch.
  case audioPitch = "AudioPitch"
  /// Balance: -1 is left, 1 right.
  case audioPan = "AudioPan"
  /// High frequencies: 0 cuts the most, 1 nothing.
  case audioBrightness = "AudioBrightness"

  /// The values that Apple allows; others are moved to the nearer end.
  public var range: ClosedRange<Double> {
    switch self {
    case .audioPitch, .audioPan: -1...1
    default: 0...1
    }
  }

  /// The events that the parameter acts on.
  public var domain: ParameterDomain {
    switch self {
    case .hapticIntensity, .hapticSharpness: .haptic
    case .audioVolume, .audioPitch, .audioPan, .audioBrightness: .audio
    case .attackTime, .decayTime, .releaseTime, .sustained: .both
    }
  }

  /// Whether the parameter shapes an envelope, which a transient does not have.
  public var isEnvelope: Bool { domain == .both }
}
