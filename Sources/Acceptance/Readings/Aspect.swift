/// What a reading or a verdict is about: a run has a verdict of each, side by side.
public enum Aspect: String, Sendable, Hashable, CaseIterable {
  /// Whether the measurement went well: frames, clocks, sensor, setup, how much was scored.
  case rig
  /// When things happened: latencies, jitter, sync.
  case timing
  /// How it feels: levels, sharpness, decay, envelope, harmony, events dropped or extra.
  case feel

  /// The name as people read it.
  public var title: String {
    switch self {
    case .rig: "Rig"
    case .timing: "Timing"
    case .feel: "Feel"
    }
  }
}

extension ReadingKind {
  /// The aspect that a reading of the product belongs to.
  public var aspect: Aspect {
    switch self {
    case .dropouts, .xruns, .xrunsPerHour, .overloads, .drift, .noiseFloor, .eventsScored,
      .responseSNR:
      .rig
    case .latencyElectrical, .latencyTransport, .latencyRise, .latencyEvent, .latencyOnset,
      .latencyTotal, .latencyJitter, .latencyJitterStream, .latencyJitterRestarts, .eventsLate,
      .syncAudioHaptic, .harmonySync, .quantisationDelay:
      .timing
    case .eventsDropped, .eventsExtra, .intensityError, .intensityJND, .intensityContrast,
      .sharpnessError, .decayError, .consistencyJ, .envelopeCorrelation, .energyOutside,
      .pulseToRing, .gamutOutside, .quantisationLevel, .quantisationFrequency,
      .quantisationSilenced, .quantisationProlonged, .responsePeak, .responseRMS,
      .responseFrequency, .responseRise, .responseBraking, .responseDistortion,
      .responseCrossAxis, .driveLimited, .mixingLimited, .profileLimited, .voicesDropped, .harmony,
      .harmonyIntensity, .harmonySharpness, .harmonyDecay, .harmonyEnvelope, .harmonyOutside:
      .feel
    }
  }
}

extension ReadingName {
  /// The aspect that the reading belongs to; what a control tells is of the rig, whatever its kind.
  public var aspect: Aspect { isControl ? .rig : kind.aspect }
}
