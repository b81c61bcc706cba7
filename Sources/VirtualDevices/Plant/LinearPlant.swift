import Devices

/// A mass on a spring, driven by a coil: m x'' + c x' + k(x) x = Bl(x) i, V = R i + L di/dt + Bl(x) x'.
///
/// k(x) = k0 (1 + hardening (x/X)^2) with k0 = m w0^2, Bl(x) = Bl0 (1 - loss (x/X)^2) and never under a
/// fifth of Bl0. c = m w0 / Q - Bl0^2 / R makes Q the total under voltage drive; where the coil alone
/// damps more than that, c is 0 and the true Q is lower than asked. Beyond 1.2 X stands an end stop of 400
/// times the spring's stiffness, whose damping grows with its compression (Hunt and Crossley,
/// J. Applied Mechanics 42, 1975), so that the force has no jump.
///
/// The linear part, coil and sensor included, is solved exactly by an exponential step between voltages
/// that lie on a polynomial of fifth degree. What the spring and the coil have of nonlinear changes
/// slowly: it enters as a force and a voltage that go on as the last three did (Adams and Bashforth).
/// Where the end stop is near, the step is divided. An inductance of less than 10 ns times R counts as
/// that.
///
/// The sensor's axis points against the mount's recoil: a = m x'' / M, so that a positive voltage begins
/// with a positive acceleration.
struct LinearPlant: SimulatedPlant {
  static let lookahead = 2

  /// How far the mass is from rest, in metres.
  var displacement: Double { motion.state.motor.x }
  /// How fast it moves, in m/s.
  var velocity: Double { motion.state.motor.y }
  var current: Double { motion.state.shown.x }
  var sensed: SIMD2<Double> { SIMD2(motion.state.shown.y, 0) }

  private let steps: LinearSteps
  private var motion = LinearMotion()
  /// The voltages from two steps ago to two ahead, then room for those of a run.
  private var volts = [Double](repeating: 0, count: 5)
  /// Room for what the voltages of a run do.
  private var driven: [LinearState] = []

  /// Makes a plant at rest that goes on by steps of `step` seconds, with a sensor up to `bandwidth`.
  init(_ motor: PlantParameters.LinearMotor, bandwidth: Double, step: Double) {
    steps = LinearSteps(LawOfMotion(motor, bandwidth: bandwidth), length: step)
  }

  mutating func run(
    _ volts: [Float], count: Int, held: [Range<Int>], into output: inout [PlantSample]
  ) {
    // What the voltages do is known of all steps; the steps follow one from another.
    self.volts.removeLast(self.volts.count - 5)
    for place in 0..<count { self.volts.append(Double(volts[place])) }
    if driven.count < count {
      driven = [LinearState](repeating: .zero, count: max(count, PlantBlock.capacity))
    }
    steps.drive(&driven, by: self.volts, count: count)
    steps.run(&motion, driven, self.volts, count: count, held: held, into: &output)
    self.volts.removeFirst(count)
  }
}

/// Where a linear motor and its sensor are, and what was nonlinear two steps ago, and one.
struct LinearMotion: Sendable {
  var state = LinearState.zero
  var older = NonlinearPart.zero
  var last = NonlinearPart.zero
}
