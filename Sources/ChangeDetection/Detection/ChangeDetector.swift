// SPDX-License-Identifier: Apache-2.0

public import Units

/// Finds where a nightly series changed its level.
///
/// The stages, each explained at its type: weekly pattern off (`WeeklyPattern`), lone nights out
/// (`LoneOutliers`), noise models weighed with the steps that they leave (`NoiseEstimate`), splits
/// proposed by the likeliest (`Segmentation`), tested in all likely ones (`StepTest`), merged, and
/// the last ones confirmed. All of it rests on one filter (`KalmanFilter`, `StepScan`). The same
/// nights always give the same answer.
public struct ChangeDetector: Sendable, Hashable {
  /// How sure it must be, and how far it looks.
  public var settings: DetectorSettings

  /// The nights at the end of a series in which a change still needs to be confirmed.
  private static let recent = 12

  /// Makes a detector.
  public init(_ settings: DetectorSettings = DetectorSettings()) { self.settings = settings }

  /// Finds the changes of a series, ascending; a prior helps a young one.
  ///
  /// Changes older than twelve nights are reported where they are sure, and confirmed. Among the
  /// last nights one is confirmed if it is sure and was at least weak a night before, `found` if it
  /// is sure only with the last night, and `weak` where it is not sure yet.
  ///
  /// - Complexity: O(n) for n nights, times noise models and levels; about 1 ms for a year.
  public func changePoints(
    in series: NightlySeries, prior: NoisePrior? = nil
  ) -> [ChangePoint] {
    let minimum = settings.minimum ?? .usual(for: series.unit)
    guard
      var now = Examination(series.nights, settings: settings, minimum: minimum, prior: prior)
    else { return [] }
    var (candidates, points) = now.points(
      candidate: settings.candidateSignificance, sure: settings.significance)
    let start = series.nights.count - Self.recent
    for candidate in candidates where candidate.index >= start {
      if !points.contains(where: { $0.isSameChange(as: candidate) }) {
        var weak = candidate
        weak.state = .weak
        points.append(weak)
      }
    }
    points.sort { $0.index < $1.index }
    guard points.contains(where: { $0.index >= start && $0.state != .weak }) else { return points }
    var before = Examination(
      Array(series.nights.dropLast()), settings: settings, minimum: minimum,
      prior: prior)
    let known =
      before?.points(candidate: settings.candidateSignificance, sure: nil).candidates ?? []
    for at in points.indices where points[at].index >= start && points[at].state == .confirmed {
      if !known.contains(where: { $0.isSameChange(as: points[at]) }) { points[at].state = .found }
    }
    return points
  }

  /// Weighs a re-run of the newest night: a change that is `found` and borne out is confirmed.
  ///
  /// The re-run speaks by the median of its runs: nearer to the level after than to the level
  /// before confirms; else the newest night was a bad one, and the change is no more than `weak`
  /// until more nights speak. A `weak` change stays weak: a re-run tells the night's bad luck from
  /// a fact, and is no night of its own, because what lasts a night is in both.
  public static func weighing(_ points: [ChangePoint], rerun: [Repeat]) -> [ChangePoint] {
    points.map { point in
      guard point.state == .found, let isBorneOut = point.isBorneOut(by: rerun) else {
        return point
      }
      var weighed = point
      weighed.state = isBorneOut ? .confirmed : .weak
      return weighed
    }
  }
}

/// How sure a detector must be.
public struct DetectorSettings: Sendable, Hashable {
  /// The chance of a change by noise, at most, of a split that is reported.
  ///
  /// Low, because a year asks on 365 evenings, each time about every place.
  public var significance = 1.5e-4
  /// The chance that makes a split on the last nights worth a second look.
  ///
  /// A hundred times the other: the evening before a step is sure it should be no surprise.
  public var candidateSignificance = 1.5e-2
  /// The chance of the newest nights by noise, at most, that makes them suspected.
  public var suspicion = 3e-3
  /// The fewest nights between two changes, and before and after one.
  public var fewestNights = 3
  /// The smallest change that matters; `nil` for the usual one of the series' unit.
  public var minimum: MinimumEffect?

  /// Makes the settings that docs/NIGHTLY.md gives the figures of.
  public init() {}
}

/// The smallest change that matters, however significant: the largest of three bounds.
public struct MinimumEffect: Sendable, Hashable {
  /// A share of the level before the change; 0 where a share means nothing.
  public var relative = 0.01
  /// A difference in the series' unit; what holds where the level is near 0.
  public var absolute = 0.0
  /// A multiple of the change's standard uncertainty from measurement alone.
  public var sigmas = 3.0

  /// The usual bounds of a quantity with this unit.
  ///
  /// 1 % of the level; for levels and intervals, whose zero is a matter of reference, 0.1 dB (1.2 %
  /// of an amplitude) or 0.015 octaves (1 % of a frequency) instead; for a drift 0.5 ppm; for
  /// counts half of one.
  public static func usual(for unit: MeasurementUnit) -> MinimumEffect {
    switch unit {
    case .decibel: MinimumEffect(relative: 0, absolute: 0.1)
    case .octave: MinimumEffect(relative: 0, absolute: 0.015)
    case .partsPerMillion: MinimumEffect(relative: 0, absolute: 0.5)
    case .count: MinimumEffect(relative: 0.01, absolute: 0.5)
    case .celsius: MinimumEffect(relative: 0, absolute: 0.5)
    default: MinimumEffect()
    }
  }

  /// The bound for a change from a level, whose measured uncertainty is given.
  func bound(level: Double, uncertainty: Double) -> Double {
    max(relative * abs(level), absolute, sigmas * uncertainty)
  }
}

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

  /// The nights between two changes, each somewhere after its last night before.
  func gap(to other: ChangePoint) -> Int {
    max(lastDayBefore + 1 - other.day, other.lastDayBefore + 1 - day, 0)
  }

  /// Whether a re-run lies nearer to the level after than to that before, by the median of its runs; `nil` where
  /// nothing was run again.
  func isBorneOut(by rerun: [Repeat]) -> Bool? {
    Robust.median(rerun.map(\.value).filter(\.isFinite)).map {
      abs($0 - after) < abs($0 - before)
    }
  }
}
