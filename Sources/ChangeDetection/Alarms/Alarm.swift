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

  /// Makes a finding; without a direction the reading's usual one.
  public init(
    key: SeriesKey, points: [ChangePoint], baseline: Baseline? = nil,
    direction: BetterDirection? = nil
  ) {
    self.key = key
    self.points = points
    self.baseline = baseline
    self.direction = direction ?? BetterDirection(reading: key.reading)
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

  /// Makes an alarm.
  public init(key: SeriesKey, point: ChangePoint, standing: Standing, reason: String) {
    self.key = key
    self.point = point
    self.standing = standing
    self.reason = reason
  }
}
