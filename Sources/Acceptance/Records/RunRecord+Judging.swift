extension RunRecord {
  /// Judges the readings by the plan: limits and verdicts of readings, patterns and run.
  ///
  /// The run is as the heaviest of its readings and of its verdicts on rig, timing and feel. A run that was
  /// cut short has not shown what it was to show, and is "not measured" at best.
  public mutating func judge() {
    let ofReadings = Judgement.apply(
      plan, to: &readings, patterns: playedPatterns, hasProfile: hasProfile)
    for index in patterns.indices {
      let judged = readings.filter {
        $0.pattern == patterns[index].name && !$0.name.isControl && $0.limit != nil
      }.compactMap(\.verdict).filter { $0 != .notMeasured }
      patterns[index].verdict = judged.isEmpty ? nil : Verdict.worst(judged)
    }
    verdict = Verdict.worst([ofReadings] + verdicts.compactMap(\.verdict))
  }
}
