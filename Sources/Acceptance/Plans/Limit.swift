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
}
