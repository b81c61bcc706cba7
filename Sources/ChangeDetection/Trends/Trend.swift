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

  private static let month = 30.4375
  private static let fewestNights = 8

  /// Fits the nights from an index on; `nil` below eight nights.
  ///
  /// The slope is the median of the slopes of all pairs of nights (Theil 1950; Sen, "Estimates of the
  /// Regression Coefficient Based on Kendall's Tau", 1968). Kendall's S, the pairs that rise less
  /// those that fall, has the variance n (n - 1) (2 n + 5) / 18 without a drift, times (1 + phi) /
  /// (1 - phi) for the correlation phi of neighbouring nights; it gives the significance (Mann 1945),
  /// and the slopes of rank (N +- sqrt(variance)) / 2 among the N pairs lie one standard uncertainty
  /// apart from the median.
  ///
  /// - Complexity: O(n^2) for n nights.
  public init?(of series: NightlySeries, from start: Int = 0) {
    let nights = Array(series.nights.dropFirst(max(start, 0)))
    guard nights.count >= Self.fewestNights else { return nil }
    let values = nights.map(\.value)
    let days = nights.map { Double($0.day - nights[0].day) }
    var kendall = 0
    let pairs = nights.count * (nights.count - 1) / 2
    let slopes = [Double](unsafeUninitializedCapacity: pairs) { slopes, count in
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
    var ranked = RankedValues(slopes)
    let slope = ranked.value(at: middle)
    let origin = nights[0].day
    let rest = nights.map { $0.value - slope * Double($0.day - origin) }
    let phi = NoiseModel.fitted(
      rest, nights: Array(rest.indices), segments: [0..<rest.count], quantum: 0
    ).correlation
    let count = Double(nights.count)
    let variance =
      count * (count - 1) * (2 * count + 5) / 18 * (1 + phi) / (1 - phi)
    let half = 0.5 * variance.squareRoot()
    perMonth = slope * Self.month
    uncertainty =
      0.5 * (ranked.value(at: middle + half) - ranked.value(at: middle - half)) * Self.month
    // One is taken from S because it moves in steps of two.
    let score = Double(max(abs(kendall) - 1, 0)) / variance.squareRoot()
    significance = erfc(score / 2.0.squareRoot())
    self.count = nights.count
  }
}
