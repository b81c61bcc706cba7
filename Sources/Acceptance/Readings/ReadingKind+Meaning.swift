// SPDX-License-Identifier: Apache-2.0

public import JSONText
import Units

/// What a time is counted between.
public struct ReadingInterval: Sendable, Hashable {
  /// The instant at which it begins.
  public let from: String
  /// The instant at which it ends.
  public let to: String
  /// The clock that it is counted by.
  public let clock: String
  /// What is not in it, since it was taken off; `nil` where nothing was.
  public let without: String?

  fileprivate init(from: String, to: String, clock: String = drive, without: String? = nil) {
    (self.from, self.to, self.clock, self.without) = (from, to, clock, without)
  }

  /// The markers bring the capture's frames onto it.
  fileprivate static let drive = "the drive's frames"

  /// From which instant to which, by which clock and without what, as one clause.
  public var text: String {
    "from \(from) to \(to), by \(clock)" + (without.map { ", without \($0)" } ?? "")
  }
}

extension ReadingKind {
  /// From which instant to which a time is counted; `nil` of what is no time between two instants.
  public var interval: ReadingInterval? {
    let delays = "the electrical delay, the sensor's own and the coil's L/R where they are known"
    let ends = "the electrical delay and the transport"
    return switch self {
    case .latencyElectrical:
      ReadingInterval(
        from: "the commanded drive frame 0", to: "that frame on the captured reference")
    case .latencyTransport:
      ReadingInterval(
        from: "the drive on the captured reference", to: "the begin of the motion", without: delays)
    case .latencyRise:
      ReadingInterval(from: "10 % of the steady envelope", to: "90 % of it")
    case .latencyEvent:
      ReadingInterval(
        from: "the drive of the event on the captured reference", to: "the begin of its motion",
        without: delays)
    case .latencyOnset:
      ReadingInterval(
        from: "the commanded start of the event",
        to: "its own part of the response first passing 10 % of its own peak",
        without: "the electrical delay and the sensor's own")
    case .latencyTotal:
      ReadingInterval(
        from: "the commanded start of the event",
        to: "its own part of the response, as captured, first passing 10 % of its own peak",
        without: "the sensor's own delay")
    case .syncAudioHaptic:
      ReadingInterval(
        from: "the sound, less its commanded start", to: "the motion, less its commanded start",
        clock: "the capture's frames, both delays at one instant",
        without: "the sensor's own delay and the coil's L/R where they are known")
    case .decayError:
      ReadingInterval(
        from: "the intent falling below 10 % of its peak for good",
        to: "the response falling below 10 % of its own peak for good", without: ends)
    case .responseBraking:
      ReadingInterval(
        from: "the end of what the event asks for",
        to: "its response falling below 10 % of its own peak for good", without: ends)
    case .responseRise:
      ReadingInterval(
        from: "10 % of the highest swing of the event's own part of the response", to: "90 % of it")
    default: nil
    }
  }

  /// What a value above zero means; `nil` where there is no other side, or it goes without saying.
  public var positive: String? {
    switch self {
    case .latencyElectrical: "captured later than commanded"
    case .latencyTransport, .latencyEvent: "moves later than driven"
    case .latencyOnset, .latencyTotal: "felt later than commanded"
    case .syncAudioHaptic: "haptic after audio: the sound leads"
    case .drift: "the capture's clock runs fast"
    case .intensityError, .intensityJND: "stronger than asked"
    case .sharpnessError: "higher in frequency than asked"
    case .decayError: "ends later than asked"
    case .energyOutside: "more energy outside of events than inside"
    case .pulseToRing: "more energy in the pulse than in the ring"
    default: nil
    }
  }

  /// Whether it is an index: it rests on just noticeable differences as published.
  public var isIndex: Bool {
    switch self {
    case .intensityJND, .consistencyJ, .harmony, .harmonySync, .harmonyIntensity,
      .harmonySharpness, .harmonyDecay:
      true
    default: false
    }
  }

  /// Whether it follows from pattern, profile and limits alone: nothing of it was measured, so that no two
  /// runs of the same inputs differ in it.
  public var isReckoned: Bool {
    switch self {
    case .gamutOutside, .quantisationLevel, .quantisationFrequency, .quantisationSilenced,
      .quantisationProlonged, .quantisationDelay, .driveLimited, .mixingLimited, .profileLimited,
      .voicesDropped:
      true
    default: false
    }
  }

  /// Whether it holds the delay of drive and capture, which moves from one start of the devices to the next.
  public var movesFromStartToStart: Bool { self == .latencyElectrical || self == .latencyTotal }

  /// Whether takes scatter by more than a single one states of itself, so that two single takes tell nothing.
  ///
  /// Delays move from start to start; the others leave out how unsure the noise is that they divide by or take
  /// off, or the steps that they are read in.
  public var scattersBeyondStatement: Bool {
    switch self {
    case .responseSNR, .pulseToRing, .energyOutside, .harmonyOutside, .responseRise: true
    default: movesFromStartToStart
    }
  }

  /// All that is to be known of a reading, sentence by sentence.
  public var explanation: String {
    let more = [
      interval?.text, positive.map { "above zero: \($0)" },
      isIndex ? "it rests on published just noticeable differences" : nil,
    ]
    return ([definition] + more.compactMap(\.self)).joined(separator: "; ")
  }

  /// What it means, as records tell it once for all readings of the kind.
  public var json: JSONValue {
    let interval = interval
    return .object(present: [
      "definition": .string(definition),
      "from": (interval?.from).map(JSONValue.string), "to": (interval?.to).map(JSONValue.string),
      "clock": (interval?.clock).map(JSONValue.string),
      "without": (interval?.without).map(JSONValue.string),
      "positive": positive.map(JSONValue.string), "index": isIndex ? .bool(true) : nil,
    ])
  }

  /// The table of all readings for the documents, as Markdown.
  public static var markdownTable: String {
    table(["name", "unit", "definition", "above zero"]) { kind in
      [kind.unit.rawValue, kind.definition, kind.positive ?? ""]
    }
  }

  /// The table of times between instants for the documents, as Markdown.
  public static var markdownIntervals: String {
    table(["name", "from", "to", "by", "without"]) { kind in
      kind.interval.map { [$0.from, $0.to, $0.clock, $0.without ?? ""] }
    }
  }

  private static func table(
    _ titles: [String], _ cells: (ReadingKind) -> [String]?
  ) -> String {
    func row(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }
    return
      ([row(titles), row(titles.map { _ in "---" })]
      + allCases.compactMap { kind in
        cells(kind).map { row(["`\(kind.rawValue)`"] + $0) }
      }).joined(separator: "\n")
  }
}
