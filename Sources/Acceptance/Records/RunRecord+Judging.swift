extension RunRecord {
  /// Judges the readings by the plan: limits and verdicts of readings, patterns and run.
  ///
  /// A run that was cut short has not shown what it was to show, and is "not measured" at best.
  public mutating func judge() {
    let played = patterns.filter { !$0.takes.isEmpty }.map(\.name)
    verdict = Judgement.apply(plan, to: &readings, patterns: played)
    for index in patterns.indices {
      let judged = readings.filter {
        $0.pattern == patterns[index].name && !$0.name.isControl && $0.limit != nil
      }.compactMap(\.verdict).filter { $0 != .notMeasured }
      patterns[index].verdict = judged.isEmpty ? nil : Verdict.worst(judged)
    }
    if run.status != .complete { verdict = Verdict.worst([verdict, .notMeasured]) }
  }
}
