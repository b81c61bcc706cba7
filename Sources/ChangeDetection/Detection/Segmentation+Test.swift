extension Segmentation {
  /// A split and what speaks for it.
  struct Split {
    var index: Int
    /// The step and its standard uncertainty from the scatter of the nights.
    var size: Double
    var deviation: Double
    /// The chance of such a step by noise.
    var chance: Double
  }

  /// How far a split may settle from where the energy statistic put it, in nights.
  private static let settling = 5
  /// What the overall deviation weighs against that of the nights of one level.
  private static let pooling = 5.0
  /// What one night may speak for a step, in deviations of an innovation.
  private static let mostOfNight = 3.0

  /// The nights that are compared at a split of a range.
  func neighbourhood(of split: Int, in range: Range<Int>) -> Range<Int> {
    max(range.lowerBound, split - settings.reach)..<min(range.upperBound, split + settings.reach)
  }

  /// Tests whether the levels left and right of a split differ.
  ///
  /// The step over its deviation, by Student's distribution; and once more where no night adds more than
  /// three deviations, the less sure of both counting. A split that has lain in the series for long has been
  /// tested on as many nights, in ever new company: its chance counts (m / youth)^2 times, m being the
  /// nights on its shorter side. It is never less than that of a run of outliers.
  func test(_ split: Int, in range: Range<Int>) -> Split {
    let near = neighbourhood(of: split, in: range)
    let step = series.step(at: split, in: near)
    let scatter = scatter(about: split, in: near)
    let deviation = scatter * step.variance.squareRoot()
    let side = Double(min(split - range.lowerBound, range.upperBound - split, 25))
    let trials = max(1, side * side / (youth * youth))
    var chance = step.size == 0 ? 1.0 : 0
    if scatter > 0 {
      let bounded = series.boundedScore(
        of: step, at: split, in: near, bound: Self.mostOfNight * noise.innovation,
        deviation: scatter)
      let score = min(abs(step.size) / deviation, abs(bounded))
      chance = StudentDistribution.tails(beyond: score, freedom: noise.freedom)
    }
    let run =
      runs?.chance(at: split, in: range, before: step.before, after: step.after) ?? 0
    return Split(
      index: split, size: step.size, deviation: deviation,
      chance: min(1, max(chance * trials, run)))
  }

  /// The deviation of an innovation near a split: the series', or more where it scatters more here.
  private func scatter(about split: Int, in near: Range<Int>) -> Double {
    let left = innovations(max(near.lowerBound, split - 30)..<split)
    let right = innovations(split..<min(near.upperBound, split + 30))
    var variance = noise.innovation * noise.innovation
    if left.count + right.count > 12 {
      let local = 0.9 * Robust.scale(left + right)
      variance = max(
        variance,
        local * local * Double(left.count + right.count)
          / Double(left.count + right.count - 2))
    }
    for side in [left, right] where side.count > 1 {
      let own: Double
      if side.count < 12 {
        own = side.reduce(0) { $0 + $1 * $1 }
      } else {
        let scale = Robust.scale(side)
        own = scale * scale * Double(side.count)
      }
      let pooled =
        (Self.pooling * noise.innovation * noise.innovation + own)
        / (Self.pooling + Double(side.count))
      variance = max(variance, pooled)
    }
    return variance.squareRoot()
  }

  private func innovations(_ range: Range<Int>) -> [Double] {
    let level = series.values[range].reduce(0, +) / Double(range.count)
    return range.dropFirst().map { series.innovation(at: $0, level: level) }
  }

  /// The place near a split where a step explains most.
  func settled(_ split: Int, in range: Range<Int>) -> Int {
    let near = neighbourhood(of: split, in: range)
    let lowest = max(split - Self.settling, near.lowerBound + fewestNights)
    let highest = min(split + Self.settling, near.upperBound - fewestNights)
    guard lowest <= highest else { return split }
    var best = (place: split, score: -Double.infinity)
    for place in lowest...highest {
      let step = series.step(at: place, in: near)
      let score = step.size * step.size / step.variance
      if score > best.score { best = (place, score) }
    }
    return best.place
  }
}
