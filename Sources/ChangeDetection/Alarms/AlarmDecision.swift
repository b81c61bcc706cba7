// SPDX-License-Identifier: Apache-2.0

/// One series as alarms are decided on: its changes and what they are held against.
public struct SeriesFinding: Sendable, Hashable {
  /// The series.
  public var key: SeriesKey
  /// Its changes, ascending.
  public var points: [ChangePoint]
  /// The nights that those which are not confirmed still need, by their index, where that is known.
  public var nightsToConfirm: [Int: Int]
  /// What its newest nights say; `nil` where they are not the rig's newest.
  public var newest: WeighedNights?
  /// What it is held against.
  public var baseline: Baseline?
  /// The days of its first and its last night; `nil` where they are not known.
  public var days: ClosedRange<Int>?

  init(
    key: SeriesKey, points: [ChangePoint], nightsToConfirm: [Int: Int] = [:],
    newest: WeighedNights? = nil, baseline: Baseline? = nil, days: ClosedRange<Int>? = nil
  ) {
    self.key = key
    self.points = points
    self.nightsToConfirm = nightsToConfirm
    self.newest = newest
    self.baseline = baseline
    self.days = days
  }

  /// What it means for the reading to go from one level to another.
  fileprivate func course(from before: Double, to after: Double) -> BetterDirection.Course {
    BetterDirection(reading: key.reading).course(from: before, to: after)
  }

  /// The nights by which a change may lie off the place that it was given, 95 %: 11 over the square
  /// of the step in deviations of a night (Bai, "Estimation of a Change Point in Multiple
  /// Regression Models", 1997), at most five.
  fileprivate func doubt(of point: ChangePoint) -> Int {
    guard let spread = baseline?.spread, spread > 0, point.effect != 0 else { return 0 }
    let deviations = point.effect / spread
    return Int(min(5, 11 / (deviations * deviations)))
  }
}

/// A change of a series, and what is to be done about it.
public struct Alarm: Sendable, Hashable {
  /// What a change leads to, what asks for most first.
  public enum Standing: String, Sendable, Hashable, CaseIterable {
    /// A confirmed change for the worse: the alarm.
    case raised
    /// A control moved: the rig, not the product.
    case rigMoved
    /// Confirmed and for the worse, but the control moved with it: the rig is to be looked at
    /// first.
    case heldBack
    /// Not confirmed yet.
    case unconfirmed
    /// No change yet: the newest nights lie off, too few to tell.
    case suspected
    /// A confirmed change for the better: reported, no alarm.
    case improved
    /// A later confirmed change made good for it.
    case recovered
    /// Accepted as the new baseline.
    case accepted

    /// The place in the order of what asks for most.
    public var rank: Int { Self.allCases.firstIndex(of: self) ?? Self.allCases.count }
  }

  /// The series.
  public var key: SeriesKey
  /// The change.
  public var point: ChangePoint
  /// What it leads to.
  public var standing: Standing
  /// Why, in one sentence.
  public var reason: String
  /// The nights by which the change may lie off its place.
  public var doubt = 0
  /// The nights that a suspicion, or a change that is not confirmed yet, still needs until it is a
  /// confirmed one; `nil` of all others, and where nobody can say.
  public var nightsToConfirm: Int?

  /// Whether it is a change that is not sure yet.
  public var isWeak: Bool { standing == .unconfirmed && point.state == .weak }

  /// The place in the order of what asks for most: a change that is no more than weak comes after
  /// what is suspected.
  var urgency: Int {
    isWeak ? 2 * Standing.suspected.rank + 1 : 2 * standing.rank
  }
}

/// From changes to alarms: what is new, worse, borne out and not the rig's own doing.
///
/// Limits of a plan are not asked here: a value outside its limit fails its run at once, whatever the
/// history says.
public struct AlarmDecision: Sendable, Hashable {
  /// The share of what is suspected that may be so by chance.
  static let falseSuspicions = 0.01
  /// How near a change of a control must be to hold a product's back, in nights.
  public static let nearness = 2

  /// Every change, in the order of the findings.
  public let alarms: [Alarm]
  /// What the newest nights of a series are suspected of, where that is no chance among so many
  /// series, and no decision accepted it.
  public let suspicions: [SeriesKey: Alarm]

  /// Decides on all series of an archive together; controls hold back within their own rig.
  public init(_ findings: [SeriesFinding]) {
    var controls: [String: [SeriesFinding]] = [:]
    for finding in findings where finding.key.isControl {
      controls[finding.key.rig, default: []].append(finding)
    }
    alarms = findings.flatMap { finding in
      finding.points.map { point in
        let (standing, reason) = Self.standing(
          of: point, in: finding, controls: controls[finding.key.rig] ?? [])
        return Alarm(
          key: finding.key, point: point, standing: standing, reason: reason,
          doubt: finding.doubt(of: point),
          nightsToConfirm: standing == .unconfirmed ? finding.nightsToConfirm[point.index] : nil)
      }
    }
    let bounds = Dictionary(grouping: findings, by: \.key.rig).mapValues(Self.bound)
    suspicions = Dictionary(
      findings.compactMap { finding in
        Self.suspicion(in: finding, ifBelow: bounds[finding.key.rig] ?? 0).map { (finding.key, $0) }
      }
    ) { first, _ in first }
  }

  /// The chance up to which nights are suspected, by how many series were looked at and how many of
  /// them lie off: of a hundred series one lies off by chance every few nights.
  ///
  /// By their false discovery rate: of the series that are suspected a hundredth is so by chance. Many
  /// series that move together bear each other out.
  private static func bound(of findings: [SeriesFinding]) -> Double {
    let judged = findings.count { finding in
      if case .tooFew? = finding.newest?.nights { false } else { finding.newest != nil }
    }
    return FalseDiscovery.bound(
      of: findings.compactMap { $0.newest?.nights.suspicion?.point.significance }, among: judged,
      rate: falseSuspicions)
  }

  /// The alarms that stand: what makes a nightly regression fail.
  public var raised: [Alarm] { alarms.filter { $0.standing == .raised } }

  private static func suspicion(in finding: SeriesFinding, ifBelow bound: Double) -> Alarm? {
    guard let newest = finding.newest, let point = newest.suspicion?.point,
      point.significance <= bound, finding.baseline?.accepts(point) != true
    else { return nil }
    return Alarm(
      key: finding.key, point: point, standing: .suspected,
      reason: newest.isBorneOut == true
        ? "borne out by a re-run" : "not run again yet",
      nightsToConfirm: newest.nightsToConfirm)
  }

  private static func standing(
    of point: ChangePoint, in finding: SeriesFinding, controls: [SeriesFinding]
  ) -> (Alarm.Standing, String) {
    if finding.baseline?.accepts(point) == true, let decision = finding.baseline?.decision {
      return (
        .accepted,
        "\(decision.run == nil ? "accepted" : "pinned") by \(decision.who), \(decision.when): "
          + decision.why
      )
    }
    guard point.state == .confirmed else {
      guard point.state == .weak else {
        return (.unconfirmed, "seen on the last nights; a re-run or the next night decides")
      }
      return (
        .unconfirmed,
        finding.newest?.takenBack == nil
          ? "seen on the last nights, and not sure yet"
          : "a re-run lies nearer to the level before"
      )
    }
    if finding.key.isControl {
      return (.rigMoved, "the control moved, so the rig did")
    }
    if finding.course(from: point.before, to: point.after) == .better {
      return (.improved, "the change is for the better")
    }
    if let recovery = recovery(from: point, in: finding) {
      return (.recovered, "made good from \(CalendarDay(number: recovery.day)) on")
    }
    for control in controls {
      if let moved = control.points.first(where: {
        $0.state != .weak && $0.gap(to: point) <= nearness
      }) {
        return (
          .heldBack,
          "\(control.key.reading) of the same rig moved on \(CalendarDay(number: moved.day)): the rig "
            + "moved"
        )
      }
    }
    return (.raised, "confirmed, for the worse, \(witness(of: point, among: controls))")
  }

  /// What the controls say of a change that none of them shares: that they stayed, or that there was none to tell.
  private static func witness(of point: ChangePoint, among controls: [SeriesFinding]) -> String {
    guard !controls.isEmpty else {
      return "and nothing tells whether the rig moved: the plan has no control"
    }
    let saw = controls.contains { control in
      control.days.map { $0.lowerBound <= point.lastDayBefore && $0.upperBound >= point.day }
        ?? true
    }
    return saw
      ? "and no control moved with it"
      : "and nothing tells whether the rig moved: no control was measured on both sides of it"
  }

  /// The later change after which the level is no worse than before this one, but for its doubt.
  private static func recovery(from point: ChangePoint, in finding: SeriesFinding) -> ChangePoint? {
    finding.points.first { later in
      guard later.state == .confirmed, later.index > point.index else { return false }
      let left = abs(later.after - point.before)
      return finding.course(from: point.before, to: later.after) != .worse
        || left <= 0.25 * abs(point.effect)
    }
  }
}
