extension ChangeDetector {
  /// Weighs a re-run of the newest night: a change that is `found` and borne out is confirmed.
  ///
  /// The re-run speaks by the median of its runs: nearer to the level after than to the level before
  /// confirms; else the newest night was a bad one, and the change is no more than `weak` until more
  /// nights speak. A `weak` change stays weak: a re-run tells the night's bad luck from a fact, and
  /// is no night of its own, because what lasts a night is in both.
  ///
  /// - Parameters:
  ///   - points: What `changePoints(in:)` found.
  ///   - rerun: The runs made again, not part of the series.
  /// - Returns: The points with their new states.
  public static func weighing(_ points: [ChangePoint], rerun: [Repeat]) -> [ChangePoint] {
    guard let value = Robust.median(rerun.map(\.value).filter(\.isFinite)) else { return points }
    return points.map { point in
      guard point.state == .found else { return point }
      var weighed = point
      weighed.state = abs(value - point.after) < abs(value - point.before) ? .confirmed : .weak
      return weighed
    }
  }
}
