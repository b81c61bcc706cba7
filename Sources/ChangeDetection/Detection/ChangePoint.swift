/// Where a series changed its level.
public struct ChangePoint: Sendable, Hashable {
  /// How far a change has come on its way to an alarm.
  public enum State: String, Sendable, Hashable, CaseIterable {
    /// On the last nights, and not sure yet: worth a re-run.
    case weak
    /// Sure, but by the newest night alone: a re-run or the following night must bear it out.
    case found
    /// Borne out.
    case confirmed
  }

  /// The index of the first night of the new level in the series.
  public var index: Int
  /// That night's day.
  public var day: Int
  /// The last night of the old level.
  public var lastDayBefore: Int
  /// The level before: the median of the nights compared.
  public var before: Double
  /// The level after.
  public var after: Double
  /// The standard uncertainty of the change, from the scatter and correlation of the nights.
  public var uncertainty: Double
  /// The chance of such a change by noise.
  public var significance: Double
  /// How far it has come.
  public var state: State

  /// Makes a change point.
  public init(
    index: Int, day: Int, lastDayBefore: Int, before: Double, after: Double, uncertainty: Double,
    significance: Double, state: State
  ) {
    self.index = index
    self.day = day
    self.lastDayBefore = lastDayBefore
    self.before = before
    self.after = after
    self.uncertainty = uncertainty
    self.significance = significance
    self.state = state
  }

  /// The change in the series' unit.
  public var effect: Double { after - before }

  /// The change as a share of the level before; `nil` where that is 0.
  public var relativeEffect: Double? { before == 0 ? nil : effect / abs(before) }

  /// Whether another point is the same change, seen on another night.
  ///
  /// Up to three nights apart, in the same direction.
  public func isSameChange(as other: ChangePoint) -> Bool {
    abs(index - other.index) <= 3 && (effect > 0) == (other.effect > 0)
  }
}
