// SPDX-License-Identifier: Apache-2.0

private import Glibc
import Units

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
  /// The logarithms of how likely the noise models are.
  let logWeights: [Double]
  /// The share of the nights that are outliers.
  private let shares: LoneOutliers.Shares
  /// How many nights that is worth.
  private let nights: Double

  var outliers: (shares: LoneOutliers.Shares, nights: Double) { (shares, nights) }

  /// What the logarithm of a variance differs by between series of one reading, before any are
  /// seen, as a variance: a factor of 1.6 in the deviation.
  private static let usualSpread = 1.0
  /// The sisters that this is worth.
  private static let weightOfUsual = 2.0
  /// The nights that the sisters' outliers are worth, at most: what is an outlier of one may be none
  /// of another.
  private static let mostNightsOfOutliers = 50.0
  /// Fewer nights of a sister tell nothing of its scatter.
  private static let fewestNights = 3

  /// Estimates the prior by the sisters of a series, all in its unit, itself not among them; `nil` where none of
  /// them tells its scatter.
  public init?(sisters: [NightlySeries]) {
    guard let unit = sisters.first?.unit else { return nil }
    self.init(scatters: sisters.compactMap(Scatter.init), unit: unit)
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
          scatters: scatters.compactMap { $0.key == one.key ? nil : $0.scatter }, unit: one.unit)
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
    /// How likely the noise models are; empty of nights that tell none.
    var weights: [Double] = []
    /// The outliers among so many nights.
    var outliers = LoneOutliers.Shares(above: 0, below: 0)
    var nights = 0.0

    private static let newest = 150
    private static let enoughForModels = 30

    init(level: Double, deviation: Double, freedom: Double) {
      self.level = level
      self.deviation = deviation
      self.freedom = freedom
    }

    /// By the likeliest noise model, of few nights about their median; `nil` where there is none.
    init?(_ series: NightlySeries) {
      let nights = Array(series.nights.suffix(Self.newest))
      guard nights.count >= NoisePrior.fewestNights,
        let level = Robust.median(nights.map(\.value))
      else { return nil }
      self.level = level
      if nights.count >= Self.enoughForModels,
        let known = Examination(
          nights, settings: DetectorSettings(), minimum: MinimumEffect(), prior: nil)
      {
        let likeliest = known.noise.models[known.noise.likeliest]
        (deviation, freedom) = (likeliest.deviation, likeliest.freedom)
        weights = known.noise.models.map(\.weight)
        // One of each has been taken for seen.
        self.nights = Double(nights.count)
        outliers = LoneOutliers.Shares(
          above: known.shares.above * (self.nights + 2) - 1,
          below: known.shares.below * (self.nights + 2) - 1)
      } else {
        let count = Double(nights.count)
        freedom = count - 1
        deviation =
          Robust.scale(nights.map { $0.value - level }) * (count / freedom).squareRoot()
      }
      guard deviation > 0, deviation.isFinite else { return nil }
    }
  }

  /// Of both ways, with the level or not, the one by which the sisters are more alike; a single one
  /// goes with the level, where a share of it means something.
  ///
  /// A noise model is as likely as it is in the sisters on average, what is usual being one of them.
  init?(scatters: [Scatter], unit: MeasurementUnit) {
    guard
      let absolute = Self.fitted(scatters.map { ($0.deviation, $0.freedom) })
    else { return nil }
    let hasShares =
      MinimumEffect.usual(for: unit).relative > 0 && scatters.allSatisfy { $0.level != 0 }
    let relative =
      !hasShares
      ? nil : Self.fitted(scatters.map { ($0.deviation / abs($0.level), $0.freedom) })
    let known = scatters.filter { !$0.weights.isEmpty }
    let usual = NoiseModel.all.map { exp($0.prior) }
    let sum = usual.reduce(0, +)
    logWeights = usual.indices.map { model in
      log(usual[model] / sum + known.reduce(0) { $0 + $1.weights[model] })
    }
    let count = known.reduce(0) { $0 + $1.nights }
    nights = min(count, Self.mostNightsOfOutliers)
    shares = LoneOutliers.Shares(
      above: known.reduce(0) { $0 + $1.outliers.above } / max(count, 1),
      below: known.reduce(0) { $0 + $1.outliers.below } / max(count, 1))
    if let relative, relative.spread <= absolute.spread {
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
