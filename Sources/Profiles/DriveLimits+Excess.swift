public import Actuators

extension DriveLimits {
  /// One limit that a demand does not keep.
  public struct Excess: Sendable, Equatable {
    /// The limits by the names that rig files give them.
    public enum Limit: String, Sendable, Hashable, CaseIterable {
      /// The highest voltage at any moment, in volts.
      case peak
      /// The fastest change of voltage, in volts a second.
      case slope
      /// The effective voltage over the thermal time, in volts.
      case continuous
    }

    /// Which limit it is.
    public let limit: Limit
    /// What the limit allows, in its own unit.
    public let allowed: Double
    /// What is asked for, in the same unit.
    public let asked: Double

    /// How many times what is allowed is asked for; above 1.
    ///
    /// Voltage, slope and effective voltage all grow with the amplitude, so an amplitude lower by this
    /// factor keeps the limit.
    public var ratio: Double { asked / allowed }
  }

  /// What a demand may be above a limit by rounding alone: a share of the limit.
  private static let rounding = 1e-6

  /// The limit that a demand exceeds the most, in proportion; `nil` where it keeps them all.
  public func excess(of demand: DriveDemand) -> Excess? {
    var worst: Excess?
    for limit in Excess.Limit.allCases {
      guard let allowed = allowed(by: limit) else { continue }
      let excess = Excess(limit: limit, allowed: allowed, asked: demand.asked(of: limit))
      // Written so that a demand that is no number keeps no limit.
      guard !(excess.ratio <= max(1 + Self.rounding, worst?.ratio ?? 0)) else { continue }
      worst = excess
    }
    return worst
  }

  /// What a limit allows; `nil` where there is none.
  private func allowed(by limit: Excess.Limit) -> Double? {
    switch limit {
    case .peak: peakVolts
    case .slope: slope
    case .continuous: continuousVolts
    }
  }
}

extension DriveDemand {
  /// What is asked of one limit.
  fileprivate func asked(of limit: DriveLimits.Excess.Limit) -> Double {
    switch limit {
    case .peak: peakVolts
    case .slope: slope
    case .continuous: effectiveVolts
    }
  }
}
