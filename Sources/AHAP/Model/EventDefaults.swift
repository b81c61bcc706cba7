/// The values of the event parameters that a file leaves out.
///
/// A device may have others; whoever knows them passes its own.
public struct EventDefaults: Sendable, Hashable {
  /// What the defaults are called in a record of their use.
  public var name: String
  /// Intensity of a transient.
  public var transientIntensity: Double
  /// Intensity of any other haptic event.
  public var continuousIntensity: Double
  /// Sharpness of a transient.
  public var transientSharpness: Double
  /// Sharpness of any other haptic event.
  public var continuousSharpness: Double
  /// Attack time.
  public var attackTime: Double
  /// Decay time.
  public var decayTime: Double
  /// Release time.
  public var releaseTime: Double
  /// Whether the level holds: 0 or 1.
  public var sustained: Double
  /// Volume of an audio event.
  public var audioVolume: Double
  /// Pitch of an audio event.
  public var audioPitch: Double
  /// Balance of an audio event.
  public var audioPan: Double
  /// Brightness of an audio event.
  public var audioBrightness: Double

  /// The table of Apple's Unity plug-in (`CHCapabilities_Unsupported`), but for `Sustained`, where
  /// Apple's header says 1.
  public static let apple = Self(
    name: "apple", transientIntensity: 0.75, continuousIntensity: 0.6, transientSharpness: 0.5,
    continuousSharpness: 0.422601, attackTime: 0, decayTime: 0, releaseTime: 0, sustained: 1,
    audioVolume: 1, audioPitch: 0, audioPan: 0, audioBrightness: 1)

  /// The value of a parameter for a kind of event.
  public func value(of id: EventParameterID, for kind: HapticEvent.Kind) -> Double {
    switch id {
    case .hapticIntensity: kind == .hapticTransient ? transientIntensity : continuousIntensity
    case .hapticSharpness: kind == .hapticTransient ? transientSharpness : continuousSharpness
    case .attackTime: attackTime
    case .decayTime: decayTime
    case .releaseTime: releaseTime
    case .sustained: sustained
    case .audioVolume: audioVolume
    case .audioPitch: audioPitch
    case .audioPan: audioPan
    case .audioBrightness: audioBrightness
    }
  }
}
