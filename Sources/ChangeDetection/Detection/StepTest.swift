// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// Tests splits of a series on all nights of both levels, averaged over the likely noise models.
struct StepTest {
  /// A split between two levels, and what its test said.
  struct Split {
    /// The first night of the new level, among those kept.
    var index: Int
    var size = 0.0
    /// The standard deviation of the size by the noise.
    var deviation = 0.0
    /// The chance of such a step by noise, at most 1; 2 of what is a drift or too small to matter.
    var chance = 2.0
  }

  /// The kept nights.
  let nights: [Night]
  let minimum: MinimumEffect
  let fewestNights: Int
  let runs: OutlierRuns
  var noise: NoiseEstimate

  var values: [Double] { noise.models[noise.likeliest].filter.values }

  /// The nights compared on either side, at most: levels that are older tell of other times.
  private static let reach = 150
  /// The weight below which a model is not asked: it would hardly move an average.
  static let leastWeight = 0.02
  /// What one night may speak for a step, in deviations.
  ///
  /// Three would cost a step of three its fourth night.
  fileprivate static let mostOfNight = 4.0
  /// By how many squares a step must explain more than a line, or how many beside it, not to be a
  /// drift.
  fileprivate static let besideLine = (more: 6.0, beside: 16.0)
  /// After this many nights on its shorter side a split has had its chances: each further one is a
  /// trial more, up to the last.
  private static let trials = (free: 5.0, last: 25)
  /// The nights either side of a split that tell its own scatter: what is loud now, and since
  /// lately.
  fileprivate static let neighbours = [15, 45]
  /// How many nights' worth the series' deviation has beside one side's own.
  fileprivate static let pooling = 2.0
  /// Nights from which on a scatter of their own is measured robustly.
  fileprivate static let enoughForScale = 12
  /// What is allowed to a scatter of both sides by chance before it counts.
  fileprivate static let tolerance = 0.9

  /// The nights compared of a range.
  private func compared(at split: Int, in range: Range<Int>) -> Range<Int> {
    max(range.lowerBound, split - Self.reach)..<min(range.upperBound, split + Self.reach)
  }

  /// The medians of the nights compared.
  func levels(at split: Int, in range: Range<Int>) -> (before: Double, after: Double) {
    let near = compared(at: split, in: range)
    return (
      Robust.median(Array(values[near.lowerBound..<split])) ?? 0,
      Robust.median(Array(values[split..<near.upperBound])) ?? 0
    )
  }

  /// Tests whether the levels left and right of a split differ.
  ///
  /// Scores, sizes and freedoms are averaged over the models, not chances: one unlikely model in
  /// which everything is chance would be a veto. The chance is never less than that of a run of
  /// outliers.
  mutating func tested(_ split: Int, in range: Range<Int>) -> Split {
    let near = compared(at: split, in: range)
    var (weight, score, freedom, size, variance, steps) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for index in noise.models.indices where noise.models[index].weight >= Self.leastWeight {
      let share = noise.models[index].weight
      let test = noise.models[index].test(split, in: near)
      weight += share
      score += share * test.score
      freedom += share * noise.models[index].freedom
      size += share * test.size
      variance += share * test.variance
      steps += test.isStep ? share : 0
    }
    var result = Split(
      index: split, size: size / weight, deviation: (variance / weight).squareRoot())
    let levels = levels(at: split, in: range)
    let measured = hypot(
      uncertainty(near.lowerBound..<split), uncertainty(split..<near.upperBound))
    guard steps >= 0.5 * weight,
      abs(levels.after - levels.before)
        >= minimum.bound(level: levels.before, uncertainty: measured)
    else { return result }
    let side = min(split - range.lowerBound, range.upperBound - split, Self.trials.last)
    let chance =
      StudentDistribution.tails(beyond: score / weight, freedom: freedom / weight)
      * max(1, Double(side) / Self.trials.free)
    let run = runs.chance(at: split, in: range, before: levels.before, after: levels.after)
    result.chance = min(1, max(chance, run))
    return result
  }

  /// The uncertainty from measurement of the median of some nights.
  private func uncertainty(_ range: Range<Int>) -> Double {
    let squares = nights[range].reduce(0) { $0 + $1.uncertainty * $1.uncertainty }
    let count = Double(range.count)
    return (squares / count * Double.pi / (2 * count + Double.pi - 2)).squareRoot()
  }

  /// What the step explains by the likeliest model at places near a split; the best of them.
  mutating func settled(_ split: Int, in range: Range<Int>, within nights: Int) -> Int {
    let filter = noise.likeliest
    _ = noise.models[filter].filter.scan(range)
    func explained(_ place: Int) -> Double {
      noise.models[filter].filter.step(at: place - range.lowerBound).explained
    }
    let lowest = max(range.lowerBound + fewestNights, split - nights)
    let highest = min(range.upperBound - fewestNights, split + nights)
    guard lowest <= highest else { return split }
    var best = split
    // Equal but for rounding: the split stays where it is.
    for place in lowest...highest where explained(place) > explained(best) * (1 + 1e-9) {
      best = place
    }
    return best
  }
}

extension NoiseEstimate.Weighed {
  /// The test of a split in this model.
  fileprivate mutating func test(
    _ split: Int, in near: Range<Int>
  ) -> (score: Double, size: Double, variance: Double, isStep: Bool) {
    let place = split - near.lowerBound
    let before = filter.level(of: near.lowerBound..<split)
    let after = filter.level(of: split..<near.upperBound)
    let all = filter.scan(near)
    let step = filter.step(at: place)
    let beside = filter.stepBesideLine(at: place, all)
    var rest = Array(filter.values[near])
    for index in rest.indices { rest[index] -= index < place ? before.value : after.value }
    let scatter = scatter(of: filter.innovations(of: rest), at: place)
    let deviation = scatter * step.variance.squareRoot()
    let isAfter = near.count - place <= place
    let bounded = boundedScore(
      at: place, in: near, isAfter: isAfter, against: isAfter ? before : after, scatter)
    let square = scatter * scatter
    return (
      score: min(abs(step.size) / deviation, abs(bounded)), size: step.size,
      variance: deviation * deviation,
      isStep: step.explained - all.explained >= StepTest.besideLine.more * square
        || beside >= StepTest.besideLine.beside * square
    )
  }

  /// The deviation of a night near a split: the series', or more where it scatters more here.
  private func scatter(of innovations: [Double], at place: Int) -> Double {
    let square = deviation * deviation
    var variance = square
    let all = innovations.span
    for nights in StepTest.neighbours {
      let (start, end) = (max(0, place - nights), min(all.count, place + nights))
      let count = Double(end - start)
      if end - start > StepTest.enoughForScale {
        let both = StepTest.tolerance * Robust.scale(all.extracting(start..<end))
        variance = max(variance, both * both * count / (count - 2))
      }
      for side in [start..<place, place..<end] where side.count > 1 {
        let count = Double(side.count)
        var own = 0.0
        if side.count < StepTest.enoughForScale {
          for night in side { own += all[night] * all[night] }
          own *= count / (count - 1)
        } else {
          let scale = Robust.scale(all.extracting(side))
          own = scale * scale * count
        }
        variance = max(
          variance, (StepTest.pooling * square + own) / (StepTest.pooling + count))
      }
    }
    return variance.squareRoot()
  }

  /// A step over its deviation where no night may add more than a bound: the shorter side, night by
  /// night, against the level of the longer.
  ///
  /// The noise looks the same backwards, so the shorter side may as well be the one before. One
  /// night that leaps, and those after it that follow because neighbours are alike, are no step by
  /// themselves.
  mutating func boundedScore(
    at place: Int, in near: Range<Int>, isAfter: Bool, against level: KalmanFilter.Level,
    _ scatter: Double
  ) -> Double {
    filter.makeReady(near, backwards: !isAfter)
    var rest = filter.values[near].map { $0 - level.value }
    if !isAfter { rest.reverse() }
    let innovations = filter.innovations(of: rest)
    let bound = StepTest.mostOfNight * deviation
    var (sum, power, foretold) = (0.0, 0.0, 0.0)
    for index in (isAfter ? place : near.count - place)..<near.count {
      let night = filter.nights[index]
      let share = 1 - foretold
      sum += share * night.precision.squareRoot() * min(max(innovations[index], -bound), bound)
      power += share * share * night.precision
      foretold = night.link * (foretold + night.gain * share)
    }
    return sum / power / (scatter * (1 / power + 1 / level.precision).squareRoot())
  }
}
