// SPDX-License-Identifier: Apache-2.0

/// Levels that drift and have one cause, or may have: the simplest of them, and those that follow from it.
///
/// A drift is no change: it has no first night, and no night confirms it. It raises no alarm.
public struct Drift: Sendable, Hashable {
  /// One series that drifts.
  public struct Line: Sendable, Hashable {
    /// The series.
    public let key: SeriesKey
    /// Its trend.
    public let trend: Trend
    /// The day of the first night that the trend rests on.
    public let from: Int
    /// The day of the newest one.
    public let to: Int
    /// The median of these nights, in the series' unit.
    public let level: Double

    /// How far the level went from the first of the nights to the newest, in the series' unit.
    public var distance: Double { trend.perMonth * months }

    /// What it means for the reading to drift this way.
    public var course: BetterDirection.Course {
      BetterDirection(reading: key.reading)
        .course(from: level - distance / 2, to: level + distance / 2)
    }

    private var months: Double { Double(to - from) / Trend.month }

    init?(_ nightly: NightlySeries, _ trend: Trend) {
      let nights = nightly.nights.suffix(trend.count)
      guard let first = nights.first, let last = nights.last,
        let level = Robust.median(nights.map(\.value))
      else { return nil }
      (key, from, to) = (nightly.key, first.day, last.day)
      self.trend = trend
      self.level = level
      // What would be too small for a step is too small for a drift.
      let least = MinimumEffect.usual(for: nightly.unit)
        .bound(level: level, uncertainty: trend.uncertainty * months)
      guard abs(distance) >= least, least > 0 else { return nil }
    }
  }

  /// The share of the series that are said to drift which may do so by chance.
  private static let falseDrifts = 0.01

  /// The simplest series, which names the drift.
  public let lead: Line
  /// Those that follow from it, the surest first.
  public let others: [Line]

  /// All its series, the leading one first.
  public var lines: [Line] { [lead] + others }

  /// The drifts among series with their trends, the surest first.
  ///
  /// A trend is told where so many series would hardly have it by chance (false discovery rate 0.01), and where it
  /// went as far as a step would have to. What surrounds the rig is left out: summer is no drift of a product.
  public static func among(_ trends: [(series: NightlySeries, trend: Trend)]) -> [Drift] {
    let asked = trends.filter { !$0.series.key.isOfSurroundings }
    let bound = FalseDiscovery.bound(of: asked.map(\.trend.significance), rate: falseDrifts)
    var left = asked.filter { $0.trend.significance <= bound }
      .compactMap { Line($0.series, $0.trend) }
      .sorted { ($0.trend.significance, $0.key) < ($1.trend.significance, $1.key) }
    var drifts: [Drift] = []
    while let lead = left.min(by: { $0.key.rank < $1.key.rank }) {
      let own = left.filter { $0.key != lead.key && $0.follows(from: lead) }
      drifts.append(Drift(lead: lead, others: own))
      let told = Set(own.map(\.key)).union([lead.key])
      left.removeAll { told.contains($0.key) }
    }
    return drifts.sorted {
      ($0.lead.trend.significance, $0.lead.key) < ($1.lead.trend.significance, $1.lead.key)
    }
  }
}

extension Drift.Line {
  /// Whether the reading moves with another one that drifts, on the same actuator or with the rig.
  fileprivate func follows(from lead: Self) -> Bool {
    guard key.rig == lead.key.rig, lead.key.isOfRig || lead.key.actuator == key.actuator else {
      return false
    }
    return ReadingOrigin.movement(of: key.quantity, with: lead.key.quantity) != .apart
  }
}
