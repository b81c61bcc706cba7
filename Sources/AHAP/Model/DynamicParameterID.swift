/// The parameters that act on a whole pattern while it plays; the raw values are the IDs in a file.
///
/// Ranges, neutral values and ways to combine are those of Apple's documentation and header.
public enum DynamicParameterID: String, Sendable, CaseIterable {
  /// Scales the intensity of haptic events.
  case hapticIntensity = "HapticIntensityControl"
  /// Shifts the sharpness of haptic events.
  case hapticSharpness = "HapticSharpnessControl"
  /// Shifts the attack time of haptic events.
  case hapticAttackTime = "HapticAttackTimeControl"
  /// Shifts the decay time of haptic events.
  case hapticDecayTime = "HapticDecayTimeControl"
  /// Shifts the release time of haptic events.
  case hapticReleaseTime = "HapticReleaseTimeControl"
  /// Scales the volume of audio events.
  case audioVolume = "AudioVolumeControl"
  /// Shifts the balance of audio events.
  case audioPan = "AudioPanControl"
  /// Shifts the pitch of audio events.
  case audioPitch = "AudioPitchControl"
  /// Shifts the brightness of audio events.
  case audioBrightness = "AudioBrightnessControl"
  /// Shifts the attack time of audio events.
  case audioAttackTime = "AudioAttackTimeControl"
  /// Shifts the decay time of audio events.
  case audioDecayTime = "AudioDecayTimeControl"
  /// Shifts the release time of audio events.
  case audioReleaseTime = "AudioReleaseTimeControl"

  /// How a dynamic value joins an event's value.
  public enum Combination: String, Sendable {
    /// The product of both.
    case multiply
    /// The sum of both.
    case add
  }

  /// How the value joins the event's value.
  public var combination: Combination {
    switch self {
    case .hapticIntensity, .audioVolume: .multiply
    default: .add
    }
  }

  /// The values that Apple allows; others are moved to the nearer end.
  public var range: ClosedRange<Double> { combination == .multiply ? 0...1 : -1...1 }

  /// The value that changes nothing.
  public var neutral: Double { combination == .multiply ? 1 : 0 }

  /// The events that the parameter acts on; never both.
  public var domain: ParameterDomain {
    switch self {
    case .hapticIntensity, .hapticSharpness, .hapticAttackTime, .hapticDecayTime,
      .hapticReleaseTime:
      .haptic
    default: .audio
    }
  }

  /// The event parameter whose value is changed.
  public var target: EventParameterID {
    switch self {
    case .hapticIntensity: .hapticIntensity
    case .hapticSharpness: .hapticSharpness
    case .hapticAttackTime, .audioAttackTime: .attackTime
    case .hapticDecayTime, .audioDecayTime: .decayTime
    case .hapticReleaseTime, .audioReleaseTime: .releaseTime
    case .audioVolume: .audioVolume
    case .audioPan: .audioPan
    case .audioPitch: .audioPitch
    case .audioBrightness: .audioBrightness
    }
  }

  /// Combines an event's value with a dynamic value and limits the result to the event parameter's
  /// range.
  ///
  /// - Parameters:
  ///   - dynamic: The value of this dynamic parameter.
  ///   - event: The event's value of ``target``.
  /// - Returns: The event's value from now on, within the range of ``target``.
  public func apply(_ dynamic: Double, to event: Double) -> Double {
    let joined = combination == .multiply ? event * dynamic : event + dynamic
    return min(max(joined, target.range.lowerBound), target.range.upperBound)
  }
}
