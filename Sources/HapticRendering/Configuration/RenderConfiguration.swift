public import Perception
public import Units

/// Everything that decides how a timeline becomes samples, by name; records carry it.
public struct RenderConfiguration: Sendable, Equatable {
  /// What the actuator is driven with.
  public enum Waveform: String, Sendable, Hashable {
    /// A tone at the frequency of the sharpness: resonant actuators, voice coils, piezo.
    case tone
    /// The strength itself as a voltage: eccentric rotating masses.
    case level
  }

  /// Frames a second.
  public var rate: SampleRate
  /// What the actuator is driven with.
  public var waveform: Waveform
  /// Sharpness to frequency.
  public var sharpnessLaw: SharpnessLaw
  /// Intensity to amplitude.
  public var intensityLaw: IntensityLaw
  /// Attack, decay and release to seconds.
  public var envelopeLaw: EnvelopeLaw
  /// How a transient is drawn.
  public var transientShape: TransientShape
  /// How events that sound together become one drive.
  public var mixingLaw: MixingLaw
  /// The drive of intensity 1: the safe full scale as a share of the device's.
  public var fullScale: Double
  /// Whether `HapticSharpnessControl` moves transients too; Apple's article says no.
  public var sharpnessControlMovesTransients: Bool
  /// The pitch of an `AudioContinuous` event at `AudioPitch` 0, in hertz; Apple publishes none.
  public var toneFrequency: Double
  /// How many events may sound at once; further ones are left out, counted and named
  /// (`HapticRenderer.droppedEventIndices`).
  public var voiceLimit: Int
  /// The profile of the actuator; `nil` drives it uncalibrated, by shares of the full scale.
  public var profile: ProfileRendering?

  /// Makes a configuration; what is not given has haprig's documented default.
  public init(
    rate: SampleRate = .standard, waveform: Waveform = .tone,
    sharpnessLaw: SharpnessLaw = .log80To230, intensityLaw: IntensityLaw = .square,
    envelopeLaw: EnvelopeLaw = .standard, transientShape: TransientShape = .standard,
    mixingLaw: MixingLaw = .standard, fullScale: Double = 1,
    sharpnessControlMovesTransients: Bool = false,
    toneFrequency: Double = 220, voiceLimit: Int = 128, profile: ProfileRendering? = nil
  ) {
    self.rate = rate
    self.waveform = waveform
    self.sharpnessLaw = sharpnessLaw
    self.intensityLaw = intensityLaw
    self.envelopeLaw = envelopeLaw
    self.transientShape = transientShape
    self.mixingLaw = mixingLaw
    self.fullScale = fullScale
    self.sharpnessControlMovesTransients = sharpnessControlMovesTransients
    self.toneFrequency = toneFrequency
    self.voiceLimit = voiceLimit
    self.profile = profile
  }

  /// The names of the laws, as records carry them.
  public var lawNames: [String: String] {
    [
      "sharpness": sharpnessLaw.name, "intensity": intensityLaw.name,
      "envelope": envelopeLaw.name, "transient": transientShape.name,
      "mixing": mixingLaw.name, "waveform": waveform.rawValue, "tone": "\(toneFrequency) Hz",
      "sharpnessControlOnTransients": sharpnessControlMovesTransients ? "yes" : "no",
    ]
  }
}
