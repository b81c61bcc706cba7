// SPDX-License-Identifier: Apache-2.0

/// What the nights of one series say by themselves: changes, newest nights, baseline, trend.
public struct SeriesHistory: Sendable, Hashable {
  /// The nights.
  public let nightly: NightlySeries
  /// The changes, ascending; a re-run of the newest night has been weighed.
  public let points: [ChangePoint]
  /// What the newest nights say before a change can be found; `nil` of what is never judged.
  public let newest: WeighedNights?
  /// The nights that a change which is not confirmed still needs, by its index, if they stay as those
  /// after it are; none of a change that a month of such nights would not confirm.
  public let nightsToConfirm: [Int: Int]
  /// What new nights are held against.
  public let baseline: Baseline?
  /// How the level drifts since the last confirmed change; `nil` below eight nights.
  public let trend: Trend?

  /// Looks at a series.
  ///
  /// `rerun` is what re-runs of the newest night measured, `pinned` what pinned runs did;
  /// `decisions` are in the order in which they were given; `prior` is what sister series know of
  /// the scatter.
  public init(
    _ nightly: NightlySeries, rerun: [Repeat] = [], decisions: [BaselineDecision] = [],
    pinned: [Repeat] = [], prior: NoisePrior? = nil, detector: ChangeDetector = ChangeDetector()
  ) {
    self.nightly = nightly
    let isJudged = !nightly.key.isOfSurroundings
    let points =
      isJudged
      ? ChangeDetector.weighing(detector.changePoints(in: nightly, prior: prior), rerun: rerun) : []
    self.points = points
    newest =
      isJudged
      ? WeighedNights(detector.newest(in: nightly, after: points, prior: prior), rerun: rerun) : nil
    nightsToConfirm = detector.nightsToConfirm(
      points, in: nightly, newest: newest?.nights ?? .steady, prior: prior)
    baseline = Baseline(of: nightly, points: points, decisions: decisions, pinned: pinned)
    trend = Trend(of: nightly, from: points.last { $0.state == .confirmed }?.index ?? 0)
  }

  /// What alarms are decided on.
  public var finding: SeriesFinding {
    var days: ClosedRange<Int>?
    if let first = nightly.nights.first?.day, let last = nightly.nights.last?.day, first <= last {
      days = first...last
    }
    return SeriesFinding(
      key: nightly.key, points: points, nightsToConfirm: nightsToConfirm, newest: newest,
      baseline: baseline, days: days)
  }

  /// Whether a re-run tonight would tell more: a change is found, by the newest night alone.
  public var asksForRerun: Bool { points.contains { $0.state == .found } }
}

/// What the newest nights say, with the word of a re-run of the last of them.
///
/// The re-run speaks by the median of its runs: nearer to the level before it takes a suspicion
/// back, nearer to the nights that lie off it bears it out. It is no night of its own, because what
/// lasts a night is in both; but where the plan is run again, a change is confirmed on the evening
/// on which it is found, and not a night later.
public struct WeighedNights: Sendable, Hashable {
  /// What the nights say by themselves.
  public let nights: NewestNights
  /// Whether a re-run bears the suspicion out; `nil` where nothing is suspected or nothing was run
  /// again.
  public let isBorneOut: Bool?

  init(_ nights: NewestNights, rerun: [Repeat] = []) {
    self.nights = nights
    isBorneOut = nights.suspicion?.point.isBorneOut(by: rerun)
  }

  /// The suspicion that stands.
  public var suspicion: Suspicion? { isBorneOut == false ? nil : nights.suspicion }

  /// The suspicion that a re-run took back.
  public var takenBack: Suspicion? { isBorneOut == false ? nights.suspicion : nil }

  /// The nights that are still needed until the suspicion that stands is a confirmed change, at the
  /// earliest; `nil` where nobody can say.
  public var nightsToConfirm: Int? {
    suspicion?.nightsToConfirm.map { isBorneOut == true ? max(1, $0 - 1) : $0 }
  }
}
