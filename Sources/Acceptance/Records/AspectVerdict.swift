/// How one aspect of a run came out, and what made it so.
public struct AspectVerdict: Sendable, Equatable {
  /// Why an aspect has no verdict.
  public enum Absence: String, Sendable, Hashable, CaseIterable {
    /// What the plan asks of it holds of calibrated runs alone, and the run had no profile.
    case noProfile = "no profile"
    /// The plan has no limit and no requirement of it.
    case notAsked = "no limits"
    /// The plan has limits of it, and the run no reading that they judge.
    case nothingToJudge = "no readings"
  }

  /// One thing that made a verdict what it is.
  public enum Cause: Sendable, Equatable {
    /// A reading with that verdict.
    case reading(Reading)
    /// A reading that the plan requires and nobody measured.
    case missing(RunRecord.MissingReading)
    /// A setup check that does not hold.
    case setup(SetupFinding)
    /// The run was cut short.
    case ending(RunRecord.Status)
    /// Too small a share of a pattern's driven events was scored.
    case unscored(pattern: String, share: Double)
  }

  /// What it is about.
  public let aspect: Aspect
  /// The heaviest verdict; `nil` where the aspect is not judged.
  public let verdict: Verdict?
  /// Why it is not judged; `nil` where it is.
  public let absence: Absence?
  /// What has the heaviest verdict, in the order of the record; empty of a pass.
  public let causes: [Cause]

  /// A verdict, and what led to it.
  init(_ aspect: Aspect, _ findings: [(verdict: Verdict, cause: Cause)]) {
    let verdict = Verdict.worst(findings.lazy.map(\.verdict))
    self.aspect = aspect
    self.verdict = verdict
    absence = nil
    causes = verdict == .pass ? [] : findings.filter { $0.verdict == verdict }.map(\.cause)
  }

  /// No verdict, and why.
  init(_ aspect: Aspect, notJudged absence: Absence) {
    self.aspect = aspect
    verdict = nil
    self.absence = absence
    causes = []
  }

  /// The word for an aspect without a verdict.
  public static let notJudged = "not judged"

  /// The verdict's word, or that there is none.
  public var word: String { verdict?.rawValue ?? Self.notJudged }
}
