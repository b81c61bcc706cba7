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
  /// A sound by its path, as an AHAP file names it.
  let waveform: Waveform?

  /// A sound file as an AHAP file names it.
  struct Waveform: Hashable {
    var path: String
    var useVolumeEnvelope = true
    var loopEnabled = false
  }

  /// Makes an event that lasts as long as its type does.
  public convenience init(
    eventType: EventType, parameters: [CHHapticEventParameter], relativeTime: TimeInterval
  ) {
    self.init(eventType: eventType, parameters: parameters, relativeTime: relativeTime, duration: 0)
  }

  /// Makes an event of a duration in seconds.
  public convenience init(
    eventType: EventType, parameters: [CHHapticEventParameter], relativeTime: TimeInterval,
    duration: TimeInterval
  ) {
    self.init(
      type: eventType, parameters: parameters, relativeTime: relativeTime, duration: duration,
      resource: 0, waveform: nil)
  }

  /// Makes a sound of an audio resource.
  public convenience init(
    audioResourceID resID: CHHapticAudioResourceID, parameters: [CHHapticEventParameter],
    relativeTime: TimeInterval
  ) {
    self.init(
      audioResourceID: resID, parameters: parameters, relativeTime: relativeTime, duration: 0)
  }

  /// Makes a sound of an audio resource, of a duration in seconds.
  public convenience init(
    audioResourceID resID: CHHapticAudioResourceID, parameters: [CHHapticEventParameter],
    relativeTime: TimeInterval, duration: TimeInterval
  ) {
    self.init(
      type: .audioCustom, parameters: parameters, relativeTime: relativeTime, duration: duration,
      resource: resID, waveform: nil)
  }

  init(
    type: EventType, parameters: [CHHapticEventParameter], relativeTime: TimeInterval,
    duration: TimeInterval, resource: CHHapticAudioResourceID, waveform: Waveform?
  ) {
    self.type = type
    eventParameters = parameters
    self.relativeTime = relativeTime
    self.duration = duration
    audioResourceID = resource
    self.waveform = waveform
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
