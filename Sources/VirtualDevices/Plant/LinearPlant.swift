// SPDX-License-Identifier: Apache-2.0

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

  var displacement: Double { motion.state.motor.x }
  var velocity: Double { motion.state.motor.y }
  var current: Double { motion.state.shown.x }
  var sensed: SIMD2<Double> { SIMD2(motion.state.shown.y, 0) }

  private let steps: LinearSteps
  private var motion = LinearMotion()
  /// The voltages from two steps ago to two ahead, then room for those of a run.
  private var volts = [Double](repeating: 0, count: 5)
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

/// The equations of a linear motor with its sensor: forces over the moving mass, voltages over the
/// inductance.
///
/// The sensor is a Butterworth low-pass of second order on the mount's acceleration a:
/// s'' + sqrt(2) w s' + w^2 s = w^2 a. Its second state is s' / w.
struct LawOfMotion: Sendable {
  let inverseInductance: Double
  /// Where the end stop begins, in metres from rest.
  let stopPosition: Double
  /// How far out the end stop and the least force factor need not be thought of, in metres.
  let smoothLimit: Double

  /// The spring, the damping and the force factor at rest, each over the moving mass.
  private let stiffness: Double
  private let damping: Double
  private let forceFactor: Double
  private let resistance: Double
  /// What the spring gains and the force factor loses by the square of the displacement.
  private let loss: Double
  private let coupling: Double
  private let springGain: Double
  private let forceLoss: Double
  private let couplingLoss: Double
  private let stopDamping: Double
  private let massRatio: Double
  private let corner: Double

  init(_ motor: PlantParameters.LinearMotor, bandwidth: Double) {
    let angular = 2 * Double.pi * motor.resonance
    stiffness = angular * angular
    forceFactor = motor.forceFactor / motor.movingMass
    damping = max(
      0, angular / motor.quality - motor.forceFactor * forceFactor / motor.resistance)
    inverseInductance = 1 / max(motor.inductance, 1e-8 * motor.resistance)
    resistance = motor.resistance
    loss = motor.forceFactorLoss / (motor.travel * motor.travel)
    coupling = motor.forceFactor * inverseInductance
    springGain = -stiffness * motor.hardening / (motor.travel * motor.travel)
    forceLoss = -loss * forceFactor
    couplingLoss = loss * coupling
    stopPosition = 1.2 * motor.travel
    smoothLimit = loss > 0 ? min(stopPosition, (0.8 / loss).squareRoot()) : stopPosition
    stopDamping = 1 / (angular * motor.travel)
    massRatio = motor.movingMass / motor.mountMass
    corner = 2 * Double.pi * bandwidth
  }

  /// The linear part, by rows: displacement, velocity, current, sensor, its slope.
  var matrix: [[Double]] {
    let felt = corner * massRatio
    return [
      [0, 1, 0, 0, 0],
      [-stiffness, -damping, forceFactor, 0, 0],
      [0, -coupling, -resistance * inverseInductance, 0, 0],
      [0, 0, 0, 0, corner],
      [
        -felt * stiffness, -felt * damping, felt * forceFactor, -corner,
        -2.0.squareRoot() * corner,
      ],
    ]
  }

  /// The same of a mass that is held: the coil draws its current, the sensor comes to rest.
  var heldMatrix: [[Double]] {
    [
      [0, 0, 0, 0, 0],
      [0, 0, 0, 0, 0],
      [0, 0, -resistance * inverseInductance, 0, 0],
      [0, 0, 0, 0, corner],
      [0, 0, 0, -corner, -2.0.squareRoot() * corner],
    ]
  }

  /// What a force over the moving mass changes at once.
  var forceColumn: [Double] { [0, 1, 0, 0, corner * massRatio] }

  /// What spring and coil leave out of the linear part while the force factor is above a fifth.
  @inline(__always)
  func smooth(_ state: LinearState) -> NonlinearPart {
    let x = state.motor.x
    let square = x * x
    return NonlinearPart(
      force: square * (forceLoss * state.shown.x + springGain * x),
      coil: square * (couplingLoss * state.motor.y))
  }

  /// The same anywhere, without the end stop.
  func bounded(_ state: LinearState) -> NonlinearPart {
    let x = state.motor.x
    let change = max(-0.8, -loss * x * x)
    return NonlinearPart(
      force: change * forceFactor * state.shown.x + springGain * x * x * x,
      coil: -change * coupling * state.motor.y)
  }

  func stop(_ state: LinearState) -> Double {
    let compression = abs(state.motor.x) - stopPosition
    guard compression > 0 else { return 0 }
    let side: Double = state.motor.x > 0 ? 1 : -1
    let damped = max(0, 1 + side * state.motor.y * stopDamping)
    return -side * 400 * stiffness * compression * damped
  }
}

/// What of a linear motor is not linear: an acceleration, and a change of current in amperes a second.
struct NonlinearPart: Sendable {
  var force: Double
  var coil: Double

  static let zero = NonlinearPart(force: 0, coil: 0)
}
