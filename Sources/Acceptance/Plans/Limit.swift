// SPDX-License-Identifier: Apache-2.0

public import JSONText
import Units

/// What a reading must satisfy.
public struct Limit: Sendable, Equatable {
  /// The shape of what is allowed; all numbers in the SI unit of the reading, decibels, octaves and ppm as they are.
  public enum Bound: Sendable, Equatable {
    /// At most `fail`; above `marginal` it is marginal.
    case below(Double, marginal: Double?)
    /// At least `fail`; below `marginal` it is marginal.
    case above(Double, marginal: Double?)
    /// At most `fail` either side of zero; beyond `marginal` it is marginal.
    case within(Double, marginal: Double?)
    /// The bands of audio-haptic sync: to 10 ms pass, to 24 ms marginal, beyond fail; halved where audio leads.
    case syncBands
  }

  /// The reading that is judged.
  public var reading: ReadingName
  /// What is allowed.
  public var bound: Bound
  /// Whether a pattern without one measured reading of this name spoils the run.
  public var required: Bool
  /// The patterns it holds for; empty for all.
  public var patterns: [String]
  /// Whether it holds of calibrated runs alone: without a profile it judges nothing and asks for nothing.
  public var isCalibratedOnly: Bool

  /// Makes a limit.
  public init(
    _ reading: ReadingName, _ bound: Bound, required: Bool = true, patterns: [String] = [],
    isCalibratedOnly: Bool = false
  ) {
    self.reading = reading
    self.bound = bound
    self.required = required
    self.patterns = patterns
    self.isCalibratedOnly = isCalibratedOnly
  }

  /// What the limit is about.
  public var aspect: Aspect { reading.aspect }

  /// Whether the limit holds for a pattern; run-wide readings answer to limits for all patterns.
  public func applies(to pattern: String?) -> Bool {
    patterns.isEmpty || pattern.map(patterns.contains) ?? false
  }

  /// The limit in words, with its unit.
  public var text: String {
    let unit = reading.kind.unit
    func show(_ value: Double) -> String { EngineeringFormat.text(value, unit) }
    func band(_ marginal: Double?) -> String { marginal.map { ", marginal at \(show($0))" } ?? "" }
    return switch bound {
    case .below(let limit, let marginal): "at most \(show(limit))\(band(marginal))"
    case .above(let limit, let marginal): "at least \(show(limit))\(band(marginal))"
    case .within(let limit, let marginal): "within ±\(show(limit))\(band(marginal))"
    case .syncBands: "within 10 ms, marginal to 24 ms, halved where audio leads"
    }
  }

  /// Judges a value with its standard uncertainty.
  ///
  /// A value inside its limit that two standard uncertainties would take outside is marginal.
  public func judge(_ value: Double, uncertainty: Double?) -> Verdict {
    let doubt = 2 * max(0, uncertainty ?? 0)
    switch bound {
    case .below(let limit, let marginal):
      return grade(value, fail: limit, marginal: marginal ?? limit, doubt: doubt)
    case .above(let limit, let marginal):
      return grade(-value, fail: -limit, marginal: -(marginal ?? limit), doubt: doubt)
    case .within(let limit, let marginal):
      return grade(abs(value), fail: limit, marginal: marginal ?? limit, doubt: doubt)
    case .syncBands: return SyncBand(offset: value).verdict
    }
  }

  private func grade(_ value: Double, fail: Double, marginal: Double, doubt: Double) -> Verdict {
    if value > fail { return .fail }
    if value > marginal || value + doubt > fail { return .marginal }
    return .pass
  }

  /// The limit in numbers: `below`, `above` or `within` with `marginal` and `unit`, or `bands`; `calibrated` where it
  /// holds of calibrated runs alone.
  public var json: JSONValue {
    let (shape, value, marginal): (String, JSONValue?, Double?) =
      switch bound {
      case .below(let value, let marginal): ("below", .finite(value), marginal)
      case .above(let value, let marginal): ("above", .finite(value), marginal)
      case .within(let value, let marginal): ("within", .finite(value), marginal)
      case .syncBands: ("bands", .string(Self.syncBandsName), nil)
      }
    return .object(present: [
      "reading": ReadingName.form.json(reading),
      shape: value,
      "marginal": marginal.flatMap(JSONValue.finite),
      "unit": .string(reading.kind.unit.rawValue),
      "required": .bool(required),
      "patterns": patterns.isEmpty ? nil : .array(patterns.map(JSONValue.string)),
      "calibrated": isCalibratedOnly ? .bool(true) : nil,
    ])
  }

  static let form = JSONForm<Limit>(
    { field throws(RunRecordError) in
      Limit(
        try ReadingName.form.member("reading", of: field), try bound(field),
        required: try field["required"].bool(),
        patterns: try JSONForm.texts.member("patterns", of: field),
        isCalibratedOnly: try field.member("calibrated")?.bool() ?? false)
    }, \.json)

  private static let syncBandsName = "sync"

  private static func bound(_ field: JSONField) throws(RunRecordError) -> Bound {
    let marginal = try field.member("marginal")?.number()
    if let limit = try field.member("below")?.number() { return .below(limit, marginal: marginal) }
    if let limit = try field.member("above")?.number() { return .above(limit, marginal: marginal) }
    if let limit = try field.member("within")?.number() {
      return .within(limit, marginal: marginal)
    }
    guard let bands = try field.member("bands"), try bands.string() == syncBandsName else {
      throw field.error(
        "\(field.path) has no bound: give it one of 'below', 'above', 'within' or 'bands': 'sync'")
    }
    return .syncBands
  }
}

/// How much of an audio-haptic offset people notice, from none to all of it.
public enum SyncBand: String, Sendable, Hashable, CaseIterable {
  /// To 1 ms.
  case green
  /// To 10 ms.
  case amber
  /// To 24 ms.
  case orange
  /// Beyond.
  case red

  /// The band of an offset in seconds, haptic minus audio.
  ///
  /// Where the audio leads, a positive offset, people notice sooner: the bounds are half of that.
  public init(offset: Double) {
    let size = abs(offset) * (offset > 0 ? 2 : 1)
    // Not a number is in no band that passes.
    self = size <= 1e-3 ? .green : size <= 10e-3 ? .amber : size <= 24e-3 ? .orange : .red
  }

  /// How an offset in the band is judged.
  public var verdict: Verdict {
    switch self {
    case .green, .amber: .pass
    case .orange: .marginal
    case .red: .fail
    }
  }
}
