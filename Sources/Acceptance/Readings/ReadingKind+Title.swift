// SPDX-License-Identifier: Apache-2.0

extension ReadingKind {
  /// The name as people read it, in plain words and lower case; no two kinds share one.
  ///
  /// Plans, records and everything that programs read say the raw value instead.
  public var title: String {
    switch self {
    case .latencyElectrical: "electrical delay"
    case .latencyTransport: "delay to motion"
    case .latencyRise: "rise at resonance"
    case .latencyEvent: "event's delay to motion"
    case .latencyOnset: "felt start"
    case .latencyTotal: "felt start with electrical delay"
    case .eventsScored: "events scored"
    case .eventsDropped: "events dropped"
    case .eventsLate: "events late"
    case .eventsExtra: "extra responses"
    case .latencyJitter: "jitter from start to start"
    case .latencyJitterStream: "jitter within a stream"
    case .latencyJitterRestarts: "jitter between openings"
    case .syncAudioHaptic: "sound-to-touch sync"
    case .drift: "clock drift"
    case .intensityError: "level error"
    case .intensityJND: "level error in noticeable steps"
    case .intensityContrast: "contrast error"
    case .sharpnessError: "sharpness error"
    case .decayError: "late ending"
    case .consistencyJ: "consistency index"
    case .envelopeCorrelation: "envelope match"
    case .energyOutside: "energy outside events"
    case .pulseToRing: "pulse against ring"
    case .gamutOutside: "out of reach"
    case .quantisationLevel: "command steps in level"
    case .quantisationFrequency: "command steps in frequency"
    case .quantisationSilenced: "silenced by commands"
    case .quantisationProlonged: "prolonged by commands"
    case .quantisationDelay: "command interval"
    case .dropouts: "lost stretches"
    case .xruns: "underruns and overruns"
    case .xrunsPerHour: "underruns and overruns an hour"
    case .overloads: "overloads"
    case .noiseFloor: "noise at rest"
    case .temperature: "temperature"
    case .responsePeak: "peak acceleration"
    case .responseRMS: "RMS acceleration"
    case .responseFrequency: "felt frequency"
    case .responseRise: "rise of the response"
    case .responseBraking: "braking time"
    case .responseDistortion: "distortion"
    case .responseSNR: "signal to noise"
    case .responseCrossAxis: "motion across the axis"
    case .driveLimited: "samples held back by limits"
    case .mixingLimited: "samples bent by mixing"
    case .profileLimited: "samples held at peak voltage"
    case .voicesDropped: "events without a voice"
    case .harmony: "harmony index"
    case .harmonySync: "harmony of sync"
    case .harmonyIntensity: "harmony of level"
    case .harmonySharpness: "harmony of sharpness"
    case .harmonyDecay: "harmony of endings"
    case .harmonyEnvelope: "harmony of envelope"
    case .harmonyOutside: "harmony of silence"
    }
  }
}

extension ReadingName {
  /// The name as people read it, `control: electrical delay` of the control.
  public var title: String { (isControl ? "control: " : "") + kind.title }
}
