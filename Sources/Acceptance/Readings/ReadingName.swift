public import Units

/// The quantities that haprig measures; the one table of their names, units and definitions.
public enum ReadingKind: String, Sendable, Hashable, CaseIterable {
  case latencyElectrical = "latency.electrical"
  case latencyTransport = "latency.transport"
  case latencyRise = "latency.rise"
  case latencyOnset = "latency.onset"
  case latencyJitter = "latency.jitter"
  case syncAudioHaptic = "sync.audioHaptic"
  case drift
  case intensityError = "intensity.error"
  case intensityJND = "intensity.jnd"
  case sharpnessError = "sharpness.error"
  case decayError = "decay.error"
  case consistencyJ = "consistency.j"
  case envelopeCorrelation = "envelope.correlation"
  case energyOutside = "energy.outside"
  case pulseToRing
  case gamutOutside = "gamut.outside"
  case dropouts
  case xruns
  case overloads
  case noiseFloor = "noise.floor"
  case responsePeak = "response.peak"
  case responseRMS = "response.rms"
  case responseFrequency = "response.frequency"
  case driveLimited = "drive.limited"
  case mixingLimited = "mixing.limited"
  case voicesDropped = "voices.dropped"

  /// The unit of the value.
  public var unit: MeasurementUnit {
    switch self {
    case .latencyElectrical, .latencyTransport, .latencyRise, .latencyOnset, .latencyJitter,
      .syncAudioHaptic, .decayError:
      .second
    case .drift: .partsPerMillion
    case .intensityError, .energyOutside, .pulseToRing: .decibel
    case .intensityJND, .consistencyJ, .envelopeCorrelation, .gamutOutside: .one
    case .sharpnessError: .octave
    case .dropouts, .xruns, .overloads, .driveLimited, .mixingLimited, .voicesDropped: .count
    case .noiseFloor, .responsePeak, .responseRMS: .metrePerSecondSquared
    case .responseFrequency: .hertz
    }
  }

  /// What the value means, in one sentence; errors are measured minus intended.
  public var definition: String {
    switch self {
    case .latencyElectrical:
      "commanded sample index to the reference as captured, at the first drive frame: drive path plus capture path"
    case .latencyTransport:
      "the response after the reference: the pure delay of a fit of delay, resonator and known sensor filter, less the sensor's own delay"
    case .latencyRise:
      "10-90 % of the response's envelope to a step at resonance, from the same fit"
    case .latencyOnset:
      "of an isolated event: commanded time to the first response above six sigma of the noise floor, interpolated back, electrical delay removed"
    case .latencyJitter:
      "standard deviation of latency.electrical from start to start, over at least three takes"
    case .syncAudioHaptic:
      "haptic minus audio delay of an audio event against its commanded time; an offset that the pattern asks for is no error"
    case .drift: "the capture's clock against the drive's, from the markers at both ends"
    case .intensityError:
      "level of an event against what the intent asks of the law and reference level in the record"
    case .intensityJND: "intensity.error in just noticeable differences of 2.2 dB"
    case .sharpnessError: "dominant frequency of an event against the sharpness law's"
    case .decayError: "time from the intended end to 10 % of the peak, less the intended"
    case .consistencyJ: "intensity and sharpness error together, in just noticeable differences"
    case .envelopeCorrelation:
      "Pearson correlation of the response's envelope with the intent's, latency removed"
    case .energyOutside:
      "energy of the response outside events against inside, noise taken off both"
    case .pulseToRing: "energy of a tap's pulse against the ring after it, noise taken off both"
    case .gamutOutside: "share of the intent that the actuator cannot reach"
    case .dropouts: "captured stretches that were lost"
    case .xruns: "underruns of the drive and overruns of the capture"
    case .overloads: "stretches in which a converter or sensor was at its end"
    case .noiseFloor: "RMS of the response while nothing is driven, mean taken off"
    case .responsePeak: "largest acceleration of an event, 20 to 1000 Hz"
    case .responseRMS:
      "RMS acceleration of an event over its length, 20 to 1000 Hz, noise taken off"
    case .responseFrequency: "frequency that holds most of an event's power"
    case .driveLimited: "drive samples that the actuator's limits held back"
    case .mixingLimited: "drive samples above full scale that the mixing law bent"
    case .voicesDropped: "events that were left out: more were in force than there are voices"
    }
  }

  /// The table for the documents, as Markdown.
  public static var markdownTable: String {
    var rows = ["| name | unit | definition |", "| --- | --- | --- |"]
    for kind in allCases {
      rows.append("| `\(kind.rawValue)` | \(kind.unit.rawValue) | \(kind.definition) |")
    }
    return rows.joined(separator: "\n")
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

  /// The name as records and plans write it.
  public var description: String { (isControl ? "control." : "") + kind.rawValue }
}
