// SPDX-License-Identifier: Apache-2.0

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
  /// Whether the plan has a control, among the series that are shown or beside them.
  package var hasControl: Bool
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
    hasControl = series.contains(where: \.key.isControl)
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
    /// What its newest nights say, with the word of a re-run; `nil` where the rig's newest night
    /// has none of it.
    package var newest: WeighedNights?
    /// What its newest nights are suspected of: no change yet, and none of `changes`.
    package var suspected: Change?
    package var baseline: Baseline?
    /// How the level drifts since the last confirmed change; `nil` below eight nights.
    package var trend: Trend?
    package var limit: Limit?
    /// How it goes with the temperature of its nights; `nil` where that is not known well enough.
    package var temperature: TemperatureEffect?

    package init(
      nightly: NightlySeries, changes: [Change] = [], newest: WeighedNights? = nil,
      suspected: Change? = nil, baseline: Baseline? = nil, trend: Trend? = nil, limit: Limit? = nil,
      temperature: TemperatureEffect? = nil
    ) {
      self.temperature = temperature
      self.nightly = nightly
      self.changes = changes
      self.newest = newest
      self.suspected = suspected
      self.baseline = baseline
      self.trend = trend
      self.limit = limit
    }

    package var key: SeriesKey { nightly.key }

    /// Its changes and what is suspected; a change that is no more than weak where the same is
    /// suspected is told once.
    var told: [Change] {
      guard let suspected else { return changes }
      return changes.filter {
        $0.point.state != .weak || !$0.point.isSameChange(as: suspected.point)
      } + [suspected]
    }

    /// The trend where nights without a drift would come in such an order with a chance below 1 %.
    var sureTrend: Trend? {
      trend.flatMap { $0.significance < 0.01 && $0.perMonth != 0 ? $0 : nil }
    }

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
        Shown.bound(of: reading.name.kind)
          + Shown.size($0, reading.unit, uncertainty: reading.uncertainty)
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
    /// A change that is not confirmed yet, or nights that are suspected of one.
    case unconfirmed
    /// No series has enough nights for one to be judged.
    case tooFew = "too few nights"
    case steady
    case empty
  }

  package var outcome: Outcome { outcome(of: incidents) }

  func outcome(of incidents: [Incident]) -> Outcome {
    let standings = Set(incidents.map(\.standing))
    return if standings.contains(.raised) {
      .regression
    } else if incidents.contains(where: holdsBack) {
      .rigMoved
    } else if !violations.isEmpty {
      .outsideLimits
    } else if !standings.isDisjoint(with: [.unconfirmed, .suspected]) {
      .unconfirmed
    } else if days == nil {
      .empty
    } else {
      judged.isEmpty && !waiting.isEmpty ? .tooFew : .steady
    }
  }

  /// Whether it holds something of the product back, or is a change of the control of the last
  /// fourteen nights: older ones have no alarm of the product left to hold.
  private func holdsBack(_ incident: Incident) -> Bool {
    incident.changes.contains { change in
      switch change.standing {
      case .heldBack: true
      case .rigMoved: change.point.day > (newestDay ?? .min) - Self.recentNights
      default: false
      }
    }
  }

  /// Every change of every series, what needs a person first, as standings are ordered; within one
  /// the earliest first, of one day the largest.
  package var changes: [Change] {
    series.flatMap(\.changes).sorted { left, right in
      let order = (left.standing.rank, left.point.day)
      let other = (right.standing.rank, right.point.day)
      guard order == other else { return order < other }
      let (size, otherSize) = (left.alarm.sigmas, right.alarm.sigmas)
      return size == otherSize ? left.alarm.key < right.alarm.key : size > otherSize
    }
  }

  package func changes(_ standing: Alarm.Standing) -> [Change] {
    changes.filter { $0.standing == standing }
  }

  package var newestDay: Int? { days?.upperBound }

  /// How many nights at the end of the series a moved control speaks about.
  private static let recentNights = 14

  /// The series whose newest nights can be judged.
  private var judged: [Series] {
    series.filter { one in
      guard let newest = one.newest else { return false }
      if case .tooFew = newest.nights { return false }
      return true
    }
  }

  /// How many more nights each series needs whose nights are too few to be judged.
  var waiting: [Int] {
    series.compactMap { one in
      guard case .tooFew(let nights) = one.newest?.nights else { return nil }
      return nights
    }
  }

  var nightCount: Int { Set(series.flatMap { $0.nightly.nights.map(\.day) }).count }
}
