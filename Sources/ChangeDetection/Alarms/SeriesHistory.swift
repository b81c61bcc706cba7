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
    let points = ChangeDetector.weighing(detector.changePoints(in: nightly), rerun: rerun)
    self.points = points
    baseline = Baseline(of: nightly, points: points, decisions: decisions, pinned: pinned)
    trend = Trend(of: nightly, from: points.last { $0.state == .confirmed }?.index ?? 0)
  }

  /// What alarms are decided on.
  public var finding: SeriesFinding {
    SeriesFinding(key: nightly.key, points: points, baseline: baseline)
  }

  /// Whether a re-run tonight would tell more: a change is found, by the newest night alone.
  public var asksForRerun: Bool { points.contains { $0.state == .found } }
}
