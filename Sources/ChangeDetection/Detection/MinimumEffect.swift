public import Units

/// The smallest change that matters, however significant: the largest of three bounds.
public struct MinimumEffect: Sendable, Hashable {
  /// A share of the level before the change; 0 where a share means nothing.
  public var relative: Double
  /// A difference in the series' unit; what holds where the level is near 0.
  public var absolute: Double
  /// A multiple of the change's standard uncertainty from measurement alone.
  public var sigmas: Double

  /// Makes bounds.
  public init(relative: Double = 0.01, absolute: Double = 0, sigmas: Double = 3) {
    self.relative = relative
    self.absolute = absolute
    self.sigmas = sigmas
  }

  /// The usual bounds of a quantity with this unit.
  ///
  /// 1 % of the level; for levels and intervals, whose zero is a matter of reference, 0.1 dB (1.2 %
  /// of an amplitude) or 0.015 octaves (1 % of a frequency) instead; for a drift 0.5 ppm; for
  /// counts half of one.
  public static func usual(for unit: MeasurementUnit) -> MinimumEffect {
    switch unit {
    case .decibel: MinimumEffect(relative: 0, absolute: 0.1)
    case .octave: MinimumEffect(relative: 0, absolute: 0.015)
    case .partsPerMillion: MinimumEffect(relative: 0, absolute: 0.5)
    case .count: MinimumEffect(relative: 0.01, absolute: 0.5)
    case .celsius: MinimumEffect(relative: 0, absolute: 0.5)
    default: MinimumEffect()
    }
  }

  /// The bound for a change from a level, whose measured uncertainty is given.
  func bound(level: Double, uncertainty: Double) -> Double {
    max(relative * abs(level), absolute, sigmas * uncertainty)
  }
}
