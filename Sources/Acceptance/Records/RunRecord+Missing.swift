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
  public var missingReadings: [MissingReading] {
    plan.limits.filter(\.required).flatMap { limit in
      let measured = readings.filter { $0.name == limit.reading && $0.value != nil }
      guard !measured.contains(where: { $0.pattern == nil }) else { return [MissingReading]() }
      let wanted = patterns.map(\.name).filter { limit.applies(to: $0) }
      guard !wanted.isEmpty else {
        return measured.isEmpty
          ? [MissingReading(name: limit.reading, pattern: nil, limit: limit.text)] : []
      }
      return wanted.filter { name in !measured.contains { $0.pattern == name } }
        .map { MissingReading(name: limit.reading, pattern: $0, limit: limit.text) }
    }
  }
}
