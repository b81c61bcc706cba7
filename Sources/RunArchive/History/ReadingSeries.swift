// SPDX-License-Identifier: Apache-2.0

public import Acceptance
public import ChangeDetection
import Units

/// A run as the index knows it; everything else is in its folder.
public struct ArchivedRun: Sendable, Equatable {
  /// The name of the run's folder.
  public var id: String
  /// The rig's name.
  public var rig: String
  /// The actuator's id.
  public var actuator: String
  /// The plan's name.
  public var plan: String
  /// When the run began.
  public var started: Moment
  /// How it ended.
  public var status: RunRecord.Status
  /// How it was judged.
  public var verdict: Verdict
  /// The version of haprig that made it.
  public var software: String
  /// The code revision that was under test; `nil` where the run was not told.
  public var revision: String?
  /// How many readings it has, measured or not.
  public var readings: Int
  /// The SHA-256 of its `record.json` when it was indexed.
  public var recordHash: String
  /// Where its folder lies: below the archive's own folder (empty), or on another machine.
  public var place: String

  /// The UTC day, by which runs make a night.
  public var day: CalendarDay { started.day }
}

/// One reading as the index keeps it.
public struct ArchivedReading: Sendable, Equatable {
  /// The reading's name.
  public var name: String
  /// The pattern; empty for a reading of the whole run.
  public var pattern: String
  /// The repeat, from 1.
  public var take: Int?
  /// The event, from 0.
  public var event: Int?
  /// The capture channel.
  public var channel: String?
  /// The value; `nil` where it was not measured.
  public var value: Double?
  /// The unit of value and uncertainty.
  public var unit: String
  /// One standard uncertainty.
  public var uncertainty: Double?
  /// How many samples, events or takes it rests on.
  public var count: Int?
  /// How it was judged, where something was asked of it.
  public var verdict: Verdict?
  /// Why it was not measured, or what a reader must know.
  public var note: String?
}

/// Which runs a question is about; what is `nil` or empty does not narrow it.
public struct RunFilter: Sendable, Equatable {
  /// The rig's name.
  public var rig: String?
  /// The actuator's id.
  public var actuator: String?
  /// The plan's name.
  public var plan: String?
  /// The verdict.
  public var verdict: Verdict?
  /// The UTC days, both ends included.
  public var days: ClosedRange<CalendarDay>?
  /// The runs themselves.
  public var ids: [String]
  /// At most so many, the latest.
  public var limit: Int?

  /// Makes a filter.
  public init(
    rig: String? = nil, actuator: String? = nil, plan: String? = nil, verdict: Verdict? = nil,
    days: ClosedRange<CalendarDay>? = nil, ids: [String] = [], limit: Int? = nil
  ) {
    self.rig = rig
    self.actuator = actuator
    self.plan = plan
    self.verdict = verdict
    self.days = days
    self.ids = ids
    self.limit = limit
  }
}

/// A series as the index lists it.
public struct SeriesListing: Sendable, Hashable {
  /// What makes the series.
  public var key: SeriesKey
  /// The plan that its runs followed: series of several plans stay apart.
  public var plan: String
  /// The unit of its values.
  public var unit: String
}

/// The values of one series night by night, as the runs gave them.
public struct ReadingSeries: Sendable, Equatable {
  /// The runs of one UTC day.
  public struct RunsOfNight: Sendable, Equatable {
    /// The day.
    public var day: CalendarDay
    /// One value a run, in the order in which the runs began.
    public var values: [RunValue]
  }

  /// What one run says of the series.
  public struct RunValue: Sendable, Equatable {
    /// The run's id.
    public var run: String
    /// When the run began.
    public var began: Moment
    /// The median of the run's readings of this name and pattern.
    public var value: Double
    /// The median of their standard uncertainties: what they have in common is not averaged away.
    public var uncertainty: Double?
    /// How many readings the value rests on.
    public var count: Int
  }

  /// The series.
  public var listing: SeriesListing
  /// The nights with at least one value, in the order of time.
  public var nights: [RunsOfNight]
}

extension ReadingSeries {
  /// The name in a run's environment by which a re-run says which run it repeats.
  public static let rerunMark = "rerun"
  /// The name in a run's environment that says that it is the run of a rig's night, as `haprig nightly` makes it.
  public static let nightMark = "night"
  /// The name in a run's environment by which it says what job it was made for: of a job's complete runs the earliest counts.
  public static let jobMark = "job"

  /// The series as change detection takes it: a median a night, but for re-runs, which repeat another run and are
  /// no evidence of their own night.
  ///
  /// A unit that no version knows counts as 1.
  public func nightly(without reruns: Set<String> = []) -> NightlySeries {
    NightlySeries(
      key: listing.key, unit: MeasurementUnit(rawValue: listing.unit) ?? .one,
      nights: nights.compactMap { night in
        Night(
          day: night.day.number,
          repeats: night.values.filter { reruns.isEmpty || !reruns.contains($0.run) }
            .map(\.repeat))
      })
  }

  /// What the runs of some ids measured.
  public func repeats(of runs: Set<String>) -> [Repeat] {
    guard !runs.isEmpty else { return [] }
    return nights.flatMap(\.values).filter { runs.contains($0.run) }.map(\.repeat)
  }
}

extension ReadingSeries.RunValue {
  /// The value as one of the repeats of a night.
  fileprivate var `repeat`: Repeat {
    Repeat(run: run, value: value, uncertainty: uncertainty ?? 0)
  }
}
