// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// How nights scatter about their level: each for itself, and by what wanders from night to night.
///
/// The wandering part is of first order: across g days it is correlated by phi^g, days without a
/// night and nights left out among them.
struct NoiseModel: Sendable, Hashable {
  /// The correlation of what wanders from one day to the next, phi.
  var correlation: Double
  /// The share of what wanders in the variance of a night.
  var wandering: Double
  /// The logarithm of how likely it is before a night is seen, against that of independent nights.
  var prior: Double

  /// Independent nights, wandering nights, and slow wandering beside independent scatter.
  ///
  /// The priors are weak beside a year of nights, which speaks with some 50, and rule below fifty
  /// nights: a young series counts as independent unless it shows otherwise, so that a step shows
  /// early.
  static let all = [
    NoiseModel(correlation: 0, wandering: 0, prior: 0),
    NoiseModel(correlation: 0.3, wandering: 1, prior: -0.9),
    NoiseModel(correlation: 0.5, wandering: 1, prior: -3),
    NoiseModel(correlation: 0.7, wandering: 1, prior: -4.5),
    NoiseModel(correlation: 0.85, wandering: 1, prior: -7.5),
    NoiseModel(correlation: 0.9, wandering: 0.15, prior: -3.5),
    NoiseModel(correlation: 0.9, wandering: 0.4, prior: -3.5),
    NoiseModel(correlation: 0.9, wandering: 0.75, prior: -3.5),
    NoiseModel(correlation: 0.97, wandering: 0.4, prior: -3.5),
  ]

  func correlation(across days: Double) -> Double {
    days == 1 ? correlation : pow(correlation, days)
  }
}

/// Foretells each night of a range by those before it, in one noise model of unit variance.
///
/// A night's innovation is what it differs from its prediction. With P the variance of what wanders
/// as foretold, F = P + 1 - rho that of the innovation and L the correlation with the next night: K
/// = P / F; m' = L (m + K innovation); P' = L^2 P (1 - K) + rho (1 - L^2).
struct KalmanFilter {
  /// A night as the filter passes it.
  struct Night {
    /// 1 / F.
    var precision = 0.0
    /// K.
    var gain = 0.0
    /// L; 0 at the last night.
    var link = 0.0
    /// The innovations of a level of 1, of a line that rises by 1 in 100 days, of the values; after
    /// the scan for steps what `StepScan` says.
    var level = 0.0
    var line = 0.0
    var value = 0.0
  }

  let model: NoiseModel
  let values: [Double]
  /// Days since the first night.
  let days: [Double]
  private let links: [Double]
  /// The nights of the range last made ready, from 0 on: one buffer for all ranges.
  var nights: [Night]
  private var ready: Range<Int>?

  init(_ model: NoiseModel, values: [Double], days: [Double]) {
    self.model = model
    self.values = values
    self.days = days
    links = zip(days.dropFirst(), days).map { model.correlation(across: $0 - $1) }
    nights = [Night](repeating: Night(), count: values.count)
  }

  /// Computes precisions, gains and links of a range; `backwards` from its last night to its first.
  mutating func makeReady(_ range: Range<Int>, backwards: Bool = false) {
    if range == ready, !backwards { return }
    ready = backwards ? nil : range
    let (rho, links, count) = (model.wandering, links, range.count)
    var predicted = rho
    var nights = nights.mutableSpan
    for place in 0..<count {
      let precision = 1 / (predicted + (1 - rho))
      let gain = predicted * precision
      let after = backwards ? range.upperBound - 2 - place : range.lowerBound + place
      let link = place + 1 == count ? 0 : links[after]
      nights[place].precision = precision
      nights[place].gain = gain
      nights[place].link = link
      predicted = link * link * predicted * (1 - gain) + rho * (1 - link * link)
    }
  }

  /// The innovations of values less their level, each over its deviation; the range has been made
  /// ready.
  func innovations(of values: [Double]) -> [Double] {
    var foretold = 0.0
    return values.indices.map { place in
      let night = nights[place]
      let innovation = values[place] - foretold
      foretold = night.link * (foretold + night.gain * innovation)
      return innovation * night.precision.squareRoot()
    }
  }
}
