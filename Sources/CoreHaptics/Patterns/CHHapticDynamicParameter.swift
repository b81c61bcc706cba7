public import Foundation

/// A step of a parameter that acts on a whole pattern while it plays.
public final class CHHapticDynamicParameter: NSObject {
  /// The parameters that act on a whole pattern; the raw values are those of AHAP files.
  public struct ID: RawRepresentable, Hashable, Sendable {
    /// The name in a file.
    public let rawValue: String

    /// Names a parameter.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Scales the intensity, 0 to 1.
    public static let hapticIntensityControl = ID(rawValue: "HapticIntensityControl")
    /// Shifts the sharpness, -1 to 1.
    public static let hapticSharpnessControl = ID(rawValue: "HapticSharpnessControl")
    /// Shifts the attack time, -1 to 1.
    public static let hapticAttackTimeControl = ID(rawValue: "HapticAttackTimeControl")
    /// Shifts the decay time, -1 to 1.
    public static let hapticDecayTimeControl = ID(rawValue: "HapticDecayTimeControl")
    /// Shifts the release time, -1 to 1.
    public static let hapticReleaseTimeControl = ID(rawValue: "HapticReleaseTimeControl")
    /// Scales the volume, 0 to 1.
    public static let audioVolumeControl = ID(rawValue: "AudioVolumeControl")
    /// Shifts the balance, -1 to 1.
    public static let audioPanControl = ID(rawValue: "AudioPanControl")
    /// Shifts the brightness, -1 to 1.
    public static let audioBrightnessControl = ID(rawValue: "AudioBrightnessControl")
    /// Shifts the pitch, -1 to 1.
    public static let audioPitchControl = ID(rawValue: "AudioPitchControl")
    /// Shifts the attack time of sounds, -1 to 1.
    public static let audioAttackTimeControl = ID(rawValue: "AudioAttackTimeControl")
    /// Shifts the decay time of sounds, -1 to 1.
    public static let audioDecayTimeControl = ID(rawValue: "AudioDecayTimeControl")
    /// Shifts the release time of sounds, -1 to 1.
    public static let audioReleaseTimeControl = ID(rawValue: "AudioReleaseTimeControl")
  }

  /// Which.
  public let parameterID: ID
  /// Its value; moved to the nearer end of its range.
  public var value: Float
  /// When it takes effect: in seconds of the pattern, or after the time that it is sent for.
  public var relativeTime: TimeInterval

  /// Makes a step.
  public init(parameterID: ID, value: Float, relativeTime time: TimeInterval) {
    self.parameterID = parameterID
    self.value = value
    relativeTime = time
  }
}

/// A parameter that acts on a whole pattern, as straight lines between control points.
public final class CHHapticParameterCurve: NSObject {
  /// A point of a curve.
  public final class ControlPoint: NSObject {
    /// The time in seconds from the curve's own.
    public var relativeTime: TimeInterval
    /// The value.
    public var value: Float

    /// Makes a point.
    public init(relativeTime time: TimeInterval, value: Float) {
      relativeTime = time
      self.value = value
    }
  }

  /// Which parameter.
  public let parameterID: CHHapticDynamicParameter.ID
  /// The points in rising order of time.
  public let controlPoints: [ControlPoint]
  /// When it begins, in seconds of the pattern.
  public var relativeTime: TimeInterval

  /// Makes a curve.
  public init(
    parameterID: CHHapticDynamicParameter.ID, controlPoints: [ControlPoint],
    relativeTime: TimeInterval
  ) {
    self.parameterID = parameterID
    self.controlPoints = controlPoints
    self.relativeTime = relativeTime
  }
}
