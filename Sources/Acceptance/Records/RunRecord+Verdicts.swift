// SPDX-License-Identifier: Apache-2.0

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
    let unscored = unscored
    // Whatever a plan asks: of a pattern of which nothing was scored nobody knows anything.
    findings[.rig, default: []] += unscored.filter(\.isEmpty)
      .map { (.notMeasured, .unscored(pattern: $0.pattern, share: 0)) }
    if hasProfile, plan.limits.contains(where: { $0.isCalibratedOnly && $0.aspect == .feel }) {
      findings[.feel, default: []] += unscored.map {
        (.notMeasured, .unscored(pattern: $0.pattern, share: $0.share))
      }
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
  ///
  /// It is empty where a sensor was there and none was scored; without a sensor the reading has no channel.
  private var unscored: [(pattern: String, share: Double, isEmpty: Bool)] {
    var counts: [String: (scored: Double, driven: Double)] = [:]
    var sensed: Set<String> = []
    for reading in readings where reading.name == ReadingName(.eventsScored) {
      guard let pattern = reading.pattern, let count = reading.count, count > 0 else { continue }
      if reading.channel != nil { sensed.insert(pattern) }
      let driven = Double(count)
      counts[pattern, default: (0, 0)].scored += (reading.value ?? 0) * driven
      counts[pattern, default: (0, 0)].driven += driven
    }
    return patterns.compactMap { pattern in
      guard let (scored, driven) = counts[pattern.name], scored < Self.leastScored * driven else {
        return nil
      }
      return (pattern.name, scored / driven, scored == 0 && sensed.contains(pattern.name))
    }
  }

  /// Judges the readings by the plan: limits and verdicts of readings, patterns and run.
  ///
  /// The run is as the heaviest of its readings and of its verdicts on rig, timing and feel. A pattern of whose
  /// driven events none was scored is "not measured" at best, and so is a run that was cut short: it has not
  /// shown what it was to show.
  public mutating func judge() {
    let ofReadings = Judgement.apply(
      plan, to: &readings, patterns: playedPatterns, hasProfile: hasProfile)
    let empty = Set(unscored.filter(\.isEmpty).map(\.pattern))
    for index in patterns.indices {
      let judged = readings.filter {
        $0.pattern == patterns[index].name && !$0.name.isControl && $0.limit != nil
      }.compactMap(\.verdict).filter { $0 != .notMeasured }
      let open: [Verdict] = empty.contains(patterns[index].name) ? [.notMeasured] : []
      patterns[index].verdict =
        judged.isEmpty && open.isEmpty ? nil : Verdict.worst(judged + open)
    }
    verdict = Verdict.worst([ofReadings] + verdicts.compactMap(\.verdict))
  }

  /// A reading that the plan requires and the run did not take.
  public struct MissingReading: Sendable, Hashable {
    /// The reading.
    public var name: ReadingName
    /// The pattern that owes it; `nil` where the run does.
    public var pattern: String?
    /// What it had to satisfy, in words.
    public var limit: String
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

  /// The plan's expected failures, each with how it turned out.
  public var expectations: [(expected: ExpectedFailure, outcome: ExpectedFailure.Outcome)] {
    let limits = limits
    return plan.expectedFailures.map { ($0, $0.outcome(in: readings, under: limits)) }
  }
}
