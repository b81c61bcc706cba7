// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A number that stands for a sound file that was registered with an engine; 0 for none.
public typealias CHHapticAudioResourceID = Int

/// One haptic or audio event of a pattern.
public final class CHHapticEvent: NSObject {
  /// What kind of event it is; the raw values are those of AHAP files.
  public struct EventType: RawRepresentable, Hashable, Sendable {
    /// The name in a file.
    public let rawValue: String

    /// Names a type.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A tap.
    public static let hapticTransient = EventType(rawValue: "HapticTransient")
    /// A vibration.
    public static let hapticContinuous = EventType(rawValue: "HapticContinuous")
    /// A made tone.
    public static let audioContinuous = EventType(rawValue: "AudioContinuous")
    /// A sound file.
    public static let audioCustom = EventType(rawValue: "AudioCustom")
  }

  /// The parameters that an event can carry; the raw values are those of AHAP files.
  public struct ParameterID: RawRepresentable, Hashable, Sendable {
    /// The name in a file.
    public let rawValue: String

    /// Names a parameter.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Strength, 0 to 1.
    public static let hapticIntensity = ParameterID(rawValue: "HapticIntensity")
    /// Character, 0 to 1.
    public static let hapticSharpness = ParameterID(rawValue: "HapticSharpness")
    /// How slowly the level rises, 0 to 1.
    public static let attackTime = ParameterID(rawValue: "AttackTime")
    /// How slowly the level falls after the attack, 0 to 1.
    public static let decayTime = ParameterID(rawValue: "DecayTime")
    /// How slowly the level falls after the end, 0 to 1.
    public static let releaseTime = ParameterID(rawValue: "ReleaseTime")
    /// Whether the level holds: 0 or 1.
    public static let sustained = ParameterID(rawValue: "Sustained")
    /// Loudness, 0 to 1.
    public static let audioVolume = ParameterID(rawValue: "AudioVolume")
    /// Pitch, -1 to 1.
    public static let audioPitch = ParameterID(rawValue: "AudioPitch")
    /// Balance, -1 to 1.
    public static let audioPan = ParameterID(rawValue: "AudioPan")
    /// High frequencies, 0 to 1.
    public static let audioBrightness = ParameterID(rawValue: "AudioBrightness")
  }

  /// What kind of event it is.
  public let type: EventType
  /// The parameters.
  public let eventParameters: [CHHapticEventParameter]
  /// When it begins, in seconds of the pattern.
  public var relativeTime: TimeInterval
  /// How long it lasts, in seconds; 0 for what has no fixed end.
  public var duration: TimeInterval

  /// The sound; 0 for none.
  let audioResourceID: CHHapticAudioResourceID

  /// Makes an event of a duration in seconds; without one it lasts as long as its type does.
  public convenience init(
    eventType: EventType, parameters: [CHHapticEventParameter], relativeTime: TimeInterval,
    duration: TimeInterval = 0
  ) {
    self.init(
      type: eventType, parameters: parameters, relativeTime: relativeTime, duration: duration,
      resource: 0)
  }

  /// Makes a sound of an audio resource, of a duration in seconds; without one of its own.
  public convenience init(
    audioResourceID resID: CHHapticAudioResourceID, parameters: [CHHapticEventParameter],
    relativeTime: TimeInterval, duration: TimeInterval = 0
  ) {
    self.init(
      type: .audioCustom, parameters: parameters, relativeTime: relativeTime, duration: duration,
      resource: resID)
  }

  init(
    type: EventType, parameters: [CHHapticEventParameter], relativeTime: TimeInterval,
    duration: TimeInterval, resource: CHHapticAudioResourceID
  ) {
    self.type = type
    eventParameters = parameters
    self.relativeTime = relativeTime
    self.duration = duration
    audioResourceID = resource
  }
}

/// A parameter of an event.
public final class CHHapticEventParameter: NSObject {
  /// Which.
  public let parameterID: CHHapticEvent.ParameterID
  /// Its value; moved to the nearer end of its range when it is played.
  public var value: Float

  /// Makes a parameter.
  public init(parameterID: CHHapticEvent.ParameterID, value: Float) {
    self.parameterID = parameterID
    self.value = value
  }
}

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
