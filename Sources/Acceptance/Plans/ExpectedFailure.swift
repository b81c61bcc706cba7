/// A reading that is known to fail its limit: where it does, it counts as a pass and is shown.
public struct ExpectedFailure: Sendable, Equatable {
  /// The reading.
  public var reading: ReadingName
  /// The pattern that it fails of; `nil` for whichever reading of the name.
  public var pattern: String?
  /// Why it fails, in a sentence for whoever reads the record.
  public var why: String

  /// Makes an expectation.
  public init(_ reading: ReadingName, pattern: String? = nil, why: String) {
    self.reading = reading
    self.pattern = pattern
    self.why = why
  }

  /// Whether the expectation is about a reading.
  public func covers(_ reading: Reading) -> Bool {
    reading.name == self.reading && (pattern == nil || reading.pattern == pattern)
  }

  /// How an expectation turned out.
  public enum Outcome: Sendable, Hashable {
    /// At least one of its readings failed, as many as stand here: all of them count as a pass.
    case failed(Int)
    /// Its readings were judged and none failed: marginal, for what was expected is no longer so.
    case passed
    /// Nothing of it was measured and judged.
    case notMeasured
  }

  /// How it turned out among readings, each by the first limit that holds for it.
  public func outcome(in readings: [Reading], under limits: [Limit]) -> Outcome {
    let verdicts = readings.filter(covers).compactMap { Judgement.verdict(of: $0, under: limits) }
    guard !verdicts.isEmpty else { return .notMeasured }
    let failures = verdicts.count { $0 == .fail }
    return failures > 0 ? .failed(failures) : .passed
  }
}
