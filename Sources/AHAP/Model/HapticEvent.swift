// SPDX-License-Identifier: Apache-2.0

/// One haptic or audio event of a pattern.
public struct HapticEvent: Sendable, Hashable {
  /// What kind of event this is; the raw values are the `EventType`s in a file.
  public enum Kind: String, Sendable, CaseIterable {
    /// A tap whose length the system chooses.
    case hapticTransient = "HapticTransient"
    /// A vibration of the event's duration.
    case hapticContinuous = "HapticContinuous"
    /// A built-in sound of the event's duration.
    case audioContinuous = "AudioContinuous"
    case audioCustom = "AudioCustom"

    /// Whether the event plays on the actuator or as sound; never both.
    public var domain: ParameterDomain {
      self == .hapticTransient || self == .hapticContinuous ? .haptic : .audio
    }

    /// Whether an event of this kind must have a duration.
    public var isContinuous: Bool { self == .hapticContinuous || self == .audioContinuous }
  }

  /// The longest duration of a continuous event in seconds.
  public static let longestDuration = 30.0

  /// What kind of event this is.
  public var kind: Kind
  /// The start in seconds from the start of the pattern.
  public var time: Double
  /// The duration in seconds as written, up to the start of the release; always given for a
  /// continuous event that was read.
  public var duration: Double?
  /// The sound file of an `audioCustom` event, below the pattern's bundle.
  public var waveformPath: String?
  /// Whether the sound is ramped in and out.
  public var useVolumeEnvelope: Bool
  /// Whether the sound repeats for the event's duration.
  public var loopEnabled: Bool
  /// The parameters that are given, within their ranges.
  public var parameters: EventParameters
  /// The rank among the entries of the pattern: of two at one time the higher one wins.
  public var order: Int
  /// Where the event stands in its file.
  public var source: SourceMark

  /// Creates an event.
  public init(
    kind: Kind, time: Double, duration: Double? = nil, waveformPath: String? = nil,
    useVolumeEnvelope: Bool = true, loopEnabled: Bool = false,
    parameters: EventParameters = EventParameters(), order: Int = 0,
    source: SourceMark = SourceMark()
  ) {
    self.kind = kind
    self.time = time
    self.duration = duration
    self.waveformPath = waveformPath
    self.useVolumeEnvelope = useVolumeEnvelope
    self.loopEnabled = loopEnabled
    self.parameters = parameters
    self.order = order
    self.source = source
  }

  /// The end in seconds from the start of the pattern; the start where no duration is given.
  public var end: Double { time + (duration ?? 0) }

  /// The value of a parameter: as written, else the default of the event's kind.
  public func value(of id: EventParameterID, defaults: EventDefaults = .apple) -> Double {
    parameters[id] ?? defaults.value(of: id, for: kind)
  }

  /// All parameters: as written, else the defaults of the event's kind.
  public func resolved(defaults: EventDefaults = .apple) -> ResolvedParameters {
    ResolvedParameters { value(of: $0, defaults: defaults) }
  }
}

/// What a parameter acts on.
public enum ParameterDomain: String, Sendable, CaseIterable {
  case haptic
  case audio
  /// The envelopes of haptic and audio events alike.
  case both
}

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
  case audioVolume = "AudioVolume"
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

/// The parameters of an event as written, each nil where the file leaves it out.
public typealias EventParameters = EventValues<Double?>

/// The parameters of an event with a value for each of them.
public typealias ResolvedParameters = EventValues<Double>

/// Something for each parameter of an event.
public struct EventValues<Value: Sendable & Hashable>: Sendable, Hashable {
  /// `HapticIntensity`, 0 to 1.
  public var intensity: Value
  /// `HapticSharpness`, 0 to 1.
  public var sharpness: Value
  /// `AttackTime`, 0 to 1, no unit.
  public var attackTime: Value
  /// `DecayTime`, 0 to 1, no unit.
  public var decayTime: Value
  /// `ReleaseTime`, 0 to 1, no unit.
  public var releaseTime: Value
  /// `Sustained`, 0 or 1.
  public var sustained: Value
  /// `AudioVolume`, 0 to 1.
  public var audioVolume: Value
  /// `AudioPitch`, -1 to 1.
  public var audioPitch: Value
  /// `AudioPan`, -1 to 1.
  public var audioPan: Value
  /// `AudioBrightness`, 0 to 1.
  public var audioBrightness: Value

  /// The value of a parameter by its ID.
  public subscript(id: EventParameterID) -> Value {
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
}

extension EventValues {
  init(_ value: (EventParameterID) -> Value) {
    intensity = value(.hapticIntensity)
    sharpness = value(.hapticSharpness)
    attackTime = value(.attackTime)
    decayTime = value(.decayTime)
    releaseTime = value(.releaseTime)
    sustained = value(.sustained)
    audioVolume = value(.audioVolume)
    audioPitch = value(.audioPitch)
    audioPan = value(.audioPan)
    audioBrightness = value(.audioBrightness)
  }
}

extension EventValues<Double?> {
  /// Creates parameters of which at most the two of most haptic events are given.
  public init(intensity: Double? = nil, sharpness: Double? = nil) {
    self.init { _ in nil }
    self.intensity = intensity
    self.sharpness = sharpness
  }

  /// Whether no parameter is given.
  public var isEmpty: Bool { self == Self() }
}

extension EventValues<Double> {
  /// Whether the level holds for the event's duration.
  public var isSustained: Bool { sustained >= 0.5 }
}

/// The values of the event parameters that a file leaves out.
///
/// A device may have others; whoever knows them passes its own.
public struct EventDefaults: Sendable, Hashable {
  /// What the defaults are called in a record of their use.
  public var name: String
  /// Those of a transient.
  public var transient: ResolvedParameters
  /// Those of any other event.
  public var others: ResolvedParameters

  /// The table of Apple's Unity plug-in (`CHCapabilities_Unsupported`), but for `Sustained`, where
  /// Apple's header says 1.
  public static let apple = Self(
    name: "apple", transient: appleValues(intensity: 0.75, sharpness: 0.5),
    others: appleValues(intensity: 0.6, sharpness: 0.422601))

  private static func appleValues(intensity: Double, sharpness: Double) -> ResolvedParameters {
    ResolvedParameters(
      intensity: intensity, sharpness: sharpness, attackTime: 0, decayTime: 0, releaseTime: 0,
      sustained: 1, audioVolume: 1, audioPitch: 0, audioPan: 0, audioBrightness: 1)
  }

  /// The value of a parameter for a kind of event.
  public func value(of id: EventParameterID, for kind: HapticEvent.Kind) -> Double {
    kind == .hapticTransient ? transient[id] : others[id]
  }
}
