/// Finds where a nightly series changed its level.
///
/// The stages, each explained at its type: weekly pattern off (`WeeklyPattern`), lone nights out
/// (`LoneOutliers`), levels by a cautious noise model, noise by what those leave (`NoiseModel`), then
/// splits by the energy statistic (`EnergyStatistic`), tested and merged (`Segmentation`), and the
/// last ones confirmed. The same nights always give the same answer.
public struct ChangeDetector: Sendable, Hashable {
  /// How sure it must be, and how far it looks.
  public var settings: DetectorSettings

  /// The nights at the end of a series in which a change still needs to be confirmed.
  private static let recent = 12

  /// Makes a detector.
  public init(_ settings: DetectorSettings = DetectorSettings()) { self.settings = settings }

  /// Finds the changes of a series, ascending.
  ///
  /// Changes older than twelve nights are reported where they are sure, and confirmed. Among the
  /// last nights one is confirmed if it is sure and was at least weak a night before, `found` if it
  /// is sure only with the last night, and `weak` where it is not sure yet.
  ///
  /// - Complexity: For n nights O(n w), w being the window; about 0.3 ms for a year.
  public func changePoints(in series: NightlySeries) -> [ChangePoint] {
    let minimum = settings.minimum ?? .usual(for: series.unit)
    guard let now = Examination(series.nights, settings: settings, minimum: minimum) else {
      return []
    }
    var points = now.points(significance: settings.significance)
    let candidates = now.points(significance: settings.candidateSignificance)
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
    let before = Examination(
      Array(series.nights.dropLast()), settings: settings, minimum: minimum)
    let known = before?.points(significance: settings.candidateSignificance) ?? []
    for at in points.indices where points[at].index >= start && points[at].state == .confirmed {
      if !known.contains(where: { $0.isSameChange(as: points[at]) }) { points[at].state = .found }
    }
    return points
  }
}
