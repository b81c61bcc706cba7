// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// Holds the newest nights of a series, one to five of them, against the level before.
///
/// All of them have to lie off on the same side, a deviation or more each. What they are held
/// against are up to sixty nights before: the level's for its height, all of them for the scatter,
/// with that of a prior, each worth its degrees of freedom. Three chances are asked, and the largest
/// counts: that of Student's t; the same by the noise models, where the nights tell wandering from
/// independent scatter; and how often single nights lay as far off in this very series.
struct NewestNightsJudge {
  struct Off {
    var index: Int
    var before: Double
    var after: Double
    /// Of a night, by the nights before and the prior.
    var deviation: Double
    var uncertainty: Double
    var chance: Double
    /// The squares that the step explains: where it begins is where they are most.
    var explained: Double
  }

  enum Verdict {
    case tooFew(nights: Int)
    case steady
    case off(Off)
  }

  private let nights: [Night]
  /// Values without the weekly pattern.
  private let values: [Double]
  /// The first night of each level; 0 is the first of them.
  private let starts: [Int]
  private let prior: NoisePrior?
  private let minimum: MinimumEffect
  private let fewestNights: Int

  /// Later a change is found, or it is none.
  private static let mostNights = 5
  /// The nights before that are looked at: older ones tell of other times.
  private static let reach = 60
  /// The degrees of freedom below which no night can be judged.
  ///
  /// The nights' own uncertainty stands in for what lacks: beyond that it only tells how little a
  /// night may scatter.
  private static let leastFreedom = 2.0
  /// Nights within this many deviations are not off.
  private static let leastOff = 1.0
  /// Nights more than this many deviations off are no chance of normal scatter.
  private static let farOff = 4.0
  /// The width of the running median that tells how far single nights lay off.
  private static let width = 5

  /// `starts` are the first nights of all levels after the first.
  init(
    _ nights: [Night], starts: [Int], prior: NoisePrior?, minimum: MinimumEffect, fewestNights: Int
  ) {
    let known = nights.dropLast(Self.mostNights)
    let pattern = WeeklyPattern(days: known.map(\.day), values: known.map(\.value))
    self.nights = nights
    values = nights.map { pattern.removed(from: $0.value, on: $0.day) }
    self.starts = [0] + starts
    self.prior = prior
    self.minimum = minimum
    self.fewestNights = fewestNights
  }

  /// The newest nights that lie off, from where the step to them explains most.
  func verdict(chance most: Double) -> Verdict {
    let (fewest, count) = (fewestBefore, nights.count - (starts.last ?? 0))
    guard count > fewest else {
      return starts.count > 1 ? .steady : .tooFew(nights: fewest + 1 - count)
    }
    var best: Off?
    for newest in 1...min(Self.mostNights, count - fewest) {
      guard let off = judged(newest, chance: most), off.explained > best?.explained ?? 0
      else { continue }
      best = off
    }
    return best.map { .off($0) } ?? .steady
  }

  /// What a night before some index scatters about its level, by those before it and the prior.
  func scatter(before split: Int) -> Double {
    let earlier = Earlier(values: values, nights: nights, starts: starts, split: split)
    return pooled(earlier, at: Robust.median(earlier.level.map { values[$0] }) ?? 0).deviation
  }

  /// The nights of a level without which none can be judged.
  ///
  /// One of a series whose scatter a prior tells; after a change, its own first ones.
  private var fewestBefore: Int {
    guard starts.count == 1 else { return fewestNights }
    let known = max(
      prior?.freedom ?? 0, nights.contains { $0.uncertainty > 0 } ? Self.leastFreedom : 0)
    return max(1, Int((Self.leastFreedom + 1 - known).rounded(.up)))
  }

  /// The newest nights, if they lie off.
  private func judged(_ newest: Int, chance most: Double) -> Off? {
    let split = nights.count - newest
    // Most evenings end here.
    guard
      let rough = Robust.median(Array(values[max(starts.last ?? 0, split - Self.reach)..<split])),
      let night = values.last,
      values[split...].allSatisfy({ $0 != rough && ($0 > rough) == (night > rough) })
    else { return nil }
    let earlier = Earlier(
      values: values, nights: nights, starts: starts, split: split)
    guard let before = Robust.median(earlier.level.map { values[$0] }),
      let after = Robust.median(Array(values[split...]))
    else { return nil }
    let (deviation, freedom) = pooled(earlier, at: before)
    let side = after > before ? 1.0 : -1.0
    let least = values[split...].reduce(.infinity) { min($0, side * ($1 - before)) }
    let count = Double(newest)
    let factor = 1 / count + 1 / Double(earlier.level.count)
    guard freedom >= Self.leastFreedom, least > Self.leastOff * deviation,
      abs(after - before)
        >= minimum.bound(level: before, uncertainty: earlier.measured * factor.squareRoot())
    else { return nil }
    let mean = values[split...].reduce(0, +) / count
    var off = Off(
      index: split, before: before, after: after, deviation: deviation,
      uncertainty: deviation * factor.squareRoot(), chance: 0,
      explained: (mean - before) * (mean - before) / factor)
    off.chance = max(
      StudentDistribution.tails(
        beyond: abs(mean - before) / off.uncertainty, freedom: freedom),
      pow(earlier.share(asFarAs: least, side: side, deviation: deviation), count))
    guard off.chance <= most else { return nil }
    if let wandering = byModels(newest, earlier) {
      off.chance = max(off.chance, wandering.chance)
      off.uncertainty = max(off.uncertainty, wandering.uncertainty)
    }
    return off.chance <= most ? off : nil
  }

  /// A scatter of the series' own with that of the prior, each worth its degrees of freedom.
  private func pooled(
    _ own: Earlier, at level: Double
  ) -> (deviation: Double, freedom: Double) {
    let measured = own.measured
    var known = (
      deviation: measured, freedom: measured > 0 ? max(Self.leastFreedom - own.freedom, 0) : 0
    )
    if let prior { known = (max(prior.deviation(at: level), measured), prior.freedom) }
    let freedom = own.freedom + known.freedom
    let squares =
      own.freedom * own.deviation * own.deviation
      + known.freedom * known.deviation * known.deviation
    return (max((squares / freedom).squareRoot(), own.floor), freedom)
  }

  /// The step to the newest nights by the likely noise models; `nil` of nights that tell none.
  private func byModels(
    _ newest: Int, _ earlier: Earlier
  ) -> (chance: Double, uncertainty: Double)? {
    guard earlier.kept.count >= Examination.fewestNights else { return nil }
    func days(_ indices: [Int]) -> [Double] {
      indices.map { Double(nights[$0].day - nights[0].day) }
    }
    let noise = NoiseEstimate(
      values: earlier.kept.map { values[$0] }, days: days(earlier.kept), floor: earlier.floor,
      fewestNights: fewestNights, prior: prior)
    let compared = earlier.level + nights.indices.suffix(newest)
    var (weight, score, freedom, variance) = (0.0, 0.0, 0.0, 0.0)
    for model in noise.models where model.weight >= StepTest.leastWeight {
      var filter = KalmanFilter(
        model.filter.model, values: compared.map { values[$0] }, days: days(compared))
      _ = filter.scan(compared.indices)
      let step = filter.step(at: earlier.level.count)
      let square = model.deviation * model.deviation * step.variance
      weight += model.weight
      score += model.weight * abs(step.size) / square.squareRoot()
      freedom += model.weight * model.freedom
      variance += model.weight * square
    }
    guard weight > 0 else { return nil }
    return (
      StudentDistribution.tails(beyond: score / weight, freedom: freedom / weight),
      (variance / weight).squareRoot()
    )
  }
}

extension NewestNightsJudge {
  /// The nights before those that are judged.
  private struct Earlier {
    /// All of them.
    let values: ArraySlice<Double>
    /// The indices of the newest that do not stand alone, and of those the current level's.
    let kept: [Int]
    let level: [Int]
    /// The deviation of a night about its level.
    let deviation: Double
    let freedom: Double
    /// What a night scatters at least: its measurement and rounding.
    let floor: Double
    let measured: Double

    init(values: [Double], nights: [Night], starts: [Int], split: Int) {
      let reach = NewestNightsJudge.reach
      // As many again, to tell which of them stand alone.
      let first = max(split - 2 * reach, 0)
      let near = nights[first..<split]
      let quantum = Examination.quantum(of: near.map(\.value))
      let lone = LoneOutliers(Array(values[first..<split]), quantum: quantum)
      let kept = lone.kept.map { first + $0 }.suffix(reach)
      let start = starts.last ?? 0
      let newest = kept.filter { $0 >= start }
      level = newest.isEmpty ? Array(start..<split) : newest
      self.values = values[..<split]
      self.kept = Array(kept)
      var rest: [Double] = []
      var levels = 0
      for (start, end) in zip(starts, starts.dropFirst() + [split]) {
        let own = kept.filter { $0 >= start && $0 < end }.map { values[$0] }
        guard let middle = Robust.median(own) else { continue }
        levels += 1
        rest += own.map { $0 - middle }
      }
      freedom = Double(max(rest.count - levels, 0))
      deviation =
        freedom > 0 ? Robust.scale(rest) * (Double(rest.count) / freedom).squareRoot() : 0
      measured = Robust.median(near.map(\.uncertainty)) ?? 0
      floor = Examination.leastScatter(of: near, quantum: quantum)
    }

    /// The share of the nights that lay so far from those around them, on one side: as far, or, of
    /// nights that lay off more than chance allows, half as far.
    ///
    /// Of nights that never differed, and have no deviation otherwise, one is taken for seen:
    /// nothing else tells how rare it is.
    func share(asFarAs distance: Double, side: Double, deviation: Double) -> Double {
      guard deviation > floor || measured > 0 else { return 1 / Double(values.count + 2) }
      let width = NewestNightsJudge.width
      guard values.count >= width else { return 0 }
      let middles = LoneOutliers.runningMedian(of: Array(values), width: width)
      let least = max(0.5 * distance, min(distance, NewestNightsJudge.farOff * deviation))
      let count = zip(values, middles).count { side * ($0 - $1) >= least }
      return Double(count) / Double(values.count)
    }
  }
}
