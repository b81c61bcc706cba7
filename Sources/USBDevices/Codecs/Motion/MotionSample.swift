/// One reading of an accelerometer, and of a gyroscope beside it, in SI units.
public struct MotionSample: Sendable, Hashable {
  /// m/s2 along x, y, z.
  public var acceleration: [Double]
  /// rad/s around x, y, z; empty without a gyroscope.
  public var rotation: [Double]

  /// Makes a sample.
  public init(acceleration: [Double], rotation: [Double] = []) {
    self.acceleration = acceleration
    self.rotation = rotation
  }

  /// Standard gravity in m/s2.
  public static let gravity = 9.80665
}
