/// What an eccentric rotating mass does on a steady voltage: the one curve that it can reach.
public struct MotorCurve: Sendable, Equatable {
  /// One steady state.
  public struct Point: Sendable, Equatable {
    /// The voltage, in volts.
    public var volts: Double
    /// The speed of rotation, in turns a second.
    public var frequency: Double
    /// The peak acceleration, in m/s2.
    public var acceleration: Double

    /// Makes a point.
    public init(volts: Double, frequency: Double, acceleration: Double) {
      self.volts = volts
      self.frequency = frequency
      self.acceleration = acceleration
    }
  }

  /// Steady states by rising voltage; speed and acceleration rise with it.
  public var points: [Point]
  /// The voltage at which the motor starts from rest, in volts.
  public var startVolts: Double
  /// The time constant of the speed after a step of the voltage, in seconds.
  public var spinUpTime: MeasuredQuantity

  /// Makes a curve.
  public init(points: [Point], startVolts: Double, spinUpTime: MeasuredQuantity) {
    self.points = points
    self.startVolts = startVolts
    self.spinUpTime = spinUpTime
  }
}
