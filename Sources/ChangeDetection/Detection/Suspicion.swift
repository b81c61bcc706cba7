/// What the newest nights of a series say before a change can be found.
public enum NewestNights: Sendable, Hashable {
  /// Nothing can be told yet: how many more nights are needed before one can be judged.
  case tooFew(nights: Int)
  /// The newest nights lie where their level does.
  case steady
  /// The newest nights lie off.
  case suspected(Suspicion)

  /// The suspicion, where there is one.
  public var suspicion: Suspicion? {
    guard case .suspected(let suspicion) = self else { return nil }
    return suspicion
  }
}

/// Nights that lie off the level before them, and may be a change: too few yet to tell.
public struct Suspicion: Sendable, Hashable {
  /// The change that they may be, `weak`: all nights from its index on lie off, and its significance is the chance
  /// of such nights where nothing changed.
  public let point: ChangePoint
  /// The nights that are still needed, at the earliest, until it is a confirmed change, if they stay
  /// as the newest ones are.
  ///
  /// `nil` where that is more than a month away, or the nights before are too few to confirm any
  /// change.
  public let nightsToConfirm: Int?
}

extension ChangeDetector {
  /// Judges the newest nights, from the first one on that lies off.
  ///
  /// `points` is what `changePoints` found in the series: where a found or confirmed change begins
  /// nothing is suspected any more. A suspicion is no change and raises nothing.
  ///
  /// - Complexity: O(n) for n nights where nothing is suspected, and some milliseconds where
  ///   something is.
  public func newest(
    in series: NightlySeries, after points: [ChangePoint], prior: NoisePrior? = nil
  ) -> NewestNights {
    let minimum = settings.minimum ?? .usual(for: series.unit)
    let judge = NewestNightsJudge(
      series.nights, starts: points.filter { $0.state != .weak }.map(\.index), prior: prior,
      minimum: minimum, fewestNights: settings.fewestNights)
    switch judge.verdict(chance: settings.suspicion) {
    case .tooFew(let nights): return .tooFew(nights: nights)
    case .steady: return .steady
    case .off(let off):
      let nights = series.nights
      return .suspected(
        Suspicion(
          point: ChangePoint(
            index: off.index, day: nights[off.index].day, lastDayBefore: nights[off.index - 1].day,
            before: off.before, after: off.after, uncertainty: off.uncertainty,
            significance: off.chance, state: .weak),
          nightsToConfirm: nightsToConfirm(off, in: series, prior: prior)))
    }
  }

  /// Asks itself how it would answer if further nights lay where those that lie off do, and
  /// scattered as the nights before them.
  private func nightsToConfirm(
    _ off: NewestNightsJudge.Off, in series: NightlySeries, prior: NoisePrior?
  ) -> Int? {
    guard off.index >= settings.fewestNights, let newest = series.nights.last else { return nil }
    var nights = series.nights
    for count in 1...Self.farthest {
      var night = newest
      night.day += count
      night.value = off.after + off.deviation * Self.scores[(count - 1) % Self.scores.count]
      nights.append(night)
      let longer = NightlySeries(key: series.key, unit: series.unit, nights: nights)
      let isConfirmed = changePoints(in: longer, prior: prior).contains {
        $0.state == .confirmed && abs($0.index - off.index) <= settings.fewestNights
          && ($0.effect > 0) == (off.after > off.before)
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
