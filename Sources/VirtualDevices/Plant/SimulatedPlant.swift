/// An actuator as a law of motion, advanced by equal steps of true time.
protocol SimulatedPlant: Sendable {
  /// True for an actuator that moves across its axis too.
  static var movesAcross: Bool { get }

  /// Goes one step on; `volts` is the voltage at the step's end.
  ///
  /// An actuator that is `held` does not move.
  mutating func step(volts: Double, held: Bool)

  /// The acceleration of the mount along the actuator's axis (x) and across it (y), in m/s2.
  var acceleration: SIMD2<Double> { get }

  /// The current through the coil, in amperes.
  var current: Double { get }
}
