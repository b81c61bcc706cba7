public import Acceptance
public import ChangeDetection

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
