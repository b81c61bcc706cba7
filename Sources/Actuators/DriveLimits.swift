/// What a drive must never exceed, in volts at the actuator.
public struct DriveLimits: Sendable, Equatable {
  /// The effective voltage that the actuator bears for ever.
  public var continuousVolts: Double
  /// The highest voltage at any moment.
  public var peakVolts: Double
  /// The fastest change of voltage in volts a second; `nil` for none.
  public var slope: Double?
  /// The time constant over which the effective voltage is averaged, in seconds.
  public var thermalTime: Double

  /// Makes limits.
  public init(
    continuousVolts: Double, peakVolts: Double, slope: Double? = nil, thermalTime: Double = 1
  ) {
    self.continuousVolts = continuousVolts
    self.peakVolts = peakVolts
    self.slope = slope
    self.thermalTime = thermalTime
  }

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
