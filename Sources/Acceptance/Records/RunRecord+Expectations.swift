extension RunRecord {
  /// The plan's expected failures, each with how it turned out.
  public var expectations: [(expected: ExpectedFailure, outcome: ExpectedFailure.Outcome)] {
    let limits = limits
    return plan.expectedFailures.map { ($0, $0.outcome(in: readings, under: limits)) }
  }
}
