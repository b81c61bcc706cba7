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
