/// What a drive asks of an actuator, in volts at the actuator.
public struct DriveDemand: Sendable, Equatable {
  /// The highest voltage.
  public var peakVolts: Double
  /// The fastest change of voltage in volts a second.
  public var slope: Double
  /// The effective voltage, averaged over the actuator's thermal time.
  public var effectiveVolts: Double

  /// Makes a demand of its three numbers.
  public init(peakVolts: Double, slope: Double, effectiveVolts: Double) {
    self.peakVolts = peakVolts
    self.slope = slope
    self.effectiveVolts = effectiveVolts
  }

  /// The demand of a tone that lasts: a slope of 2 pi f A, an effective voltage of A / sqrt(2).
  public static func tone(amplitude: Double, frequency: Double) -> DriveDemand {
    DriveDemand(
      peakVolts: amplitude, slope: 2 * .pi * frequency * amplitude,
      effectiveVolts: amplitude / 2.0.squareRoot())
  }

  /// The demand of a steady voltage that lasts, reached in a time in seconds.
  public static func level(_ volts: Double, riseTime: Double) -> DriveDemand {
    DriveDemand(peakVolts: volts, slope: volts / riseTime, effectiveVolts: volts)
  }
}
