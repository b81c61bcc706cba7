/// Some nights made ready for tests: what disturbs taken away, the noise known.
struct Examination {
  private let nights: [Night]
  /// The indices of the nights that are not left out.
  private let kept: [Int]
  let segmentation: Segmentation

  private static let fewestNights = 8
  /// The newest nights, which may hold a change not yet found, do not speak about the noise.
  private static let newest = 10
  private static let enoughHistory = 40
  private static let roughSignificance = 1e-3
  private static let youth = 5.0

  init?(_ nights: [Night], settings: DetectorSettings, minimum: MinimumEffect) {
    let days = nights.map(\.day)
    let raw = nights.map(\.value)
    let quantum = Self.quantum(of: raw)
    let pattern = WeeklyPattern(days: days, values: raw)
    let values = nights.map { pattern.removed(from: $0.value, on: $0.day) }
    let lone = LoneOutliers(values, quantum: quantum)
    guard lone.kept.count >= max(Self.fewestNights, 2 * settings.fewestNights) else { return nil }
    let clean = lone.kept.map { values[$0] }
    func segmentation(_ noise: NoiseModel, runs: OutlierRuns?, youth: Double) -> Segmentation {
      Segmentation(
        settings: settings, minimum: minimum,
        series: WhitenedSeries(clean, nights: lone.kept, correlation: noise.correlation),
        uncertainties: lone.kept.map { nights[$0].uncertainty }, noise: noise, runs: runs,
        youth: youth)
    }
    let rough = segmentation(.cautious(clean, quantum: quantum), runs: nil, youth: .infinity)
    let points = rough.merged(
      rough.weakPoints(significance: Self.roughSignificance),
      significance: Self.roughSignificance)
    let history =
      clean.count >= Self.enoughHistory ? Array(clean.dropLast(Self.newest)) : clean
    let bounds =
      [0] + points.map(\.index).filter { $0 <= history.count - 2 } + [history.count]
    // No level is taken to hold longer than the reach: what drifts slowly is not noise.
    let segments = zip(bounds, bounds.dropFirst()).flatMap { start, end in
      let parts = max(1, (end - start) / settings.reach)
      return (0..<parts).map { part in
        start + (end - start) * part / parts..<start + (end - start) * (part + 1) / parts
      }
    }
    let noise = NoiseModel.fitted(history, nights: lone.kept, segments: segments, quantum: quantum)
    self.nights = nights
    kept = lone.kept
    self.segmentation = segmentation(
      noise, runs: OutlierRuns(values: values, kept: lone.kept, shares: lone.shares),
      youth: Self.youth)
  }

  func points(significance: Double) -> [ChangePoint] {
    let splits = segmentation.merged(
      segmentation.weakPoints(significance: significance), significance: significance)
    let places = splits.map(\.index)
    return splits.indices.map { at in
      let levels = segmentation.levels(around: at, of: places)
      let index = kept[places[at]]
      return ChangePoint(
        index: index, day: nights[index].day, lastDayBefore: nights[kept[places[at] - 1]].day,
        before: levels.before, after: levels.after, uncertainty: splits[at].deviation,
        significance: splits[at].chance, state: .confirmed)
    }
  }

  /// The smallest difference of two values that is not rounding; 0 where all are equal.
  private static func quantum(of values: [Double]) -> Double {
    let sorted = values.sorted()
    let largest = max(abs(sorted.first ?? 0), abs(sorted.last ?? 0))
    var smallest = Double.infinity
    for (lower, upper) in zip(sorted, sorted.dropFirst()) where upper - lower > 1e-12 * largest {
      smallest = min(smallest, upper - lower)
    }
    return smallest.isFinite ? smallest : 0
  }
}

/// What belongs to the day of the week and not to the product: a quiet house on Sundays.
struct WeeklyPattern {
  /// What each day, `day` modulo 7, lies above the week's mean; `nil` where no pattern is sure.
  let offsets: [Double]?

  private static let fewestWeeks = 4
  /// Of chi-square with six degrees of freedom: 4 in 100,000.
  private static let bound = 30.0

  /// Looks for a pattern.
  ///
  /// The medians by weekday of the differences from a running median over seven nights, held against
  /// their uncertainty: the sum of n m^2 / (pi / 2 s^2), s being Huber's scale of what they leave.
  init(days: [Int], values: [Double]) {
    offsets = Self.offsets(days: days, values: values)
  }

  private static func offsets(days: [Int], values: [Double]) -> [Double]? {
    guard values.count >= 7 * fewestWeeks else { return nil }
    let level = LoneOutliers.runningMedian(of: values, width: 7)
    var groups = [[Double]](repeating: [], count: 7)
    for index in values.indices {
      groups[weekday(days[index])].append(values[index] - level[index])
    }
    let medians = groups.compactMap(Robust.median)
    guard medians.count == 7 else { return nil }
    let mean = medians.reduce(0, +) / 7
    let offsets = medians.map { $0 - mean }
    let rest = groups.indices.flatMap { day in groups[day].map { $0 - medians[day] } }
    let deviation = Robust.scale(rest)
    let strength = groups.indices.reduce(0) { sum, day in
      sum + Double(groups[day].count) * offsets[day] * offsets[day]
    }
    return strength > bound * 0.5 * Double.pi * deviation * deviation ? offsets : nil
  }

  func removed(from value: Double, on day: Int) -> Double {
    guard let offsets else { return value }
    return value - offsets[Self.weekday(day)]
  }

  private static func weekday(_ day: Int) -> Int { ((day % 7) + 7) % 7 }
}
