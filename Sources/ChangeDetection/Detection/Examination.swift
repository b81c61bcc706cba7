private import Glibc

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

/// Nights that stand alone: far from the nights around them, while those agree with each other.
///
/// A night is left out where it is more than four deviations from the running median. The deviation is
/// Huber's scale of all such differences, then twice that of the ones within the bound, because many
/// outliers swell it. The median is over five nights; where more than 3.5 % are left out chance puts several
/// beside each other, and it is over seven, above 7 % over nine. At the ends of a series it is over the last
/// five or seven, so that a new level shows there after three or four nights.
struct LoneOutliers {
  /// The indices of the values that remain.
  let kept: [Int]
  /// How likely a night is an outlier above its level, and below: with one of each taken for seen.
  let shares: (above: Double, below: Double)

  private static let threshold = 4.0
  private static let roundsOfScale = 2
  private static let widestAtEnds = 7

  init(_ values: [Double], quantum: Double) {
    var width = 5
    var kept = Array(values.indices)
    var shares = (above: 1 / Double(values.count + 2), below: 1 / Double(values.count + 2))
    while values.count >= width {
      let residuals = zip(values, Self.medians(of: values, width: width)).map { $0 - $1 }
      var bound = Self.threshold * max(Robust.scale(residuals), 0.5 * quantum)
      for _ in 0..<Self.roundsOfScale {
        let within = residuals.filter { abs($0) <= bound }
        bound = Self.threshold * max(Robust.scale(within), 0.5 * quantum)
      }
      kept = values.indices.filter { abs(residuals[$0]) <= bound }
      let above = residuals.count { $0 > bound }
      let below = residuals.count { $0 < -bound }
      let nights = Double(values.count + 2)
      shares = (Double(above + 1) / nights, Double(below + 1) / nights)
      let share = 1 - Double(kept.count) / Double(values.count)
      let wanted = share > 0.07 ? 9 : share > 0.035 ? 7 : 5
      if wanted <= width { break }
      width += 2
    }
    self.kept = kept
    self.shares = shares
  }

  private static func medians(of values: [Double], width: Int) -> [Double] {
    var medians = runningMedian(of: values, width: width)
    guard width > widestAtEnds else { return medians }
    let narrow = runningMedian(of: values, width: widestAtEnds)
    for index in 0..<width / 2 {
      medians[index] = narrow[index]
      medians[values.count - 1 - index] = narrow[values.count - 1 - index]
    }
    return medians
  }

  /// The median of the `width` values about each; at the ends, of the first or last ones.
  static func runningMedian(of values: [Double], width: Int) -> [Double] {
    var window = [Double](repeating: 0, count: width)
    return values.indices.map { index in
      let start = min(max(index - width / 2, 0), values.count - width)
      for offset in 0..<width {
        let value = values[start + offset]
        var place = offset
        while place > 0, window[place - 1] > value {
          window[place] = window[place - 1]
          place -= 1
        }
        window[place] = value
      }
      return window[width / 2]
    }
  }
}

/// Whether the nights of a new level could be outliers that came one after the other.
///
/// Where a tenth of the nights are outliers, three in a row come every third year, and look like a step. So
/// a split is held against how often they come in this very series: the more of them, the more nights a
/// new level needs.
struct OutlierRuns {
  /// All nights, those that are left out among them.
  let values: [Double]
  /// The indices of the nights that are not left out.
  let kept: [Int]
  let shares: (above: Double, below: Double)

  /// A level that has lasted longer than this is none of outliers.
  private static let longest = 30

  /// The chance that so many nights of either level are on their side of the middle by being outliers, of the
  /// level that is likelier one of them.
  ///
  /// `split` is the first kept night of the new level, `range` the kept nights of both.
  func chance(at split: Int, in range: Range<Int>, before: Double, after: Double) -> Double {
    let first = range.lowerBound == 0 ? 0 : kept[range.lowerBound]
    let end = range.upperBound == kept.count ? values.count : kept[range.upperBound]
    let middle = 0.5 * (before + after)
    let rises = after > before
    return max(
      chance(of: first..<kept[split], above: !rises, middle),
      chance(of: kept[split]..<end, above: rises, middle))
  }

  private func chance(of nights: Range<Int>, above: Bool, _ middle: Double) -> Double {
    guard nights.count <= Self.longest else { return 0 }
    let share = above ? shares.above : shares.below
    let count = nights.count
    let seen = nights.count { (values[$0] > middle) == above }
    var term = pow(share, Double(count))
    var sum = term
    for outliers in stride(from: count, to: seen, by: -1) {
      term *= Double(outliers) / Double(count - outliers + 1) * (1 - share) / share
      sum += term
    }
    return min(sum, 1)
  }
}
