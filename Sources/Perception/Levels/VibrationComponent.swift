/// One sine of a vibration.
public struct VibrationComponent: Sendable, Hashable {
  /// The frequency, in hertz.
  public var frequency: Double
  /// The peak acceleration, in m/s2.
  public var acceleration: Double

  /// Makes a component.
  public init(frequency: Double, acceleration: Double) {
    self.frequency = frequency
    self.acceleration = acceleration
  }
}
