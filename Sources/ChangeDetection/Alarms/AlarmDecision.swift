/// What the nights of one series say by themselves: changes, baseline, trend.
public struct SeriesHistory: Sendable, Hashable {
  /// The nights.
  public let nightly: NightlySeries
  /// The changes, ascending; a re-run of the newest night has been weighed.
  public let points: [ChangePoint]
  /// What new nights are held against.
  public let baseline: Baseline?
  /// How the level drifts since the last confirmed change; `nil` below eight nights.
  public let trend: Trend?

  /// Looks at a series.
  ///
  /// `rerun` is what re-runs of the newest night measured, `pinned` what pinned runs did; `decisions` are in the
  /// order in which they were given.
  public init(
    _ nightly: NightlySeries, rerun: [Repeat] = [], decisions: [BaselineDecision] = [],
    pinned: [Repeat] = [], detector: ChangeDetector = ChangeDetector()
  ) {
    self.nightly = nightly
    let points =
      nightly.key.isOfSurroundings
      ? [] : ChangeDetector.weighing(detector.changePoints(in: nightly), rerun: rerun)
    self.points = points
    baseline = Baseline(of: nightly, points: points, decisions: decisions, pinned: pinned)
    trend = Trend(of: nightly, from: points.last { $0.state == .confirmed }?.index ?? 0)
  }

  /// What alarms are decided on.
  public var finding: SeriesFinding {
    var days: ClosedRange<Int>?
    if let first = nightly.nights.first?.day, let last = nightly.nights.last?.day, first <= last {
      days = first...last
    }
    return SeriesFinding(key: nightly.key, points: points, baseline: baseline, days: days)
  }

  /// Whether a re-run tonight would tell more: a change is found, by the newest night alone.
  public var asksForRerun: Bool { points.contains { $0.state == .found } }
}

/// One series as alarms are decided on: its changes and what they are held against.
public struct SeriesFinding: Sendable, Hashable {
  /// The series.
  public var key: SeriesKey
  /// Its changes, ascending.
  public var points: [ChangePoint]
  /// What it is held against.
  public var baseline: Baseline?
  /// Which way is better.
  public var direction: BetterDirection
  /// The days of its first and its last night; `nil` where they are not known.
  public var days: ClosedRange<Int>?

  /// Without a direction the reading's usual one.
  init(
    key: SeriesKey, points: [ChangePoint], baseline: Baseline? = nil,
    direction: BetterDirection? = nil, days: ClosedRange<Int>? = nil
  ) {
    self.key = key
    self.points = points
    self.baseline = baseline
    self.direction = direction ?? BetterDirection(reading: key.reading)
    self.days = days
  }
}

/// A change of a series, and what is to be done about it.
public struct Alarm: Sendable, Hashable {
  /// What a change leads to.
  public enum Standing: String, Sendable, Hashable, CaseIterable {
    /// A confirmed change for the worse: the alarm.
    case raised
    /// The same, but the control moved with it: the rig is to be looked at first.
    case heldBack
    /// A control moved: the rig, not the product.
    case rigMoved
    /// Not confirmed yet.
    case unconfirmed
    /// A confirmed change for the better: reported, no alarm.
    case improved
    /// Accepted as the new baseline.
    case accepted
    /// A later confirmed change made good for it.
    case recovered
  }

  /// The series.
  public var key: SeriesKey
  /// The change.
  public var point: ChangePoint
  /// What it leads to.
  public var standing: Standing
  /// Why, in one sentence.
  public var reason: String
}

/// From changes to alarms: what is new, worse, borne out and not the rig's own doing.
///
/// Limits of a plan are not asked here: a value outside its limit fails its run at once, whatever the
/// history says.
public struct AlarmDecision: Sendable, Hashable {
  /// How near a change of a control must be to hold a product's back, in nights.
  public static let nearness = 2

  /// Every change, in the order of the findings.
  public let alarms: [Alarm]

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
        return Alarm(key: finding.key, point: point, standing: standing, reason: reason)
      }
    }
  }

  /// The alarms that stand: what makes a nightly regression fail.
  public var raised: [Alarm] { alarms.filter { $0.standing == .raised } }

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
      return (.unconfirmed, "seen on the last nights; a re-run or the next night decides")
    }
    if finding.key.isControl {
      return (.rigMoved, "the control moved, so the rig did")
    }
    if finding.direction.course(from: point.before, to: point.after) == .better {
      return (.improved, "the change is for the better")
    }
    if let recovery = recovery(from: point, in: finding) {
      return (.recovered, "made good from \(CalendarDay(number: recovery.day)) on")
    }
    for control in controls {
      if let moved = control.points.first(where: { $0.state != .weak && isNear($0, point) }) {
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
      return finding.direction.course(from: point.before, to: later.after) != .worse
        || left <= 0.25 * abs(point.effect)
    }
  }

  /// Whether two changes lie within the nearness, each somewhere after its last night before.
  private static func isNear(_ one: ChangePoint, _ other: ChangePoint) -> Bool {
    let gap = max(one.lastDayBefore + 1 - other.day, other.lastDayBefore + 1 - one.day, 0)
    return gap <= nearness
  }
}
