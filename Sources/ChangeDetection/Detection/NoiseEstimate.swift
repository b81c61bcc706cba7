// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// How likely each noise model is, each weighed with the steps that it leaves in the series.
///
/// Steps and noise are sought together: what wanders looks like steps to a model of independent
/// nights, and steps like wandering to one that knows none.
struct NoiseEstimate {
  /// One model, with what it makes of the series.
  struct Weighed {
    var filter: KalmanFilter
    /// Its share of the likelihood; all together are 1.
    var weight = 0.0
    /// The standard deviation of a night.
    var deviation: Double
    /// How many nights the deviation rests on, less what was fitted.
    var freedom: Double
    /// Whether lines stand for steps in it: a drift, and no stair.
    var hasLines: Bool
    /// Twice the negative logarithm of its likelihood and prior.
    fileprivate var cost: Double
  }

  var models: [Weighed]
  /// The index of the model of the largest weight.
  let likeliest: Int

  /// What a step must explain to be worth its size and place: deviations squared, times log n.
  ///
  /// Below it noise becomes steps, above it steps become noise.
  private static let priceOfStep = 2.1
  /// The price of a line, which has no place, in steps.
  private static let priceOfLine = 0.5
  /// The squares that a line must explain to be taken off a level before its scatter is measured.
  private static let leastOfLine = (squares: 10.0, nights: 12)
  /// The first nights of a filter, whose innovations still hold the level.
  private static let settling = 3

  /// Weighs the models on nights whose deviation is at least `floor`; a prior tells what is known of
  /// them from elsewhere.
  init(
    values: [Double], days: [Double], floor: Double, fewestNights: Int, prior: NoisePrior? = nil
  ) {
    let middle = Robust.median(values) ?? 0
    let unit = max(Robust.scale(values.map { $0 - middle }), floor)
    let known = (deviation: prior?.deviation(at: middle) ?? 0, freedom: prior?.freedom ?? 0)
    models = NoiseModel.all.indices.map {
      var model = NoiseModel.all[$0]
      if let prior { model.prior = prior.logWeights[$0] }
      return Self.fitted(
        KalmanFilter(model, values: values, days: days), floor, fewestNights, unit: unit, known)
    }
    let least = models.map(\.cost).min() ?? 0
    let shares = models.map { exp(-0.5 * ($0.cost - least)) }
    let sum = shares.reduce(0, +)
    for index in models.indices { models[index].weight = shares[index] / sum }
    likeliest = models.firstIndex { $0.cost == least } ?? 0
  }

  /// Fits a model: with lines, and where one came into play, as a stair of steps alone; what costs
  /// less counts.
  ///
  /// Each level takes a night from the freedom of the deviation, so that its likelihood depends on
  /// the unit of the deviation. That unit is how wide levels lie: as the values do. A deviation
  /// known from elsewhere counts by its own freedom, in the deviation and in the likelihood.
  private static func fitted(
    _ filter: KalmanFilter, _ floor: Double, _ fewestNights: Int, unit: Double,
    _ known: (deviation: Double, freedom: Double)
  ) -> Weighed {
    var filter = filter
    let count = Double(filter.values.count)
    filter.makeReady(filter.values.indices)
    let precision = filter.nights.reduce(0) { max($0, $1.precision) }
    let logVariances = filter.nights.reduce(0) { $0 - log($1.precision) }
    // Rounding and measurement are independent from night to night.
    let floor = floor * precision.squareRoot()
    let rough = max(Self.scaleOfDifferences(filter), floor)
    let price = priceOfStep * log(count)
    var best: Weighed?
    for hasLines in [true, false] {
      let (splits, usesLines) = filter.divided(
        KalmanFilter.Division(
          least: (price + log(count)) * rough * rough, fewestNights: fewestNights,
          hasLines: hasLines))
      let fit = filter.residuals(of: splits) {
        $1 >= leastOfLine.nights && $0 >= leastOfLine.squares * rough * rough
      }
      let own = max(count - Double(splits.count + 1 + fit.lines), 1)
      let scale = Robust.scale(fit.innovations)
      let squares = count * scale * scale + known.freedom * known.deviation * known.deviation
      let freedom = own + known.freedom
      let deviation = max((squares / freedom).squareRoot(), floor)
      let likelihood =
        2 * freedom * log(deviation / unit) + logVariances + fit.logPrecisions
      let parameters = Double(splits.count) + priceOfLine * Double(fit.lines)
      let cost = likelihood + price * parameters - 2 * filter.model.prior
      if cost < best?.cost ?? .infinity {
        best = Weighed(
          filter: filter, deviation: deviation, freedom: freedom, hasLines: hasLines, cost: cost)
      }
      if !usesLines { break }
    }
    return best
      ?? Weighed(
        filter: filter, deviation: rough, freedom: 1, hasLines: true, cost: .infinity)
  }

  /// The deviation of a night by what neighbouring innovations differ, which steps hardly touch.
  private static func scaleOfDifferences(_ filter: KalmanFilter) -> Double {
    let middle = Robust.median(filter.values) ?? 0
    let innovations = filter.innovations(of: filter.values.map { $0 - middle })
    let first = min(settling, innovations.count - 4) + 1
    let differences = (first..<innovations.count).map { night -> Double in
      let ratio = filter.nights[night].precision / filter.nights[night - 1].precision
      return innovations[night] - innovations[night - 1] * ratio.squareRoot()
    }
    return Robust.scale(differences) / 2.0.squareRoot()
  }
}

extension KalmanFilter {
  /// What levels leave over, and what the restricted likelihood needs of them.
  ///
  /// The logarithms of the levels' precisions take out what fitted levels hide of the noise
  /// (Patterson and Thompson 1971). `isLine` says of the squares that a line explains in so many
  /// nights whether it is taken off.
  fileprivate mutating func residuals(
    of splits: [Int], isLine: (_ explained: Double, _ nights: Int) -> Bool
  ) -> (innovations: [Double], logPrecisions: Double, lines: Int) {
    var residuals = values
    var (logPrecisions, lines) = (0.0, 0)
    for (start, end) in zip([0] + splits, splits + [values.count]) {
      let level = level(of: start..<end)
      logPrecisions += log(level.precision)
      let hasLine = isLine(level.explained, end - start)
      lines += hasLine ? 1 : 0
      // The level lies on the line at the mean of the days, near enough.
      let mean = days[start..<end].reduce(0, +) / Double(end - start)
      let slope = hasLine ? level.slope : 0
      for night in start..<end { residuals[night] -= level.value + slope * (days[night] - mean) }
    }
    makeReady(values.indices)
    return (innovations(of: residuals), logPrecisions, lines)
  }
}
