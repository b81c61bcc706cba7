private import Glibc

/// The work of one detection: splits that the energy statistic proposes, tested, then merged.
///
/// The order of Hunter (Fleming and others, 2023), now Apache Otava: windows over the series, weak
/// points in each, then the least significant point is taken away until all that remain hold. Where
/// Hunter asks a t-test, here is the step test of correlated noise.
struct Segmentation {
  let settings: DetectorSettings
  let minimum: MinimumEffect
  let series: WhitenedSeries
  let uncertainties: [Double]
  let noise: NoiseModel
  /// What splits are held against besides; `nil` where they are only looked for.
  let runs: OutlierRuns?
  /// The nights after which a split has had its chances; later ones count as further trials.
  let youth: Double

  /// How much weaker than asked a point may be before merging.
  static let weakness = 10.0

  var count: Int { series.values.count }

  var fewestNights: Int { settings.fewestNights }

  /// The points that windows of the series propose, ascending.
  func weakPoints(significance: Double) -> [Int] {
    var found: Set<Int> = []
    let weak = significance * Self.weakness
    var start = 0
    while start < count {
      let end = min(start + settings.window, count)
      var inside: [Int] = []
      divide(start..<end, significance: weak, into: &inside)
      found.formUnion(inside)
      if end == count { break }
      start = max(inside.last ?? 0, start + settings.window / 2)
    }
    // The last nights once more, with a whole window behind them.
    var latest: [Int] = []
    divide(max(0, count - settings.window)..<count, significance: weak, into: &latest)
    return found.union(latest).sorted()
  }

  /// E-divisive: splits where the energy statistic is highest, then both parts.
  private func divide(_ range: Range<Int>, significance: Double, into found: inout [Int]) {
    guard
      let best = EnergyStatistic.bestSplit(of: series.values, in: range, fewestValues: fewestNights)
    else { return }
    let split = settled(best.index, in: range)
    guard test(split, in: range).chance <= significance else { return }
    divide(range.lowerBound..<split, significance: significance, into: &found)
    found.append(split)
    divide(split..<range.upperBound, significance: significance, into: &found)
  }

  struct Split {
    var index: Int
    /// The step and its standard uncertainty from the scatter of the nights.
    var size: Double
    var deviation: Double
    var chance: Double
  }

  /// How far a split may settle from where the energy statistic put it, in nights.
  private static let settling = 5
  /// What the overall deviation weighs against that of the nights of one level.
  private static let pooling = 5.0
  /// What one night may speak for a step, in deviations of an innovation.
  private static let mostOfNight = 3.0

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

  /// The deviations that a step must have beside a straight line: where the line alone explains the nights
  /// better than the step alone, and anywhere.
  private static let besideLine = (better: 3.0, worse: 2.0)
  /// Two points could push each other to and fro for ever.
  private static let mostMoves = 50

  /// Takes points away, the least sure first, until every one that remains holds.
  ///
  /// What is taken away or moved changes the neighbours alone, so only they are tested again.
  func merged(_ proposed: [Int], significance: Double) -> [Split] {
    var points = proposed
    var tests = points.indices.map { tested($0, of: points) }
    func testAnew(_ places: ClosedRange<Int>) {
      for at in places where points.indices.contains(at) {
        tests[at] = tested(at, of: points)
      }
    }
    func remove(_ at: Int) {
      points.remove(at: at)
      tests.remove(at: at)
      testAnew(at - 1...at)
    }
    var moves = 0
    while true {
      if let crowded = points.indices.dropFirst().first(where: {
        points[$0] - points[$0 - 1] < fewestNights
      }) {
        let laterIsWeaker = tests[crowded].split.chance > tests[crowded - 1].split.chance
        remove(laterIsWeaker ? crowded : crowded - 1)
        continue
      }
      let failing = points.indices.filter {
        tests[$0].split.chance > significance || !tests[$0].matters
      }
      if let weakest = failing.max(by: { tests[$0].split.chance < tests[$1].split.chance }) {
        remove(weakest)
        continue
      }
      let splits = tests.map(\.split)
      guard moves < Self.mostMoves, let better = surerPlace(points, splits) else { return splits }
      points[better.at] = better.place
      testAnew(better.at - 1...better.at + 1)
      moves += 1
    }
  }

  private func tested(_ at: Int, of points: [Int]) -> (split: Split, matters: Bool) {
    let split = test(points[at], in: range(around: at, of: points))
    return (split, isLargeEnough(split, at, of: points))
  }

  /// The first point that has a surer place, and the place; `nil` where all stand well.
  private func surerPlace(_ points: [Int], _ splits: [Split]) -> (at: Int, place: Int)? {
    for at in points.indices {
      let range = range(around: at, of: points)
      let place = settled(points[at], in: range)
      if place != points[at], test(place, in: range).chance < splits[at].chance {
        return (at, place)
      }
    }
    return nil
  }

  /// The nights between the points before and after one.
  func range(around at: Int, of points: [Int]) -> Range<Int> {
    (at == 0 ? 0 : points[at - 1])..<(at == points.count - 1 ? count : points[at + 1])
  }

  /// The medians of the nights compared at a point.
  func levels(around at: Int, of points: [Int]) -> (before: Double, after: Double) {
    let near = neighbourhood(of: points[at], in: range(around: at, of: points))
    return (
      Robust.median(Array(series.values[near.lowerBound..<points[at]])) ?? 0,
      Robust.median(Array(series.values[points[at]..<near.upperBound])) ?? 0
    )
  }

  /// Whether a step matters, and is a step and no drift.
  private func isLargeEnough(_ split: Split, _ at: Int, of points: [Int]) -> Bool {
    let near = neighbourhood(of: points[at], in: range(around: at, of: points))
    let levels = levels(around: at, of: points)
    let measured = hypot(
      uncertainty(near.lowerBound..<points[at]), uncertainty(points[at]..<near.upperBound))
    let bound = minimum.bound(level: levels.before, uncertainty: measured)
    return abs(levels.after - levels.before) >= bound && !isDrift(split, in: near)
  }

  /// Whether a step adds little to what a straight line explains.
  private func isDrift(_ split: Split, in near: Range<Int>) -> Bool {
    let (gain, lineIsBetter) = series.stepBesideLine(at: split.index, in: near)
    let least = noise.innovation * (lineIsBetter ? Self.besideLine.better : Self.besideLine.worse)
    return gain < least * least
  }

  /// The uncertainty from measurement of the median of some nights.
  private func uncertainty(_ nights: Range<Int>) -> Double {
    let squares = uncertainties[nights].reduce(0) { $0 + $1 * $1 }
    let count = Double(nights.count)
    return (squares / count * Double.pi / (2 * count + Double.pi - 2)).squareRoot()
  }
}

/// The energy statistic of E-divisive: how far apart the distributions left and right of a split are.
///
/// Source: Matteson and James, "A Nonparametric Approach for Multiple Change Point Analysis of
/// Multivariate Data", Journal of the American Statistical Association 109 (2014), equations 5 and
/// 6, with alpha = 1; the right part ends where the segment ends, as in Hunter (Fleming and others,
/// "Hunter: Using Change Point Detection to Hunt for Performance Regressions", 2023).
enum EnergyStatistic {
  /// The statistic Q of every split of a stretch of values, the highest, and where.
  ///
  /// With n values left and m right of the split,
  /// Q = n m / (n + m) (2 / (n m) sum |x - y| - 2 / (n (n - 1)) sum |x - x'| - 2 / (m (m - 1))
  /// sum |y - y'|), each pair counted once. Of equal splits the first counts.
  ///
  /// Gives the index of the first value right of the split, and Q; `nil` where a side would have fewer than
  /// `fewestValues`, at least 2. O(n^2) in the length of the stretch.
  static func bestSplit(
    of values: [Double], in range: Range<Int>, fewestValues: Int
  ) -> (index: Int, statistic: Double)? {
    let side = max(fewestValues, 2)
    let count = range.count
    guard count >= 2 * side else { return nil }
    // before[i] and after[i]: the sums of the distances of value i to all before and after it.
    var before = [Double](repeating: 0, count: count)
    var after = before
    var total = 0.0
    values.withUnsafeBufferPointer { all in
      for i in 0..<count {
        let value = all[range.lowerBound + i]
        var sum = 0.0
        for j in 0..<i {
          let distance = abs(value - all[range.lowerBound + j])
          sum += distance
          after[j] += distance
        }
        before[i] = sum
        total += sum
      }
    }
    var best: (index: Int, statistic: Double)?
    var left = 0.0
    var right = total
    for split in 1...(count - side) {
      left += before[split - 1]
      right -= after[split - 1]
      guard split >= side else { continue }
      let n = Double(split)
      let m = Double(count - split)
      let between = total - left - right
      let statistic =
        n * m / (n + m)
        * (2 * between / (n * m) - 2 * left / (n * (n - 1)) - 2 * right / (m * (m - 1)))
      if statistic > best?.statistic ?? -.infinity {
        best = (range.lowerBound + split, statistic)
      }
    }
    return best
  }
}
