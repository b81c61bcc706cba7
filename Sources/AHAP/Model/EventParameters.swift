/// The parameters of an event as written, each nil where the file leaves it out.
public struct EventParameters: Sendable, Hashable {
  /// `HapticIntensity`, 0 to 1.
  public var intensity: Double?
  /// `HapticSharpness`, 0 to 1.
  public var sharpness: Double?
  /// `AttackTime`, 0 to 1, no unit.
  public var attackTime: Double?
  /// `DecayTime`, 0 to 1, no unit.
  public var decayTime: Double?
  /// `ReleaseTime`, 0 to 1, no unit.
  public var releaseTime: Double?
  /// `Sustained`, 0 or 1.
  public var sustained: Double?
  /// `AudioVolume`, 0 to 1.
  public var audioVolume: Double?
  /// `AudioPitch`, -1 to 1.
  public var audioPitch: Double?
  /// `AudioPan`, -1 to 1.
  public var audioPan: Double?
  /// `AudioBrightness`, 0 to 1.
  public var audioBrightness: Double?

  /// Creates parameters of which none is given.
  public init() {}

  /// Creates the two parameters of most haptic events.
  public init(intensity: Double?, sharpness: Double?) {
    self.intensity = intensity
    self.sharpness = sharpness
  }

  /// The value of a parameter by its ID.
  public subscript(id: EventParameterID) -> Double? {
    get {
      switch id {
      case .hapticIntensity: intensity
      case .hapticSharpness: sharpness
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
    set {
      switch id {
      case .hapticIntensity: intensity = newValue
      case .hapticSharpness: sharpness = newValue
      case .attackTime: attackTime = newValue
      case .decayTime: decayTime = newValue
      case .releaseTime: releaseTime = newValue
      case .sustained: sustained = newValue
      case .audioVolume: audioVolume = newValue
      case .audioPitch: audioPitch = newValue
      case .audioPan: audioPan = newValue
      case .audioBrightness: audioBrightness = newValue
      }
    }
  }

  /// Whether no parameter is given.
  public var isEmpty: Bool { self == Self() }
}
