import Devices

/// A mass on a spring, driven by a coil: m x'' + c x' + k(x) x = Bl(x) i, V = R i + L di/dt + Bl(x) x'.
///
/// k(x) = k0 (1 + hardening (x/X)^2) with k0 = m w0^2, Bl(x) = Bl0 (1 - loss (x/X)^2) and never under a
/// fifth of Bl0. c = m w0 / Q - Bl0^2 / R makes Q the total under voltage drive; where the coil alone
/// damps more than that, c is 0 and the true Q is lower than asked. Beyond 1.2 X stands an end stop of 400
/// times the spring's stiffness, whose damping grows with its compression (Hunt and Crossley,
/// J. Applied Mechanics 42, 1975), so that the force has no jump.
///
/// The linear part, coil included, is solved exactly by an exponential step; what is nonlinear enters
/// as a force and a voltage that are predicted, evaluated and corrected once a step. An inductance
/// of less than 10 ns times R counts as that.
///
/// The sensor's axis points against the mount's recoil: a = m x'' / M, so that a positive voltage begins
/// with a positive acceleration.
struct LinearPlant: SimulatedPlant {
  /// How far the mass is from rest, in metres.
  var displacement: Double { state.x }
  /// How fast it moves, in m/s.
  var velocity: Double { state.y }
  private(set) var acceleration: SIMD2<Double> = .zero

  private let law: LawOfMotion
  private let massRatio: Double

  /// The columns of exp(A h) and of the input weights, for forces (x) and for the coil (y).
  private let transition: (SIMD4<Double>, SIMD4<Double>, SIMD4<Double>)
  private let previousWeights: (SIMD4<Double>, SIMD4<Double>)
  private let currentWeights: (SIMD4<Double>, SIMD4<Double>)
  private let nextWeights: (SIMD4<Double>, SIMD4<Double>)

  /// Displacement, velocity, current.
  private var state: SIMD4<Double> = .zero
  /// The nonlinear force over mass, and the nonlinear voltage over inductance, now and a step ago.
  private var nonlinear: SIMD2<Double> = .zero
  private var lastNonlinear: SIMD2<Double> = .zero
  /// The voltage over inductance, now and a step ago.
  private var input = 0.0
  private var lastInput = 0.0

  /// Makes a plant at rest that goes on by steps of `step` seconds.
  init(_ motor: PlantParameters.LinearMotor, step: Double) {
    law = LawOfMotion(motor)
    massRatio = motor.movingMass / motor.mountMass
    let solved = ExponentialStep(
      matrix: [
        0, 1, 0,
        -law.stiffness, -law.damping, law.forceFactor,
        0, -motor.forceFactor * law.inverseInductance,
        -motor.resistance * law.inverseInductance,
      ],
      inputs: [[0, 1, 0], [0, 0, 1]], length: step)
    func column(_ values: [Double]) -> SIMD4<Double> { [values[0], values[1], values[2], 0] }
    func transitionColumn(_ index: Int) -> SIMD4<Double> {
      column((0..<3).map { solved.transition[$0 * 3 + index] })
    }
    transition = (transitionColumn(0), transitionColumn(1), transitionColumn(2))
    let (force, coil) = (solved.weights[0], solved.weights[1])
    previousWeights = (column(force.previous), column(coil.previous))
    currentWeights = (column(force.current), column(coil.current))
    nextWeights = (column(force.next), column(coil.next))
  }

  var current: Double { state.z }

  mutating func step(volts: Double, held: Bool) {
    let nextInput = volts * law.inverseInductance
    var known = transition.0 * state.x
    known += transition.1 * state.y
    known += transition.2 * state.z
    known += previousWeights.0 * lastNonlinear.x
    known += previousWeights.1 * (lastNonlinear.y + lastInput)
    known += currentWeights.0 * nonlinear.x
    known += currentWeights.1 * (nonlinear.y + input)
    known += nextWeights.1 * nextInput
    let guess = 2 * nonlinear - lastNonlinear
    let predicted = known + nextWeights.0 * guess.x + nextWeights.1 * guess.y
    let evaluated = law.nonlinear(predicted)
    state = known + nextWeights.0 * evaluated.x + nextWeights.1 * evaluated.y
    if held {
      state.x = 0
      state.y = 0
    }
    lastNonlinear = nonlinear
    lastInput = input
    input = nextInput
    nonlinear = law.nonlinear(state)
    acceleration.x = held ? 0 : (law.linear(state) + nonlinear.x) * massRatio
  }
}

/// The forces over the moving mass and the voltages over the inductance of a linear motor.
private struct LawOfMotion: Sendable {
  /// The spring, the damping and the force factor at rest, each over the moving mass.
  let stiffness: Double
  let damping: Double
  let forceFactor: Double
  let inverseInductance: Double

  private let hardening: Double
  private let loss: Double
  private let coupling: Double
  private let inverseTravelSquared: Double
  private let stopPosition: Double
  private let stopDamping: Double

  init(_ motor: PlantParameters.LinearMotor) {
    let angular = 2 * Double.pi * motor.resonance
    stiffness = angular * angular
    forceFactor = motor.forceFactor / motor.movingMass
    damping = max(
      0, angular / motor.quality - motor.forceFactor * forceFactor / motor.resistance)
    inverseInductance = 1 / max(motor.inductance, 1e-8 * motor.resistance)
    hardening = motor.hardening
    loss = motor.forceFactorLoss
    coupling = motor.forceFactor * inverseInductance
    inverseTravelSquared = 1 / (motor.travel * motor.travel)
    stopPosition = 1.2 * motor.travel
    stopDamping = 1 / (angular * motor.travel)
  }

  /// The acceleration by the forces of the linear part.
  func linear(_ state: SIMD4<Double>) -> Double {
    forceFactor * state.z - damping * state.y - stiffness * state.x
  }

  /// The acceleration and the change of current by what the linear part leaves out.
  func nonlinear(_ state: SIMD4<Double>) -> SIMD2<Double> {
    let travel = state.x * state.x * inverseTravelSquared
    let change = max(-loss * travel, -0.8)
    var acceleration =
      change * forceFactor * state.z - stiffness * hardening * travel * state.x
    let compression = abs(state.x) - stopPosition
    if compression > 0 {
      let side: Double = state.x > 0 ? 1 : -1
      acceleration -=
        side * 400 * stiffness * compression * max(0, 1 + side * state.y * stopDamping)
    }
    return SIMD2(acceleration, -change * coupling * state.y)
  }
}
