/// What later nights are compared with, as a person decided and explained it.
public struct Baseline: Sendable, Hashable {
  /// How the level is found.
  public enum Kind: String, Sendable, CaseIterable {
    /// From a day on, what is measured is how it should be: a change was meant.
    case accepted
    /// The values of one run, which is never pruned.
    case pinned
  }

  /// How the level is found.
  public var kind: Kind
  /// The rig's name.
  public var rig: String
  /// The actuator's id; every one where it is `nil`.
  public var actuator: String?
  /// The pattern's name; every one where it is `nil`, those of the whole run where it is empty.
  public var pattern: String?
  /// The reading's name; every one where it is `nil`.
  public var reading: String?
  /// The first day that it holds for.
  public var from: CalendarDay
  /// The run whose values it is; of a pinned baseline only.
  public var run: String?
  /// Why, in a sentence or two.
  public var why: String
  /// Who decided.
  public var who: String
  /// When it was decided.
  public var given: Moment

  /// Makes a baseline.
  ///
  /// - Parameters:
  ///   - kind: How the level is found.
  ///   - rig: The rig's name.
  ///   - actuator: The actuator's id, or every one.
  ///   - pattern: The pattern's name, or every one.
  ///   - reading: The reading's name, or every one.
  ///   - from: The first day that it holds for.
  ///   - run: The run of a pinned baseline.
  ///   - why: Why.
  ///   - who: Who decided.
  ///   - given: When it was decided.
  /// - Throws: `ArchiveError` where the reason or the run is missing, or a text is too long.
  public init(
    _ kind: Kind, rig: String, actuator: String? = nil, pattern: String? = nil,
    reading: String? = nil, from: CalendarDay, run: String? = nil, why: String, who: String,
    given: Moment
  ) throws(ArchiveError) {
    guard !why.isEmpty, why.contains(where: { !$0.isWhitespace }) else {
      throw ArchiveError(path: "--why", message: "say why: who reads the history later will ask")
    }
    for (name, text) in [
      ("rig", rig), ("actuator", actuator ?? ""), ("pattern", pattern ?? ""),
      ("reading", reading ?? ""), ("run", run ?? ""), ("why", why), ("who", who),
    ] where text.utf8.count > Self.longest {
      throw ArchiveError(
        path: name,
        message: "the text has \(text.utf8.count) bytes, and at most \(Self.longest) are kept")
    }
    guard (kind == .pinned) == (run != nil) else {
      throw ArchiveError(
        path: "baseline", message: "a pinned baseline names its run, and an accepted one none")
    }
    self.kind = kind
    self.rig = rig
    self.actuator = actuator
    self.pattern = pattern
    self.reading = reading
    self.from = from
    self.run = run
    self.why = why
    self.who = who
    self.given = given
  }

  /// Whether it is for a series.
  public func applies(to key: SeriesKey) -> Bool {
    key.rig == rig && (actuator ?? key.actuator) == key.actuator
      && (pattern ?? key.pattern) == key.pattern && (reading ?? key.reading) == key.reading
  }

  private static let longest = 2000
}
