// SPDX-License-Identifier: Apache-2.0

import SeededRandom
import Testing

@testable import ChangeDetection

/// The filter and its scan, by generalized least squares with the covariance matrix written out.
struct StepScanTests {
  private static let models = NoiseModel.all

  /// Nights with some days missing.
  private static let days: [Double] = [
    0, 1, 2, 3, 4, 5, 7, 8, 9, 13, 14, 15, 16, 18, 19, 20, 21, 22,
  ]

  private static func filter(_ model: NoiseModel, seed: UInt64) -> KalmanFilter {
    var random = SeededRandom(seed: seed)
    return KalmanFilter(model, values: days.map { _ in 10 + random.gaussian() }, days: days)
  }

  @Test func `in independent noise a step is the difference of two means`() {
    var filter = Self.filter(Self.models[0], seed: 1)
    let level = filter.scan(0..<18)
    #expect(abs(level.value - filter.values.reduce(0, +) / 18) < 1e-12)
    #expect(level.precision == 18)
    for place in 1..<18 {
      let before = filter.values[..<place].reduce(0, +) / Double(place)
      let after = filter.values[place...].reduce(0, +) / Double(18 - place)
      let step = filter.step(at: place)
      #expect(abs(step.size - (after - before)) < 1e-12)
      #expect(abs(step.variance - (1 / Double(place) + 1 / Double(18 - place))) < 1e-12)
      #expect(abs(step.explained - step.size * step.size / step.variance) < 1e-12)
    }
  }

  @Test(arguments: models)
  func `the innovations hold all that the covariance does`(_ model: NoiseModel) {
    var filter = Self.filter(model, seed: 2)
    filter.makeReady(0..<18)
    let covariance = Covariance(model, Self.days)
    let squares = filter.innovations(of: filter.values).reduce(0) { $0 + $1 * $1 }
    let expected = covariance.product(filter.values, filter.values)
    #expect(abs(squares - expected) < 1e-10 * expected)
    let determinant = filter.nights.reduce(1) { $0 / $1.precision }
    #expect(abs(determinant - covariance.determinant) < 1e-10 * determinant)
  }

  @Test(arguments: models)
  func `size and variance of a step are those of generalized least squares`(
    _ model: NoiseModel
  ) {
    var filter = Self.filter(model, seed: 3)
    for range in [0..<18, 4..<15] {
      let days = Array(Self.days[range])
      let covariance = Covariance(model, days)
      let values = Array(filter.values[range])
      let ones = days.map { _ in 1.0 }
      let level = filter.scan(range)
      #expect(abs(level.precision - covariance.product(ones, ones)) < 1e-10)
      for place in 1..<days.count {
        let after = days.indices.map { $0 < place ? 0.0 : 1 }
        let (cc, cs) = (covariance.product(ones, ones), covariance.product(ones, after))
        let precision = covariance.product(after, after) - cs * cs / cc
        let product =
          covariance.product(after, values) - cs / cc * covariance.product(ones, values)
        let step = filter.step(at: place)
        #expect(abs(step.variance * precision - 1) < 1e-9)
        #expect(abs(step.size - product / precision) < 1e-9)
      }
    }
  }

  @Test(arguments: models)
  func `what a step explains beside a line is what both explain beyond the line`(
    _ model: NoiseModel
  ) {
    var filter = Self.filter(model, seed: 4)
    let covariance = Covariance(model, Self.days)
    let all = filter.scan(0..<18)
    let ones = Self.days.map { _ in 1.0 }
    let line = Self.days.map { ($0 - all.middle) / 100 }
    // A slope of (365 / 100) / 6 deviations in 100 days is the prior's.
    let prior = (3.65 / 6) * (3.65 / 6)
    func explained(_ columns: [[Double]]) -> Double {
      covariance.explained(filter.values, by: columns) {
        $0 == 1 && $1 == 1 ? prior : 0
      }
    }
    let level = explained([ones])
    #expect(abs(all.explained - (explained([ones, line]) - level)) < 1e-8)
    for place in 2..<17 {
      let after = Self.days.indices.map { $0 < place ? 0.0 : 1 }
      let expected = explained([ones, line, after]) - explained([ones, line])
      #expect(abs(filter.stepBesideLine(at: place, all) - expected) < 1e-7)
    }
  }

  @Test func `a line and a stair are told apart`() {
    var random = SeededRandom(seed: 5)
    let days = (0..<120).map(Double.init)
    let noise = days.map { _ in random.gaussian() }
    let division = KalmanFilter.Division(least: 20, fewestNights: 3)
    var stair = KalmanFilter(
      Self.models[0], values: noise.indices.map { noise[$0] + ($0 < 50 ? 0 : 4) }, days: days)
    #expect(stair.divided(division).splits == [50])
    var slope = KalmanFilter(
      Self.models[0], values: noise.indices.map { noise[$0] + 0.05 * days[$0] }, days: days)
    let divided = slope.divided(division)
    #expect(divided.splits.isEmpty)
    #expect(divided.hasLine)
  }

  @Test func `a short level in a long one shows in the parts`() {
    let days = (0..<400).map(Double.init)
    var filter = KalmanFilter(
      Self.models[0], values: days.map { (190..<200).contains($0) ? 2 : 0 }, days: days)
    var division = KalmanFilter.Division(least: 12, fewestNights: 3)
    #expect(filter.divided(division).splits.isEmpty)
    division.isSeeded = true
    #expect(filter.divided(division).splits == [190, 200])
  }
}

/// The noise of some nights as a matrix, for what takes no short cut.
private struct Covariance {
  private let factor: [[Double]]

  init(_ model: NoiseModel, _ days: [Double]) {
    var lower = days.map { _ in [Double](repeating: 0, count: days.count) }
    for i in days.indices {
      for j in 0...i {
        var rest =
          i == j ? 1 : model.wandering * model.correlation(across: days[i] - days[j])
        for k in 0..<j { rest -= lower[i][k] * lower[j][k] }
        lower[i][j] = i == j ? rest.squareRoot() : rest / lower[j][j]
      }
    }
    factor = lower
  }

  var determinant: Double { factor.indices.reduce(1) { $0 * factor[$1][$1] * factor[$1][$1] } }

  private func white(_ column: [Double]) -> [Double] {
    var result = column
    for i in column.indices {
      for k in 0..<i { result[i] -= factor[i][k] * result[k] }
      result[i] /= factor[i][i]
    }
    return result
  }

  func product(_ one: [Double], _ other: [Double]) -> Double {
    zip(white(one), white(other)).reduce(0) { $0 + $1.0 * $1.1 }
  }

  /// The squares that columns explain, with what a prior adds to their products.
  func explained(
    _ values: [Double], by columns: [[Double]], prior: (Int, Int) -> Double
  ) -> Double {
    // Cholesky of the products, the values' column last.
    let all = columns + [values]
    var lower = all.map { _ in [Double](repeating: 0, count: all.count) }
    for i in all.indices {
      for j in 0...min(i, columns.count - 1) {
        var rest = product(all[i], all[j]) + prior(i, j)
        for k in 0..<j { rest -= lower[i][k] * lower[j][k] }
        lower[i][j] = i == j ? rest.squareRoot() : rest / lower[j][j]
      }
    }
    return lower[columns.count].reduce(0) { $0 + $1 * $1 }
  }
}
