// SPDX-License-Identifier: Apache-2.0

/// How a level goes with the temperature of its nights: a slope, with changes and drift taken off.
///
/// Nothing is corrected by it. Where temperature and time go the same way, as over one spring, the drift takes what
/// both could explain, and the uncertainty of the slope says so.
public struct TemperatureEffect: Sendable, Hashable {
  /// The change for each kelvin, in the series' unit.
  public var perKelvin: Double
  /// Its standard uncertainty.
  public var uncertainty: Double
  /// The chance of such a slope where the temperature does nothing.
  public var significance: Double
  /// How many nights it rests on.
  public var count: Int
  /// The lowest and the highest temperature of these nights, in degrees Celsius.
  public var temperatures: ClosedRange<Double>
  /// The median of these nights, by which the slope is a share.
  public var level: Double

  private static let fewestNights = 20
  /// Of less nobody can say more than that it is little.
  private static let leastRange = 2.0
  /// Kelvin of standard deviation that changes and drift have to leave of the temperature.
  private static let leastRest = 0.3
  /// One series in ten thousand that temperature does nothing to is told; an archive has hundreds.
  private static let significant = 1e-4

  /// Whether the slope is to be told.
  public var isSure: Bool { significance < Self.significant }

  /// Fits the nights whose temperature is known, by their day; `nil` where they are too few or too much alike.
  ///
  /// `steps` are the indices of the nights with which a new level begins. The fit is Huber's (k = 1.345) of a level
  /// between steps, a drift and a slope on the temperature, its uncertainty that of his first proposal (Huber and
  /// Ronchetti, "Robust Statistics", 2009, 7.6). Neighbouring nights are no independent witnesses where residuals and
  /// temperature both wander: with their lag-one correlations r and x the variance is (1 + r x) / (1 - r x) times
  /// larger, and n is as much smaller (Bartlett 1935).
  public init?(of series: NightlySeries, temperatures: [Int: Double], steps: [Int] = []) {
    var (values, kelvin, days, segments) = ([Double](), [Double](), [Double](), [Int]())
    for (index, night) in series.nights.enumerated() {
      guard let temperature = temperatures[night.day] else { continue }
      values.append(night.value)
      kelvin.append(temperature)
      days.append(Double(night.day))
      segments.append(steps.count { $0 <= index })
    }
    guard values.count >= Self.fewestNights, let coldest = kelvin.min(), let warmest = kelvin.max(),
      warmest - coldest >= Self.leastRange, let level = Robust.median(values)
    else { return nil }
    // Columns that are all alike, or a step that no night of these lies beyond, cannot be told apart.
    let middle = days.reduce(0, +) / Double(days.count)
    var columns = Set(segments).sorted().map { segment in
      segments.map { $0 == segment ? 1.0 : 0 }
    }
    columns.append(days.map { ($0 - middle) / 100 })
    let mean = kelvin.reduce(0, +) / Double(kelvin.count)
    let warmth = kelvin.map { $0 - mean }
    guard let others = LinearFit(warmth, on: columns),
      others.rest.reduce(0, { $0 + $1 * $1 }) / Double(values.count)
        >= Self.leastRest * Self.leastRest,
      let fit = HuberFit(values, on: columns + [warmth])
    else { return nil }
    let own = Self.correlation(fit.rest, columns: columns.count + 1)
    let theirs = Self.correlation(others.rest, columns: columns.count)
    let inflation = (1 + own * theirs) / (1 - own * theirs)
    let freedom = Double(values.count) / inflation - Double(columns.count + 1)
    guard freedom >= 5, let slope = fit.coefficients.last, let deviation = fit.deviations.last,
      deviation > 0
    else { return nil }
    perKelvin = slope
    uncertainty = deviation * inflation.squareRoot()
    significance = StudentDistribution.tails(beyond: abs(slope / uncertainty), freedom: freedom)
    count = values.count
    self.temperatures = coldest...warmest
    self.level = level
  }

  /// The correlation of neighbours among residuals, from none to nearly one: a negative one makes nothing surer.
  ///
  /// What each fitted column takes from it, some (1 + 3 r) / n, is given back (after Marriott and Pope 1954). By
  /// simulation a chance below 1 in 1000 then comes in 0.8 to 3 of 1000 series that temperature does nothing to, for
  /// 40 and 120 nights whose neighbours are correlated by up to 0.9.
  private static func correlation(_ residuals: [Double], columns: Int) -> Double {
    let raw = Robust.neighbourCorrelation(residuals)
    let drawn = raw + Double(columns) * (1 + 3 * raw) / Double(residuals.count)
    return min(max(drawn, 0), 0.97)
  }
}

/// Least squares on a few columns, by weights.
struct LinearFit {
  let coefficients: [Double]
  /// What the columns leave of the values.
  let rest: [Double]
  /// The inverse of the columns' products, row by row.
  let inverse: [[Double]]

  /// Fits values on columns of the same length; `nil` where two of them say the same.
  init?(_ values: [Double], on columns: [[Double]], weights: [Double]? = nil) {
    let product = { (one: [Double], other: [Double]) in
      var sum = 0.0
      for index in one.indices { sum += one[index] * other[index] * (weights?[index] ?? 1) }
      return sum
    }
    let matrix = columns.map { column in columns.map { product(column, $0) } }
    guard let inverse = Self.inverse(matrix) else { return nil }
    let right = columns.map { product($0, values) }
    let coefficients = inverse.map { row in zip(row, right).reduce(0) { $0 + $1.0 * $1.1 } }
    rest = values.indices.map { index in
      values[index] - zip(coefficients, columns).reduce(0) { $0 + $1.0 * $1.1[index] }
    }
    self.coefficients = coefficients
    self.inverse = inverse
  }

  /// Gauss and Jordan with the largest pivot of the columns as they are scaled.
  private static func inverse(_ matrix: [[Double]]) -> [[Double]]? {
    let count = matrix.count
    let scales = matrix.indices.map { matrix[$0][$0].squareRoot() }
    guard scales.allSatisfy({ $0 > 0 }) else { return nil }
    var rows = matrix.indices.map { row in
      matrix.indices.map { matrix[row][$0] / (scales[row] * scales[$0]) }
        + matrix.indices.map { $0 == row ? 1.0 : 0 }
    }
    for column in 0..<count {
      guard let pivot = (column..<count).max(by: { abs(rows[$0][column]) < abs(rows[$1][column]) }),
        abs(rows[pivot][column]) > 1e-9
      else { return nil }
      let head = rows[pivot].map { $0 / rows[pivot][column] }
      rows[pivot] = rows[column]
      rows[column] = head
      for row in 0..<count where row != column {
        let factor = rows[row][column]
        for place in head.indices { rows[row][place] -= factor * head[place] }
      }
    }
    return rows.indices.map { row in
      (0..<count).map { rows[row][count + $0] / (scales[row] * scales[$0]) }
    }
  }
}

/// Huber's robust fit on a few columns, with the scale by the median of the residuals' sizes.
struct HuberFit {
  let coefficients: [Double]
  /// The standard uncertainties of the coefficients.
  let deviations: [Double]
  let rest: [Double]

  private static let bound = 1.345

  init?(_ values: [Double], on columns: [[Double]]) {
    guard var fit = LinearFit(values, on: columns) else { return nil }
    let plain = fit.inverse
    // Less is what rounding leaves of values that follow the columns exactly.
    let least = 1e-12 * (values.map(abs).max() ?? 0)
    var scale = Self.scale(fit.rest)
    for _ in 0..<100 {
      guard scale > least else { return nil }
      let weights = fit.rest.map {
        min(1, Self.bound * scale / max(abs($0), .leastNormalMagnitude))
      }
      guard let next = LinearFit(values, on: columns, weights: weights) else { return nil }
      let change = zip(next.coefficients, fit.coefficients).map { abs($0 - $1) }.max() ?? 0
      let size = next.coefficients.map(abs).max() ?? 0
      fit = next
      scale = Self.scale(fit.rest)
      if change <= 1e-12 * size { break }
    }
    guard scale > least else { return nil }
    let (count, number) = (Double(values.count), Double(columns.count))
    let scaled = fit.rest.map { $0 / scale }
    let power = scaled.reduce(0) { sum, one in
      let held = min(max(one, -Self.bound), Self.bound)
      return sum + held * held
    }
    let inside = Double(scaled.count { abs($0) <= Self.bound }) / count
    guard inside > 0, count > number else { return nil }
    let spread = 1 + number / count * (1 - inside) / inside
    let factor =
      spread * spread * power / (count - number) * scale * scale / (inside * inside)
    coefficients = fit.coefficients
    rest = fit.rest
    deviations = plain.indices.map { (factor * plain[$0][$0]).squareRoot() }
  }

  /// The median of the sizes as the deviation of normal noise.
  private static func scale(_ rest: [Double]) -> Double {
    (Robust.median(rest.map(abs)) ?? 0) / 0.674_489_750_196_081_7
  }
}
