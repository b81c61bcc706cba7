// SPDX-License-Identifier: Apache-2.0

extension ChangeDetector {
  /// The nights that each change which is not confirmed still needs, by its index, at the earliest
  /// and if they stay as those after it are; a change without a number needs more than a month.
  ///
  /// `newest` is what the newest nights of the same series say: where they are suspected of the same
  /// change, they have been asked already.
  ///
  /// - Complexity: up to thirty passes over the series a change.
  func nightsToConfirm(
    _ points: [ChangePoint], in series: NightlySeries, newest: NewestNights, prior: NoisePrior?
  ) -> [Int: Int] {
    var needed: [Int: Int] = [:]
    for point in points where point.state != .confirmed {
      if let suspicion = newest.suspicion, suspicion.point.isSameChange(as: point) {
        needed[point.index] = suspicion.nightsToConfirm
        continue
      }
      let starts = points.filter { $0.state != .weak && $0.index < point.index }.map(\.index)
      let judge = NewestNightsJudge(
        series.nights, starts: starts, prior: prior,
        minimum: settings.minimum ?? .usual(for: series.unit), fewestNights: settings.fewestNights)
      needed[point.index] = nightsToConfirm(
        at: point.index, from: point.before, to: point.after,
        scatter: judge.scatter(before: point.index), in: series, prior: prior)
    }
    return needed
  }

  /// Asks itself how it would answer if further nights lay where those from an index on do, and
  /// scattered as the nights before them; `nil` where a month of them would not confirm the change,
  /// or the nights before are too few.
  func nightsToConfirm(
    at index: Int, from before: Double, to after: Double, scatter: Double,
    in series: NightlySeries, prior: NoisePrior?
  ) -> Int? {
    guard index >= settings.fewestNights, let newest = series.nights.last else { return nil }
    // As far as a small step's place is in doubt (Bai 1997).
    let deviations = abs(after - before) / scatter
    let farthestPlace = max(
      settings.fewestNights, Int(min(5, 11 / max(deviations * deviations, 1))))
    var nights = series.nights
    for count in 1...Self.farthest {
      var night = newest
      night.day += count
      night.value = after + scatter * Self.scores[(count - 1) % Self.scores.count]
      nights.append(night)
      let longer = NightlySeries(key: series.key, unit: series.unit, nights: nights)
      let isConfirmed = changePoints(in: longer, prior: prior).contains {
        $0.state == .confirmed && abs($0.index - index) <= farthestPlace
          && ($0.effect > 0) == (after > before)
      }
      if isConfirmed { return count }
    }
    return nil
  }

  /// The expected values of ten standard normal ones, in an order without a pattern.
  private static let scores = [
    0.38, -1.0, 0.12, 1.54, -0.66, 0.66, -0.12, -1.54, 1.0, -0.38,
  ]
  /// The nights that are looked ahead.
  private static let farthest = 30
}
