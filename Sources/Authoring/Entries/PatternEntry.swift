// SPDX-License-Identifier: Apache-2.0

public import AHAP

/// An entry of `Pattern` as a page shows it: values as they are written, nil where they are not.
///
/// Values out of range are not limited here; the reader says what is used instead.
public struct PatternEntry: Sendable, Hashable {
  /// What an entry is, by one word.
  public enum Kind: String, Sendable, CaseIterable {
    case transient
    case continuous
    /// A sound: the file of its ``PatternEntry/path``, without one the built-in sound.
    case audio
    /// A step of a dynamic parameter.
    case parameter
    case curve
    /// What an editor cannot show as one of the others: a type that is not known, several things in one
    /// entry, a curve of which some point is none. It can be removed, copied, and edited as text.
    case other

    /// Whether this is an event.
    public var isEvent: Bool { self == .transient || self == .continuous || self == .audio }
  }

  /// What the entry is.
  public var kind: Kind
  /// The time in seconds from the start of the pattern; 0 where none is written.
  public var time: Double
  /// The duration of an event in seconds.
  public var duration: Double?
  /// The parameters of an event.
  public var parameters: EventParameters
  /// The sound file of an `audio` event, below the pattern's bundle.
  public var path: String?
  /// Whether the sound is ramped in and out.
  public var envelope: Bool?
  /// Whether the sound repeats for the event's duration.
  public var loop: Bool?
  /// The ID of the dynamic parameter that a step or a curve changes.
  public var parameter: String?
  /// The value of a step.
  public var value: Double?
  /// The points of a curve as they stand in the text, their times from the curve's own.
  public var points: [ParameterCurve.Point]?

  /// Creates an entry.
  public init(
    kind: Kind, time: Double, duration: Double? = nil,
    parameters: EventParameters = EventParameters(), path: String? = nil, envelope: Bool? = nil,
    loop: Bool? = nil, parameter: String? = nil, value: Double? = nil,
    points: [ParameterCurve.Point]? = nil
  ) {
    self.kind = kind
    self.time = time
    self.duration = duration
    self.parameters = parameters
    self.path = path
    self.envelope = envelope
    self.loop = loop
    self.parameter = parameter
    self.value = value
    self.points = points
  }

  /// The `EventType` of an event.
  var eventType: HapticEvent.Kind? {
    switch kind {
    case .transient: .hapticTransient
    case .continuous: .hapticContinuous
    case .audio: path == nil ? .audioContinuous : .audioCustom
    case .parameter, .curve, .other: nil
    }
  }

  /// The dynamic parameter, where its ID is one.
  var dynamicID: DynamicParameterID? { parameter.flatMap(DynamicParameterID.init) }
}

/// A property of an entry; the raw values are the names that pages use.
public enum EntryKey: String, Sendable, CaseIterable {
  case kind
  case time
  case duration
  case intensity
  case sharpness
  case attack
  case decay
  case release
  case sustained
  case volume
  case pan
  case pitch
  case brightness
  case path
  case envelope
  case loop
  case parameter
  case value

  /// The event parameter that the key stands for.
  var eventParameter: EventParameterID? {
    switch self {
    case .intensity: .hapticIntensity
    case .sharpness: .hapticSharpness
    case .attack: .attackTime
    case .decay: .decayTime
    case .release: .releaseTime
    case .sustained: .sustained
    case .volume: .audioVolume
    case .pan: .audioPan
    case .pitch: .audioPitch
    case .brightness: .audioBrightness
    default: nil
    }
  }

  /// The keys of event parameters, in the order in which they are written.
  static let eventParameters: [(key: EntryKey, id: EventParameterID)] = allCases.compactMap { key in
    key.eventParameter.map { (key, $0) }
  }

  /// Whether entries of a kind have the property.
  func belongs(to kind: PatternEntry.Kind) -> Bool {
    switch self {
    case .time: kind != .other
    case .parameter: kind == .parameter || kind == .curve
    case .value: kind == .parameter
    default: kind.isEvent
    }
  }
}

/// A value of a property.
public enum EntryValue: Sendable, Hashable {
  case number(Double)
  case flag(Bool)
  case text(String)

  var number: Double? { if case .number(let value) = self { value } else { nil } }

  var text: String? { if case .text(let value) = self { value } else { nil } }

  /// The flag, also where it is written as 0 or 1.
  var flag: Bool? {
    switch self {
    case .flag(let value): value
    case .number(let value) where value == 0 || value == 1: value == 1
    default: nil
    }
  }
}
