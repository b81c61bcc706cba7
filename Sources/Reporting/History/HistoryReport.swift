package import Acceptance
package import ChangeDetection
package import Units

/// What the nights of a plan on a rig say together: series, changes, alarms, and what explains them.
///
/// Days are counted from 1970-01-01 UTC; `CalendarDay` writes them.
public struct HistoryReport: Sendable, Equatable {
  package var rig: String
  package var plan: String
  package var days: ClosedRange<Int>?
  /// The series by actuator, pattern and reading; those of the control among them.
  package var series: [Series]
  /// The runs, ascending by when they began; re-runs and runs that did not end well among them.
  package var runs: [Run]
  package var violations: [Violation]
  package var decisions: [BaselineDecision]
  package var impulse: ImpulseComparison?
  package var notes: [String]

  package init(
    rig: String, plan: String, days: ClosedRange<Int>?, series: [Series], runs: [Run],
    violations: [Violation] = [], decisions: [BaselineDecision] = [],
    impulse: ImpulseComparison? = nil, notes: [String] = []
  ) {
    self.impulse = impulse
    self.rig = rig
    self.plan = plan
    self.days = days
    self.series = series
    self.runs = runs
    self.violations = violations
    self.decisions = decisions
    self.notes = notes
  }

  package struct Series: Sendable, Equatable {
    /// Its key, its unit and its nights; values are in the unit's own scale (seconds, not ms).
    package var nightly: NightlySeries
    /// Its changes, ascending by day, with what they lead to.
    package var changes: [Change]
    package var baseline: Baseline?
    /// How the level drifts since the last confirmed change; `nil` below eight nights.
    package var trend: Trend?
    package var limit: Limit?
    /// How it goes with the temperature of its nights; `nil` where that is not known well enough.
    package var temperature: TemperatureEffect?

    package init(
      nightly: NightlySeries, changes: [Change] = [], baseline: Baseline? = nil,
      trend: Trend? = nil, limit: Limit? = nil, temperature: TemperatureEffect? = nil
    ) {
      self.temperature = temperature
      self.nightly = nightly
      self.changes = changes
      self.baseline = baseline
      self.trend = trend
      self.limit = limit
    }

    package var key: SeriesKey { nightly.key }

    package var verdict: Verdict? {
      guard let limit, let last = nightly.nights.last else { return nil }
      return limit.judge(last.value, uncertainty: nil)
    }
  }

  package struct Change: Sendable, Equatable {
    package var alarm: Alarm
    package var unit: MeasurementUnit
    /// The run nearest to the median of the last night before; empty where there is none.
    package var runBefore: String
    package var runAfter: String
    /// How the environment of the nights before and after differs, best separating first; of changes
    /// that were raised, held back or of the control itself.
    package var differences: [EnvironmentDifference]

    package init(
      alarm: Alarm, unit: MeasurementUnit, runBefore: String = "", runAfter: String = "",
      differences: [EnvironmentDifference] = []
    ) {
      self.alarm = alarm
      self.unit = unit
      self.runBefore = runBefore
      self.runAfter = runAfter
      self.differences = differences
    }

    package var point: ChangePoint { alarm.point }
    package var standing: Alarm.Standing { alarm.standing }
  }

  package struct Run: Sendable, Equatable {
    package var id: String
    /// When it began, as text in UTC: `2026-11-21T09:51:50Z`.
    package var began: String
    package var day: Int
    package var status: RunRecord.Status
    package var verdict: Verdict
    /// Where its `report.html` lies from the page's folder, percent-encoded; `nil` where it is on
    /// another machine or gone.
    package var link: String?
    package var reruns: String?
    /// The table that it comes from; `nil` where it was measured here.
    package var imported: String?

    package init(
      id: String, began: String, day: Int, status: RunRecord.Status = .complete, verdict: Verdict,
      link: String? = nil, reruns: String? = nil, imported: String? = nil
    ) {
      self.imported = imported
      self.id = id
      self.began = began
      self.day = day
      self.status = status
      self.verdict = verdict
      self.link = link
      self.reruns = reruns
    }
  }

  /// A reading of the newest night that its plan's limit does not allow, or one that is missing.
  package struct Violation: Sendable, Equatable {
    package var run: String
    package var reading: Reading

    var pattern: String { reading.pattern ?? "" }
    var limit: String { reading.limit ?? "" }
    var text: String? {
      reading.value.map {
        EngineeringFormat.text($0, reading.unit, uncertainty: reading.uncertainty)
      }
    }

    package init(run: String, reading: Reading) {
      self.run = run
      self.reading = reading
    }
  }
}

extension HistoryReport {
  package struct ImpulseComparison: Sendable, Equatable {
    package struct Side: Sendable, Equatable {
      package var run: String
      package var impulse: RunRecord.Impulse

      package init(run: String, impulse: RunRecord.Impulse) {
        self.run = run
        self.impulse = impulse
      }
    }

    package var newest: Side
    package var baseline: Side?

    package init(newest: Side, baseline: Side?) {
      self.newest = newest
      self.baseline = baseline
    }

    /// How far they lie apart, as a share of the baseline's effective value; `nil` where they cannot be
    /// compared.
    package var difference: Double? { baseline?.impulse.difference(to: newest.impulse) }
  }

  package enum Outcome: String, Sendable, Hashable, CaseIterable {
    /// A confirmed change for the worse that nobody accepted and nothing made good: `haprig regress`
    /// ends with 1.
    case regression
    /// The control moved: the rig is looked at first, and changes of the product near it wait.
    case rigMoved = "rig moved"
    case outsideLimits = "outside limits"
    case unconfirmed
    case steady
    case empty
  }

  package var outcome: Outcome {
    let standings = Set(changes.map(\.standing))
    return if standings.contains(.raised) {
      .regression
    } else if standings.contains(.heldBack) || hasMovedControl {
      .rigMoved
    } else if !violations.isEmpty {
      .outsideLimits
    } else if standings.contains(.unconfirmed) {
      .unconfirmed
    } else {
      days == nil ? .empty : .steady
    }
  }

  /// Every change of every series, what needs a person first: raised, held back, the rig's own, not
  /// confirmed, then the rest; within one standing the earliest first, of one day the largest.
  package var changes: [Change] {
    series.flatMap(\.changes).sorted { left, right in
      let order = (Self.rank(left.standing), left.point.day)
      let other = (Self.rank(right.standing), right.point.day)
      guard order == other else { return order < other }
      let (size, otherSize) = (Self.size(left.point), Self.size(right.point))
      return size == otherSize ? left.alarm.key < right.alarm.key : size > otherSize
    }
  }

  package func changes(_ standing: Alarm.Standing) -> [Change] {
    changes.filter { $0.standing == standing }
  }

  package var newestDay: Int? { days?.upperBound }

  /// How many nights at the end of the series a moved control speaks about.
  static let recentNights = 14

  /// Whether the control changed lately: older changes of it have no alarm of the product left to hold.
  private var hasMovedControl: Bool {
    guard let newestDay else { return false }
    return changes(.rigMoved).contains { $0.point.day > newestDay - Self.recentNights }
  }

  private static let ranks: [Alarm.Standing] = [
    .raised, .heldBack, .rigMoved, .unconfirmed, .improved, .recovered, .accepted,
  ]

  private static func rank(_ standing: Alarm.Standing) -> Int {
    ranks.firstIndex(of: standing) ?? ranks.count
  }

  private static func size(_ point: ChangePoint) -> Double {
    point.uncertainty > 0 ? abs(point.effect) / point.uncertainty : 0
  }

  package var sentences: [String] {
    guard let days else { return ["There is no complete run of \(plan) on \(rig)."] }
    var sentences = [headline(days)]
    let raised = changes(.raised)
    if let first = raised.first { sentences.append("First: " + Self.sentence(of: first) + ".") }
    if raised.count > 1 {
      let others = Set(raised.dropFirst().map(\.alarm.key.reading)).sorted()
      sentences.append(
        "\(Count.of(raised.count - 1, "more change")): \(Count.list(others, atMost: 4)).")
    }
    if let difference = raised.first?.differences.first {
      sentences.append("With it changed " + Self.sentence(of: difference) + ".")
    }
    let held = changes(.heldBack)
    if let first = held.first {
      sentences.append(
        "Held back: \(Self.subject(of: first)), since \(first.alarm.reason)"
          + (held.count > 1 ? "; and \(Count.of(held.count - 1, "more change"))." : "."))
    }
    if !violations.isEmpty {
      sentences.append(
        "Outside the plan's limits on the newest night: "
          + Count.list(Set(violations.map(\.reading.name.description)).sorted(), atMost: 4) + ".")
    }
    let waiting = changes(.unconfirmed)
    if let first = waiting.first {
      sentences.append(
        "Not confirmed yet: " + Self.sentence(of: first)
          + (waiting.count > 1 ? ", and \(waiting.count - 1) more." : "."))
    }
    return sentences
  }

  private func headline(_ days: ClosedRange<Int>) -> String {
    let nights = Count.of(nightCount, "night")
    let span =
      "\(nights) of \(plan) on \(rig), \(CalendarDay(number: days.lowerBound)) to "
      + "\(CalendarDay(number: days.upperBound))"
    return switch outcome {
    case .regression:
      "Regression: \(Count.of(changes(.raised).count, "confirmed change")) for the worse in \(span)."
    case .rigMoved: "The rig moved: the control changed in \(span)."
    case .outsideLimits: "No regression, but outside the plan's limits: \(span)."
    case .unconfirmed: "No regression; a change is not confirmed yet: \(span)."
    case .steady, .empty: "No regression: \(span)."
    }
  }

  var nightCount: Int { Set(series.flatMap { $0.nightly.nights.map(\.day) }).count }

  static func sentence(of change: Change) -> String {
    let point = change.point
    let unit = change.unit
    return "\(subject(of: change)) went from \(EngineeringFormat.text(point.before, unit)) to "
      + "\(EngineeringFormat.text(point.after, unit)) (\(Self.effect(of: point, unit))) on "
      + "\(CalendarDay(number: point.day))"
  }

  static func sentence(of difference: EnvironmentDifference) -> String {
    "\(difference.key) from \(Count.list(difference.good, atMost: 4)) to "
      + Count.list(difference.bad, atMost: 4)
  }

  static func subject(of change: Change) -> String {
    let key = change.alarm.key
    return key.reading + (key.pattern.isEmpty ? "" : " of \(key.pattern)")
  }

  static func effect(of point: ChangePoint, _ unit: MeasurementUnit) -> String {
    (point.effect > 0 ? "+" : "")
      + EngineeringFormat.text(point.effect, unit, uncertainty: point.uncertainty)
  }
}
