public import Acceptance
public import ChangeDetection
public import Units

/// What the nights of a plan on a rig say together: series, changes, alarms, and what explains them.
///
/// A plain value, made from an archive by the command line; `nightly.html`, the terminal's table and
/// the JSON of `haprig history` and `haprig regress` are drawn from it. Days are counted from
/// 1970-01-01 UTC; `CalendarDay` writes them.
public struct HistoryReport: Sendable, Equatable {
  /// The rig's name.
  public var rig: String
  /// The plan's name.
  public var plan: String
  /// The first and the last day looked at; `nil` where there is no night.
  public var days: ClosedRange<Int>?
  /// The series by actuator, pattern and reading; those of the control among them.
  public var series: [Series]
  /// The runs, ascending by when they began; re-runs and runs that did not end well among them.
  public var runs: [Run]
  /// What the newest night's runs found outside the plan's limits, whatever the history says.
  public var violations: [Violation]
  /// Everyone's word on levels of this rig, in the order in which it was given.
  public var decisions: [BaselineDecision]
  /// How the actuator answered to an impulse, then and now; `nil` where no probe was answered.
  public var impulse: ImpulseComparison?
  /// What a reader has to know: runs that could not be read, limits that are not known.
  public var notes: [String]

  /// Makes a report.
  public init(
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

  /// One reading of one pattern on one actuator, night by night.
  public struct Series: Sendable, Equatable {
    /// Its key, its unit and its nights; values are in the unit's own scale (seconds, not ms).
    public var nightly: NightlySeries
    /// Its changes, ascending by day, with what they lead to.
    public var changes: [Change]
    /// What new nights are held against; `nil` of a series without nights.
    public var baseline: Baseline?
    /// How the level drifts since the last confirmed change; `nil` below eight nights.
    public var trend: Trend?
    /// What the newest run's plan asks of it; `nil` where it asks nothing.
    public var limit: Limit?

    /// Makes a series.
    public init(
      nightly: NightlySeries, changes: [Change] = [], baseline: Baseline? = nil,
      trend: Trend? = nil, limit: Limit? = nil
    ) {
      self.nightly = nightly
      self.changes = changes
      self.baseline = baseline
      self.trend = trend
      self.limit = limit
    }

    /// What makes the series.
    public var key: SeriesKey { nightly.key }

    /// How the plan's limit judges the newest night's median; `nil` where it asks nothing.
    public var verdict: Verdict? {
      guard let limit, let last = nightly.nights.last else { return nil }
      return limit.judge(last.value, uncertainty: nil)
    }
  }

  /// A change of a series: the point, what it leads to and why, and what else changed that night.
  public struct Change: Sendable, Equatable {
    /// The series, the change point, its standing and the reason in one sentence.
    public var alarm: Alarm
    /// The unit of its levels.
    public var unit: MeasurementUnit
    /// The run nearest to the median of the last night before; empty where there is none.
    public var runBefore: String
    /// The run nearest to the median of the first night after.
    public var runAfter: String
    /// How the environment of the nights before and after differs, best separating first; of changes
    /// that were raised, held back or of the control itself.
    public var differences: [EnvironmentDifference]

    /// Makes a change.
    public init(
      alarm: Alarm, unit: MeasurementUnit, runBefore: String = "", runAfter: String = "",
      differences: [EnvironmentDifference] = []
    ) {
      self.alarm = alarm
      self.unit = unit
      self.runBefore = runBefore
      self.runAfter = runAfter
      self.differences = differences
    }

    /// Where and how far the level changed.
    public var point: ChangePoint { alarm.point }
    /// What it leads to.
    public var standing: Alarm.Standing { alarm.standing }
  }

  /// A run of the plan on the rig.
  public struct Run: Sendable, Equatable {
    /// The name of its folder.
    public var id: String
    /// When it began, as text in UTC: `2026-11-21T09:51:50Z`.
    public var began: String
    /// The day it counts for.
    public var day: Int
    /// How it ended.
    public var status: RunRecord.Status
    /// How it was judged by the plan's limits.
    public var verdict: Verdict
    /// Where its `report.html` lies from the page's folder, percent-encoded; `nil` where it is on
    /// another machine or gone.
    public var link: String?
    /// The run that it repeats; `nil` of a run of its own.
    public var reruns: String?

    /// Makes a run.
    public init(
      id: String, began: String, day: Int, status: RunRecord.Status = .complete, verdict: Verdict,
      link: String? = nil, reruns: String? = nil
    ) {
      self.id = id
      self.began = began
      self.day = day
      self.status = status
      self.verdict = verdict
      self.link = link
      self.reruns = reruns
    }
  }

  /// A reading of the newest night that its plan's limit does not allow.
  public struct Violation: Sendable, Equatable {
    /// The run.
    public var run: String
    /// The reading's name.
    public var reading: String
    /// The pattern; empty for a reading of the whole run.
    public var pattern: String
    /// The repeat, from 1.
    public var take: Int?
    /// The event, from 0.
    public var event: Int?
    /// The value in the reading's unit; `nil` of a required reading that was not measured.
    public var value: Double?
    /// Its standard uncertainty.
    public var uncertainty: Double?
    /// What was asked, in words; empty where the record is not at hand.
    public var limit: String

    /// Makes an account of a value outside its limit.
    public init(
      run: String, reading: String, pattern: String, take: Int? = nil, event: Int? = nil,
      value: Double?, uncertainty: Double? = nil, limit: String
    ) {
      self.run = run
      self.reading = reading
      self.pattern = pattern
      self.take = take
      self.event = event
      self.value = value
      self.uncertainty = uncertainty
      self.limit = limit
    }
  }
}
