// SPDX-License-Identifier: Apache-2.0

private import Glibc
public import SeededRandom

/// How simulated nights scatter, in standard deviations of a good night.
public enum SimulatedNoise: String, Sendable, CaseIterable {
  case gaussian = "normal"
  case fewOutliers = "2 % outliers of +10 s"
  case smallOutliers = "2 % outliers of +-5 s"
  case manyOutliers = "10 % outliers of +8 s"
  case weaklyCorrelated = "AR(1) 0.3"
  case correlated = "AR(1) 0.5"
  case stronglyCorrelated = "AR(1) 0.7"
  case wandering = "half AR(1) 0.9, half normal"
  case heavyTails = "Student t, 3 degrees"
  case skewed = "log-normal"
  case weekends = "weekends +1.5 s"
  case weeklySine = "weekly sine of 2 s"
  case slowDrift = "drift of 2 s a year"
  case drift = "drift of 5 s a year"
  case louder = "3 times the scatter from mid-year"
  case quantized = "rounded to 1 s"
  case correlatedOutliers = "AR(1) 0.5, 2 % outliers of +10 s"
  case weaklyCorrelatedOutliers = "AR(1) 0.3, 5 % outliers of +-7 s"
  case leaping = "AR(1) 0.5 of Student t, 5 degrees"
  case correlatedBursts = "AR(1) 0.5, 5 % outliers, exponential"
  case movingAverage = "moving average 0.8"
  case secondOrder = "AR(2) 0.4, 0.2"
  case manyLowOutliers = "10 % outliers of -6 s"
  case wildOutliers = "7 % Cauchy outliers"

  /// Noise that the detector's settings were not chosen by.
  public static let heldOut: [SimulatedNoise] = [
    .correlatedOutliers, .weaklyCorrelatedOutliers, .leaping, .correlatedBursts, .movingAverage,
    .secondOrder, .manyLowOutliers, .wildOutliers,
  ]

  /// Makes a year, or as many nights as asked.
  public func nights(_ count: Int, using random: inout SeededRandom) -> [Double] {
    switch self {
    case .gaussian: (0..<count).map { _ in random.gaussian() }
    case .fewOutliers: soiled(count, share: 0.02, using: &random) { _ in 10 }
    case .smallOutliers: soiled(count, share: 0.02, using: &random) { $0.chance(0.5) ? 5 : -5 }
    case .manyOutliers: soiled(count, share: 0.1, using: &random) { _ in 8 }
    case .correlated: autoregressive(count, 0.5, using: &random)
    case .correlatedOutliers:
      autoregressive(count, 0.5, using: &random).map { random.chance(0.02) ? $0 + 10 : $0 }
    case .stronglyCorrelated: autoregressive(count, 0.7, using: &random)
    case .wandering:
      autoregressive(count, 0.9, using: &random).map { ($0 + random.gaussian()) / 2.0.squareRoot() }
    case .heavyTails: (0..<count).map { _ in student(3, using: &random) }
    case .skewed:
      // Mean 0 and deviation 1: exp(0.5 z) has the mean 1.1331 and the deviation 0.6039.
      (0..<count).map { _ in (exp(0.5 * random.gaussian()) - 1.1331) / 0.6039 }
    case .weekends: (0..<count).map { ($0 % 7 < 2 ? 1.5 : 0) + random.gaussian() }
    case .weeklySine:
      (0..<count).map { 2 * sin(2 * Double.pi * Double($0) / 7) + random.gaussian() }
    case .drift: (0..<count).map { 5 * Double($0) / 365 + random.gaussian() }
    case .louder: (0..<count).map { ($0 < count / 2 ? 1 : 3) * random.gaussian() }
    case .quantized: (0..<count).map { _ in random.gaussian().rounded() }
    case .weaklyCorrelated: autoregressive(count, 0.3, using: &random)
    case .weaklyCorrelatedOutliers:
      autoregressive(count, 0.3, using: &random).map {
        random.chance(0.05) ? $0 + (random.chance(0.5) ? 7 : -7) : $0
      }
    case .leaping:
      autoregressive(count, 0.5, using: &random) { random in
        student(5, using: &random) / (5.0 / 3).squareRoot()
      }
    case .correlatedBursts:
      autoregressive(count, 0.5, using: &random).map {
        random.chance(0.05) ? $0 + 4 - 6 * log(1 - random.uniform()) : $0
      }
    case .movingAverage: movingAverage(count, 0.8, using: &random)
    case .secondOrder: secondOrder(count, using: &random)
    case .manyLowOutliers: soiled(count, share: 0.1, using: &random) { _ in -6 }
    case .wildOutliers:
      soiled(count, share: 0.07, using: &random) { 5 * tan(Double.pi * ($0.uniform() - 0.5)) }
    case .slowDrift: (0..<count).map { 2 * Double($0) / 365 + random.gaussian() }
    }
  }

  private func student(_ freedom: Int, using random: inout SeededRandom) -> Double {
    let squares = (0..<freedom).reduce(0) { sum, _ in sum + pow(random.gaussian(), 2) }
    return random.gaussian() / (squares / Double(freedom)).squareRoot()
  }

  private func soiled(
    _ count: Int, share: Double, using random: inout SeededRandom,
    size: (inout SeededRandom) -> Double
  ) -> [Double] {
    (0..<count).map { _ in
      let night = random.gaussian()
      return random.chance(share) ? night + size(&random) : night
    }
  }

  private func autoregressive(
    _ count: Int, _ phi: Double, using random: inout SeededRandom,
    innovation: (inout SeededRandom) -> Double = { $0.gaussian() }
  ) -> [Double] {
    var last = random.gaussian()
    return (0..<count).map { _ in
      defer { last = phi * last + (1 - phi * phi).squareRoot() * innovation(&random) }
      return last
    }
  }

  private func movingAverage(
    _ count: Int, _ weight: Double, using random: inout SeededRandom
  ) -> [Double] {
    var last = random.gaussian()
    return (0..<count).map { _ in
      let new = random.gaussian()
      defer { last = new }
      return (new + weight * last) / (1 + weight * weight).squareRoot()
    }
  }

  /// Deviation 1: the variance is (1 - b) / ((1 + b) ((1 - b)^2 - a^2)) of an innovation's, a = 0.4, b = 0.2.
  private func secondOrder(_ count: Int, using random: inout SeededRandom) -> [Double] {
    let start = 50
    var values: [Double] = []
    for night in 0..<start + count {
      let past = night < 2 ? 0 : 0.4 * values[night - 1] + 0.2 * values[night - 2]
      values.append(past + 0.848_528_137 * random.gaussian())
    }
    return Array(values.dropFirst(start))
  }
}
