// SPDX-License-Identifier: Apache-2.0

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
          nightsToConfirm: nightsToConfirm(
            at: off.index, from: off.before, to: off.after, scatter: off.deviation, in: series,
            prior: prior)))
    }
  }
}
