// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// How a level drifts: a slope that a few bad nights cannot turn.
public struct Trend: Sendable, Hashable {
  /// The change in a month of 30.4375 days, in the series' unit.
  public var perMonth: Double
  /// Its standard uncertainty.
  public var uncertainty: Double
  /// The chance of such an order of the nights without a drift.
  public var significance: Double
  /// How many nights it rests on.
  public var count: Int

  static let month = 30.4375
  private static let fewestNights = 8

  /// Fits the nights from an index on; `nil` below eight nights.
  ///
  /// The slope is the median of the slopes of all pairs of nights (Theil 1950; Sen, "Estimates of
  /// the Regression Coefficient Based on Kendall's Tau", 1968). Kendall's S, the pairs that rise
  /// less those that fall, has the variance n (n - 1) (2 n + 5) / 18 without a drift, times (1 +
  /// phi) / (1 - phi) for the correlation phi of neighbouring nights; it gives the significance
  /// (Mann 1945), and the slopes of rank (N +- sqrt(variance)) / 2 among the N pairs lie one
  /// standard uncertainty apart from the median.
  ///
  /// - Complexity: O(n^2) for n nights.
  public init?(of series: NightlySeries, from start: Int = 0) {
    let nights = Array(series.nights.dropFirst(max(start, 0)))
    guard nights.count >= Self.fewestNights else { return nil }
    let values = nights.map(\.value)
    let days = nights.map { Double($0.day - nights[0].day) }
    var kendall = 0
    let pairs = nights.count * (nights.count - 1) / 2
    var slopes = [Double](unsafeUninitializedCapacity: pairs) { slopes, count in
      for later in values.indices {
        let (value, day) = (values[later], days[later])
        var (rising, falling) = (0, 0)
        for earlier in 0..<later {
          let rise = value - values[earlier]
          slopes.initializeElement(at: count &+ earlier, to: rise / (day - days[earlier]))
          rising &+= rise > 0 ? 1 : 0
          falling &+= rise < 0 ? 1 : 0
        }
        count += later
        kendall += rising - falling
      }
    }
    let middle = 0.5 * Double(slopes.count - 1)
    let slope = Self.value(at: middle, of: &slopes)
    let origin = nights[0].day
    let rest = nights.map { $0.value - slope * Double($0.day - origin) }
    let phi = Self.correlation(ofNeighbours: rest)
    let count = Double(nights.count)
    let variance =
      count * (count - 1) * (2 * count + 5) / 18 * (1 + phi) / (1 - phi)
    let half = 0.5 * variance.squareRoot()
    perMonth = slope * Self.month
    let upper = Self.value(at: middle + half, of: &slopes)
    uncertainty = 0.5 * (upper - Self.value(at: middle - half, of: &slopes)) * Self.month
    // One is taken from S because it moves in steps of two.
    let score = Double(max(abs(kendall) - 1, 0)) / variance.squareRoot()
    significance = erfc(score / 2.0.squareRoot())
    self.count = nights.count
  }

  /// What is taken for known before a series has shown its correlation: 0.5, as by forty nights.
  private static let prior = (correlation: 0.5, nights: 40.0)
  /// Beyond it the variance of a slope would have no end.
  private static let highestCorrelation = 0.9

  /// The correlation of neighbouring nights: lag one of the clipped residuals, drawn towards the
  /// prior.
  ///
  /// What the fitted level takes from it is given back, (1 + 4 phi) / n (Marriott and Pope, "Bias
  /// in the estimation of autocorrelations", 1954).
  private static func correlation(ofNeighbours values: [Double]) -> Double {
    let count = Double(values.count)
    let level = values.reduce(0, +) / count
    let raw = Robust.neighbourCorrelation(values.map { $0 - level })
    let unbiased = raw + (1 + 4 * raw) / count
    let drawn = (count * unbiased + prior.nights * prior.correlation) / (count + prior.nights)
    return min(max(drawn, 0), highestCorrelation)
  }

  /// The value at a rank from 0, straight between neighbours; the first or last beyond the ends.
  ///
  /// Puts the values in another order: quickselect (Hoare 1961), since sorting the pairs of a few
  /// years takes longer than all else. O(n) for n values, as a rule.
  static func value(at rank: Double, of values: inout [Double]) -> Double {
    let clamped = min(max(rank, 0), Double(values.count - 1))
    let below = Int(clamped)
    return values.withUnsafeMutableBufferPointer { values in
      var left = values.indices
      var lower = values[below]
      while left.count > 1 {
        let (first, last) = (values[left.lowerBound], values[left.upperBound - 1])
        let pivot = max(min(first, lower), min(max(first, lower), last))
        let equal = values[left].partition { $0 >= pivot }
        let above = values[equal..<left.upperBound].partition { $0 > pivot }
        left =
          below < equal
          ? left.lowerBound..<equal
          : below < above ? below..<below + 1 : above..<left.upperBound
        lower = values[below]
      }
      // What lies beyond is larger, the smallest of it next in order.
      guard clamped > Double(below), let upper = values[(below + 1)...].min() else { return lower }
      return lower + (clamped - Double(below)) * (upper - lower)
    }
  }
}
