extension RunRecord {
  /// A reading that the plan requires and the run did not take.
  public struct MissingReading: Sendable, Hashable {
    /// The reading.
    public var name: ReadingName
    /// The pattern that owes it; `nil` where the run does.
    public var pattern: String?
    /// What it had to satisfy, in words.
    public var limit: String

    /// Makes an account of a reading that is missing.
    public init(name: ReadingName, pattern: String?, limit: String) {
      self.name = name
      self.pattern = pattern
      self.limit = limit
    }
  }

  /// The required readings without one measured value, in the order of the plan's limits.
  ///
  /// They are what makes `Judgement` call a run "not measured".
  public var missingReadings: [MissingReading] { missing(of: patterns.map(\.name)) }

  /// What some patterns owe and the run did not take.
  func missing(of names: [String]) -> [MissingReading] {
    let limits = limits.filter(\.required).map(\.text)
    return plan.needed(hasProfile: hasProfile).enumerated().flatMap { place, needed in
      needed.missing(in: readings, patterns: names).map {
        MissingReading(
          name: needed.reading, pattern: $0,
          limit: place < limits.count ? limits[place] : "whatever its value")
      }
    }
  }
}
