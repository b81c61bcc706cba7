import Devices

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

  /// The acceleration by the end stop.
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
