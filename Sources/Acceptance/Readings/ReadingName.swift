// SPDX-License-Identifier: Apache-2.0

import JSONText
public import Units

/// The quantities that haprig measures; the one table of their names, units and definitions.
public enum ReadingKind: String, Sendable, Hashable, CaseIterable {
  case latencyElectrical = "latency.electrical"
  case latencyTransport = "latency.transport"
  case latencyRise = "latency.rise"
  case latencyEvent = "latency.event"
  case latencyOnset = "latency.onset"
  case latencyTotal = "latency.total"
  case eventsScored = "events.scored"
  case eventsDropped = "events.dropped"
  case eventsLate = "events.late"
  case eventsExtra = "events.extra"
  case latencyJitter = "latency.jitter"
  case latencyJitterStream = "latency.jitter.stream"
  case latencyJitterRestarts = "latency.jitter.restarts"
  case syncAudioHaptic = "sync.audioHaptic"
  case drift
  case intensityError = "intensity.error"
  case intensityJND = "intensity.jnd"
  case intensityContrast = "intensity.contrast"
  case sharpnessError = "sharpness.error"
  case decayError = "decay.error"
  case consistencyJ = "consistency.j"
  case envelopeCorrelation = "envelope.correlation"
  case energyOutside = "energy.outside"
  case pulseToRing
  case gamutOutside = "gamut.outside"
  case quantisationLevel = "quantisation.level"
  case quantisationFrequency = "quantisation.frequency"
  case quantisationSilenced = "quantisation.silenced"
  case quantisationProlonged = "quantisation.prolonged"
  case quantisationDelay = "quantisation.delay"
  case dropouts
  case xruns
  case xrunsPerHour = "xruns.perHour"
  case overloads
  case noiseFloor = "noise.floor"
  case temperature
  case responsePeak = "response.peak"
  case responseRMS = "response.rms"
  case responseFrequency = "response.frequency"
  case responseRise = "response.rise"
  case responseBraking = "response.braking"
  case responseDistortion = "response.distortion"
  case responseSNR = "response.snr"
  case responseCrossAxis = "response.crossAxis"
  case driveLimited = "drive.limited"
  case mixingLimited = "mixing.limited"
  case profileLimited = "profile.limited"
  case voicesDropped = "voices.dropped"
  case harmony
  case harmonySync = "harmony.sync"
  case harmonyIntensity = "harmony.intensity"
  case harmonySharpness = "harmony.sharpness"
  case harmonyDecay = "harmony.decay"
  case harmonyEnvelope = "harmony.envelope"
  case harmonyOutside = "harmony.outside"

  /// The unit of the value.
  public var unit: MeasurementUnit {
    switch self {
    case .latencyElectrical, .latencyTransport, .latencyRise, .latencyEvent, .latencyOnset,
      .latencyTotal, .latencyJitter, .latencyJitterStream, .latencyJitterRestarts,
      .syncAudioHaptic, .decayError, .quantisationDelay, .responseRise, .responseBraking:
      .second
    case .drift: .partsPerMillion
    case .intensityError, .intensityContrast, .energyOutside, .pulseToRing, .quantisationLevel,
      .responseSNR:
      .decibel
    case .eventsScored, .intensityJND, .consistencyJ, .envelopeCorrelation, .gamutOutside,
      .quantisationSilenced, .quantisationProlonged, .harmony, .harmonySync, .harmonyIntensity,
      .harmonySharpness, .harmonyDecay, .harmonyEnvelope,
      .harmonyOutside, .responseDistortion, .responseCrossAxis:
      .one
    case .sharpnessError, .quantisationFrequency: .octave
    case .dropouts, .xruns, .xrunsPerHour, .overloads, .driveLimited, .mixingLimited,
      .profileLimited, .voicesDropped, .eventsDropped, .eventsLate, .eventsExtra:
      .count
    case .noiseFloor, .responsePeak, .responseRMS: .metrePerSecondSquared
    case .responseFrequency: .hertz
    case .temperature: .celsius
    }
  }

  /// The edition of the record's schema since which the definition holds: until 1 an onset was the passage
  /// of six sigma of the sensor's noise, and a peak had the noise in it.
  public var definedSince: Int {
    switch self {
    case .latencyOnset, .latencyTotal, .responsePeak: 1
    default: 0
    }
  }

  /// What the value means, in one sentence; its instants and its sign stand in `interval` and `positive`.
  public var definition: String {
    switch self {
    case .latencyElectrical: "delay of the drive path plus that of the capture path"
    case .latencyTransport:
      "pure delay from drive to motion, from a fit of delay, resonator and known sensor filter"
    case .latencyRise: "rise of the response to a step at resonance, from the same fit"
    case .latencyOnset: "when one event is felt to begin"
    case .latencyEvent:
      "transport of one event: its response against the one that the fit predicts for its drive, together with the events that overlap it"
    case .latencyTotal: "of one event: latency.onset with the electrical delay in it"
    case .eventsScored:
      "share of the events that drive the actuator which have both a time and a level, those told as dropped among them"
    case .eventsDropped:
      "events that drive the actuator and of which nothing came: surely 10 dB less than their drive asks for"
    case .eventsLate:
      "events whose response came surely more than 1 ms, and three standard uncertainties, after the chain's delay"
    case .eventsExtra:
      "responses of at least a tenth of the pattern's own that belong to no event"
    case .latencyJitter:
      "standard deviation of latency.electrical from start to start, over at least three takes, the estimates' own noise taken off"
    case .latencyJitterStream:
      "standard deviation of the electrical delay within a stream, by the markers at both ends of at least three takes, their common drift taken off"
    case .latencyJitterRestarts:
      "standard deviation of the mean latency.electrical from one opening of the devices to the next, over at least three"
    case .syncAudioHaptic:
      "haptic less audio delay at an audio event; an offset that the pattern asks for is no error"
    case .drift: "the capture's clock against the drive's, from the markers at both ends"
    case .intensityError:
      "level of an event against what the intent asks of the law and reference level in the record"
    case .intensityContrast:
      "root mean square of the events' intensity.error about their mean: how well a take keeps the differences in level that the pattern asks for, whatever its loudness"
    case .intensityJND: "level index: intensity.error in just noticeable differences of 2.2 dB"
    case .sharpnessError: "dominant frequency of an event against the sharpness law's"
    case .decayError:
      "how much later than the intent the response ends"
    case .consistencyJ:
      "consistency index J: intensity.error and sharpness.error together, in just noticeable differences of 2.2 dB and 18 %"
    case .envelopeCorrelation:
      "Pearson correlation of the response's envelope with the intent's, latency removed"
    case .energyOutside:
      "energy of the response outside events against inside, noise taken off both"
    case .pulseToRing: "energy of a tap's pulse against the ring after it, noise taken off both"
    case .gamutOutside: "share of the intent that the actuator cannot reach"
    case .quantisationLevel:
      "of a drive that makes tones by commands: root mean square of its level against the intent's, while both are driven"
    case .quantisationFrequency:
      "of a drive that makes tones by commands: root mean square of its frequency against the intent's, while both are driven"
    case .quantisationSilenced:
      "of a drive that makes tones by commands: share of the time that the intent drives in which it is silent"
    case .quantisationProlonged:
      "of a drive that makes tones by commands: share of the time that the intent is silent in which it drives"
    case .quantisationDelay:
      "of a drive that makes tones by commands: how far a command may lie from what it expresses, one update interval"
    case .dropouts: "captured stretches that were lost"
    case .xruns: "underruns of the drive and overruns of the capture"
    case .xrunsPerHour:
      "the most xruns an hour of stream that the run is compatible with at 95 %; none in T hours: 3 / T"
    case .overloads: "stretches in which a converter or sensor was at its end"
    case .noiseFloor: "RMS of the response while nothing is driven, mean taken off"
    case .temperature:
      "mean temperature over the takes, as the rig's own thermometer told it from just before each to just after"
    case .responsePeak: "largest acceleration of an event, 20 to 1000 Hz"
    case .responseRMS:
      "RMS acceleration of an event over its length, 20 to 1000 Hz, noise taken off"
    case .responseFrequency: "frequency that holds most of an event's power"
    case .responseRise: "rise of an event's own part of the response"
    case .responseBraking: "how long an event's response outlasts what it asks for"
    case .responseDistortion:
      "harmonics 2 to 5 of a vibration over its fundamental, root of the powers' ratio, 20 to 1000 Hz"
    case .responseSNR: "RMS acceleration of an event over that of the noise, 20 to 1000 Hz"
    case .responseCrossAxis:
      "RMS acceleration of an event across the axis over that along it, noise taken off both"
    case .driveLimited: "drive samples that the actuator's limits held back"
    case .mixingLimited: "drive samples above full scale that the mixing law bent"
    case .profileLimited:
      "drive samples that the profile's inverse filter held at its peak voltage"
    case .voicesDropped: "events that were left out: more were in force than there are voices"
    case .harmony:
      "harmony index, 1 to 100 points: the weighted geometric mean of its parts below; of a take, and of a pattern over its takes"
    case .harmonySync:
      "part of the harmony index for sync.audioHaptic: 50 points at 24 ms, where audio leads at 12 ms"
    case .harmonyIntensity:
      "part of the harmony index for intensity.error, without a profile for intensity.contrast: 50 points at 2.2 dB"
    case .harmonySharpness:
      "part of the harmony index for sharpness.error: 50 points at 18 % of the frequency"
    case .harmonyDecay: "part of the harmony index for decay.error: 50 points at 57 ms"
    case .harmonyEnvelope:
      "part of the harmony index for envelope.correlation: the share of variance that it explains"
    case .harmonyOutside:
      "part of the harmony index for energy.outside: the share of energy inside events"
    }
  }
}

/// The name of a reading: a quantity, taken of the product or of the control.
public struct ReadingName: Sendable, Hashable, CustomStringConvertible {
  /// The quantity.
  public let kind: ReadingKind
  /// Whether it was taken of the A/A control instead of the device under test.
  public let isControl: Bool

  /// Makes a name.
  public init(_ kind: ReadingKind, isControl: Bool = false) {
    self.kind = kind
    self.isControl = isControl
  }

  /// Reads a name as records and plans write it.
  public init?(_ text: String) {
    let control = text.hasPrefix("control.")
    guard let kind = ReadingKind(rawValue: control ? String(text.dropFirst(8)) : text) else {
      return nil
    }
    self.init(kind, isControl: control)
  }

  static let form = JSONForm<ReadingName> { field throws(RunRecordError) in
    let text = try field.string()
    guard let name = ReadingName(text) else {
      throw field.error(
        "\(field.path) is '\(text)', which is no reading that this version of haprig knows")
    }
    return name
  } _: {
    .string($0.description)
  }

  /// The name as records and plans write it.
  public var description: String { (isControl ? "control." : "") + kind.rawValue }
}

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
      .responseSNR, .temperature:
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
