extension RunRecord {
  /// Whether an actuator's profile said what level a drive makes.
  public var hasProfile: Bool { run.calibration != "uncalibrated" }

  /// The limits that hold for the run: without a profile not those of calibrated runs.
  public var limits: [Limit] { plan.limits(hasProfile: hasProfile) }

  /// Of fewer of a pattern's driven events nobody can say how the pattern feels: what was not scored is more
  /// than what was.
  public static let leastScored = 0.5

  /// The verdicts on rig, timing and feel, in this order; linear in the readings.
  ///
  /// Each is the heaviest of what the plan judges of the aspect and of what it requires and nobody measured.
  /// They follow from the rest of the record, one of an older version included.
  public var verdicts: [AspectVerdict] {
    var findings: [Aspect: [(verdict: Verdict, cause: AspectVerdict.Cause)]] = [:]
    let limits = limits
    for reading in readings {
      guard let verdict = reading.verdict, Judgement.verdict(of: reading, under: limits) != nil
      else {
        continue
      }
      findings[reading.name.aspect, default: []].append((verdict, .reading(reading)))
    }
    for missing in missing(of: playedPatterns) {
      findings[missing.name.aspect, default: []].append((.notMeasured, .missing(missing)))
    }
    for finding in setup ?? [] {
      findings[.rig, default: []].append((finding.holds ? .pass : .fail, .setup(finding)))
    }
    if run.status != .complete {
      findings[.rig, default: []].append((.notMeasured, .ending(run.status)))
    }
    if hasProfile, plan.limits.contains(where: { $0.isCalibratedOnly && $0.aspect == .feel }) {
      findings[.feel, default: []] += unscored.map { (.notMeasured, $0) }
    }
    return Aspect.allCases.map { verdict(of: $0, from: findings[$0] ?? []) }
  }

  private func verdict(
    of aspect: Aspect, from findings: [(verdict: Verdict, cause: AspectVerdict.Cause)]
  ) -> AspectVerdict {
    let judged = AspectVerdict(aspect, findings)
    let asked = plan.limits.filter { $0.aspect == aspect }
    // What a profile would have judged is open: what else holds is no pass of the whole.
    if !hasProfile, asked.contains(where: \.isCalibratedOnly), judged.verdict == .pass {
      return AspectVerdict(aspect, notJudged: .noProfile)
    }
    if !findings.isEmpty || plan.requirements.contains(where: { $0.reading.aspect == aspect }) {
      return judged
    }
    return AspectVerdict(aspect, notJudged: asked.isEmpty ? .notAsked : .nothingToJudge)
  }

  /// The names of the patterns that were played: those that a run never came to owe it nothing.
  var playedPatterns: [String] { patterns.filter { !$0.takes.isEmpty }.map(\.name) }

  /// The patterns of whose driven events too few were scored, over all takes.
  private var unscored: [AspectVerdict.Cause] {
    var counts: [String: (scored: Double, driven: Double)] = [:]
    for reading in readings where reading.name == ReadingName(.eventsScored) {
      guard let pattern = reading.pattern, let count = reading.count, count > 0 else { continue }
      let driven = Double(count)
      counts[pattern, default: (0, 0)].scored += (reading.value ?? 0) * driven
      counts[pattern, default: (0, 0)].driven += driven
    }
    return patterns.compactMap { pattern in
      guard let (scored, driven) = counts[pattern.name], scored < Self.leastScored * driven else {
        return nil
      }
      return .unscored(pattern: pattern.name, share: scored / driven)
    }
  }
}
