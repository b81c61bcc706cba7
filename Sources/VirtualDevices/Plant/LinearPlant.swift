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
  static let movesAcross = false

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
  /// Those of a force that goes on as it did: now, and twice that less the one before ahead.
  private let guessWeights: (SIMD4<Double>, SIMD4<Double>)

  /// Displacement, velocity, current.
  private var state: SIMD4<Double> = .zero
  /// What `nonlinear` was predicted to be.
  private var predictedNonlinear: SIMD2<Double> = .zero
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
    guessWeights = (
      currentWeights.0 + 2 * nextWeights.0, currentWeights.1 + 2 * nextWeights.1
    )
  }

  var current: Double { state.z }

  @inline(__always)
  mutating func step(volts: Double, held: Bool) {
    let nextInput = volts * law.inverseInductance
    // What the forces one step ago and the voltages do.
    var driven = previousWeights.0 * lastNonlinear.x
    driven += previousWeights.1 * (lastNonlinear.y + lastInput)
    driven += currentWeights.1 * input
    driven += nextWeights.1 * nextInput
    // The prediction goes by what was predicted for the last step: the processor has that sooner
    // than what came of it, and the difference is corrected away with the rest.
    var forced = driven + guessWeights.0 * predictedNonlinear.x
    forced += guessWeights.1 * predictedNonlinear.y
    forced -= nextWeights.0 * lastNonlinear.x
    forced -= nextWeights.1 * lastNonlinear.y
    driven += currentWeights.0 * nonlinear.x
    driven += currentWeights.1 * nonlinear.y
    let free = transition.0 * state.x + transition.1 * state.y + transition.2 * state.z
    predictedNonlinear = law.nonlinear(forced + free)
    let corrected = nextWeights.0 * predictedNonlinear.x + nextWeights.1 * predictedNonlinear.y
    var end = (driven + free) + corrected
    if held {
      end.x = 0
      end.y = 0
    }
    // At rest, before numbers get so small that the processor takes its time over them.
    if nextInput == 0, abs(end.x) < 1e-30, abs(end.y) < 1e-30, abs(end.z) < 1e-30 { end = .zero }
    state = end
    lastNonlinear = nonlinear
    lastInput = input
    input = nextInput
    nonlinear = law.nonlinear(end)
    acceleration.x = held ? 0 : (law.linear(end) + nonlinear.x) * massRatio
  }
}

/// The forces over the moving mass and the voltages over the inductance of a linear motor.
private struct LawOfMotion: Sendable {
  /// The spring, the damping and the force factor at rest, each over the moving mass.
  let stiffness: Double
  let damping: Double
  let forceFactor: Double
  let inverseInductance: Double

  /// What the spring gains and the force factor loses by the square of the displacement.
  private let hardening: Double
  private let loss: Double
  private let coupling: Double
  private let stopPosition: Double
  private let stopDamping: Double

  init(_ motor: PlantParameters.LinearMotor) {
    let angular = 2 * Double.pi * motor.resonance
    stiffness = angular * angular
    forceFactor = motor.forceFactor / motor.movingMass
    damping = max(
      0, angular / motor.quality - motor.forceFactor * forceFactor / motor.resistance)
    inverseInductance = 1 / max(motor.inductance, 1e-8 * motor.resistance)
    hardening = stiffness * motor.hardening / (motor.travel * motor.travel)
    loss = motor.forceFactorLoss / (motor.travel * motor.travel)
    coupling = motor.forceFactor * inverseInductance
    stopPosition = 1.2 * motor.travel
    stopDamping = 1 / (angular * motor.travel)
  }

  /// The acceleration by the forces of the linear part.
  @inline(__always)
  func linear(_ state: SIMD4<Double>) -> Double {
    forceFactor * state.z - damping * state.y - stiffness * state.x
  }

  /// The acceleration and the change of current by what the linear part leaves out.
  @inline(__always)
  func nonlinear(_ state: SIMD4<Double>) -> SIMD2<Double> {
    let square = state.x * state.x
    let loss = -loss * square
    let change = loss < -0.8 ? -0.8 : loss
    var acceleration = change * (forceFactor * state.z) - square * (hardening * state.x)
    let compression = abs(state.x) - stopPosition
    if compression > 0 {
      let side: Double = state.x > 0 ? 1 : -1
      acceleration -=
        side * 400 * stiffness * compression * max(0, 1 + side * state.y * stopDamping)
    }
    return SIMD2(acceleration, -change * (coupling * state.y))
  }
}
