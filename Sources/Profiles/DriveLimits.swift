/// What a drive must never exceed, in volts at the actuator.
public struct DriveLimits: Sendable, Equatable {
  /// The effective voltage that the actuator bears for ever.
  public let continuousVolts: Double
  /// The highest voltage at any moment.
  public let peakVolts: Double
  /// The fastest change of voltage in volts a second; `nil` for none.
  public let slope: Double?
  /// The time constant over which the effective voltage is averaged, in seconds.
  public let thermalTime: Double

  /// Makes limits.
  public init(
    continuousVolts: Double, peakVolts: Double, slope: Double? = nil, thermalTime: Double = 1
  ) {
    self.continuousVolts = continuousVolts
    self.peakVolts = peakVolts
    self.slope = slope
    self.thermalTime = thermalTime
  }

  /// No rig drives an actuator with more, in volts.
  static let highestVolts = 1000.0

  /// The highest peak voltage of a drive that may last: the *safe full scale*.
  ///
  /// A tone of this peak has the continuous limit as its effective voltage; a steady voltage, as an
  /// ERM is driven with, is its own effective value. Overdrive and braking may go beyond it, up to
  /// the peak limit, for as long as the thermal limit lets them.
  public func safeFullScale(fullScaleVolts: Double, isTone: Bool) -> Double {
    let sustained = isTone ? continuousVolts * 2.0.squareRoot() : continuousVolts
    return min(fullScaleVolts, peakVolts, sustained)
  }
}
