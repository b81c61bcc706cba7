private import Glibc
private import Units

/// What is known of a series' scatter before it has nights of its own: that of its sisters.
///
/// Sisters are the same reading of other patterns and actuators of the rig. The variance of a series
/// is taken to be drawn from a scaled inverse chi-square distribution, whose scale and degrees of
/// freedom are estimated from the sisters': the more alike they are, the more nights their word is
/// worth (Smyth, "Linear Models and Empirical Bayes Methods for Assessing Differential Expression",
/// 2004).
public struct NoisePrior: Sendable, Hashable {
  /// Whether the scatter goes with the level, as that of amplitudes does.
  public let isRelative: Bool
  /// The deviation of a night; a share of the level where it is relative.
  public let deviation: Double
  /// How many nights it is worth.
  public let freedom: Double

  /// What the logarithm of a variance differs by between series of one reading, before any are
  /// seen, as a variance: a factor of 1.6 in the deviation.
  private static let usualSpread = 1.0
  /// The sisters that this is worth.
  private static let weightOfUsual = 2.0
  /// Fewer nights of a sister tell nothing of its scatter.
  private static let fewestNights = 3

  /// Estimates the prior by the sisters of a series, itself not among them; `nil` where none of
  /// them tells its scatter.
  public init?(sisters: [NightlySeries]) {
    self.init(scatters: sisters.compactMap(Scatter.init))
  }

  /// A prior for each of many series, by the others of the same rig, reading and unit.
  public static func ofEach(_ all: [NightlySeries]) -> [SeriesKey: NoisePrior] {
    struct Kind: Hashable {
      var rig: String
      var reading: String
      var unit: MeasurementUnit
    }
    var priors: [SeriesKey: NoisePrior] = [:]
    let kinds = Dictionary(grouping: all) {
      Kind(rig: $0.key.rig, reading: $0.key.reading, unit: $0.unit)
    }
    for sisters in kinds.values where sisters.count > 1 {
      let scatters = sisters.map { (key: $0.key, scatter: Scatter($0)) }
      for one in sisters {
        priors[one.key] = NoisePrior(
          scatters: scatters.compactMap { $0.key == one.key ? nil : $0.scatter })
      }
    }
    return priors
  }

  /// The deviation of a night at a level.
  func deviation(at level: Double) -> Double { isRelative ? deviation * abs(level) : deviation }

  /// A series' own scatter.
  struct Scatter: Sendable, Hashable {
    var level: Double
    var deviation: Double
    var freedom: Double

    private static let newest = 60
    private static let width = 15

    /// About the running median of fifteen nights, which steps hardly touch; `nil` where there is
    /// none.
    init?(_ series: NightlySeries) {
      let values = series.values.suffix(Self.newest)
      guard values.count >= NoisePrior.fewestNights else { return nil }
      let width = min(Self.width, (values.count - 1) / 2 * 2 + 1)
      let middles = LoneOutliers.runningMedian(of: Array(values), width: width)
      let deviation = Robust.scale(zip(values, middles).map { $0 - $1 })
      let levels = Double(values.count) / Double(width)
      freedom = Double(values.count) - levels.rounded(.up)
      level = Robust.median(Array(values)) ?? 0
      self.deviation = deviation * (Double(values.count) / freedom).squareRoot()
      guard self.deviation > 0, self.deviation.isFinite else { return nil }
    }

    init(level: Double, deviation: Double, freedom: Double) {
      self.level = level
      self.deviation = deviation
      self.freedom = freedom
    }
  }

  /// Of both ways, with the level or not, the one by which the sisters are more alike.
  init?(scatters: [Scatter]) {
    guard
      let absolute = Self.fitted(scatters.map { ($0.deviation, $0.freedom) })
    else { return nil }
    let relative =
      scatters.contains { $0.level == 0 }
      ? nil : Self.fitted(scatters.map { ($0.deviation / abs($0.level), $0.freedom) })
    if let relative, relative.spread < absolute.spread {
      (isRelative, deviation, freedom) = (true, relative.deviation, relative.freedom)
    } else {
      (isRelative, deviation, freedom) = (false, absolute.deviation, absolute.freedom)
    }
  }

  /// Moments of the logarithms of variances: with s0^2 and d0 the scale and the freedom of the prior
  /// and d that of a series, ln s^2 has the mean ln s0^2 + psi(d/2) - ln(d/2) - psi(d0/2) + ln(d0/2)
  /// and the variance psi'(d/2) + psi'(d0/2).
  private static func fitted(
    _ sisters: [(deviation: Double, freedom: Double)]
  ) -> (deviation: Double, freedom: Double, spread: Double)? {
    guard !sisters.isEmpty else { return nil }
    let logarithms = sisters.map {
      2 * log($0.deviation) - Polygamma.digamma(0.5 * $0.freedom) + log(0.5 * $0.freedom)
    }
    let count = Double(sisters.count)
    let mean = logarithms.reduce(0, +) / count
    let squares = logarithms.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    let own = sisters.reduce(0) { $0 + Polygamma.trigamma(0.5 * $1.freedom) } / count
    // What their own few nights explain is no difference between them.
    let between = max(squares - (count - 1) * own, 0)
    let spread =
      (weightOfUsual * usualSpread + between) / (weightOfUsual + count - 1)
    let freedom = 2 * Polygamma.inverseTrigamma(spread)
    let variance = exp(mean + Polygamma.digamma(0.5 * freedom) - log(0.5 * freedom))
    return (variance.squareRoot(), freedom, squares)
  }
}
