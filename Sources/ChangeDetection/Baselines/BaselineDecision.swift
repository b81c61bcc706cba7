/// Which series somebody's word is about; what is `nil` does not narrow it.
public struct SeriesScope: Sendable, Hashable {
  /// The rig's name.
  public var rig: String
  /// The actuator's id; every one where it is `nil`.
  public var actuator: String?
  /// The pattern's name; every one where it is `nil`, that of the whole run where it is empty.
  public var pattern: String?
  /// The reading's name; every one where it is `nil`.
  public var reading: String?

  /// Makes a scope.
  public init(
    rig: String, actuator: String? = nil, pattern: String? = nil, reading: String? = nil
  ) {
    self.rig = rig
    self.actuator = actuator
    self.pattern = pattern
    self.reading = reading
  }

  /// The scope of one series alone.
  public init(_ key: SeriesKey) {
    self.init(
      rig: key.rig, actuator: key.actuator, pattern: key.pattern, reading: key.reading)
  }

  /// Whether a series is in it.
  public func contains(_ key: SeriesKey) -> Bool {
    key.rig == rig && (actuator ?? key.actuator) == key.actuator
      && (pattern ?? key.pattern) == key.pattern && (reading ?? key.reading) == key.reading
  }
}

/// Someone's word on a level: this is the one to hold new nights against.
public struct BaselineDecision: Sendable, Hashable {
  /// What was decided.
  public enum Kind: Sendable, Hashable {
    /// The changes up to the day are accepted; the nights since the last of them are the baseline.
    case accepted
    /// The baseline is what one run measured, whatever the nights do, until the next decision.
    case pinned(run: String)
  }

  /// The series.
  public var scope: SeriesScope
  /// What was decided.
  public var kind: Kind
  /// The night up to which changes are accepted, in days since 1970-01-01 UTC; that of a pinned run.
  public var day: Int
  /// Who decided.
  public var who: String
  /// When, as text in UTC: `2026-11-21T09:51:50Z`.
  public var when: String
  /// Why.
  public var why: String

  /// Makes a decision.
  public init(
    _ kind: Kind, scope: SeriesScope, day: Int, who: String, when: String, why: String
  ) {
    self.scope = scope
    self.kind = kind
    self.day = day
    self.who = who
    self.when = when
    self.why = why
  }

  /// The run that it pins; `nil` of an accepted level.
  public var run: String? { if case .pinned(let run) = kind { run } else { nil } }
}
