/// The state of a linear motor and its sensor, or a column of a matrix that acts on it.
///
/// In pairs, as the processor computes them.
struct LinearState: Sendable {
  /// Displacement and velocity.
  var motor: SIMD2<Double>
  /// The current, and what the sensor shows.
  var shown: SIMD2<Double>
  /// The sensor's slope over the angular frequency of its corner; nothing.
  var slope: SIMD2<Double>

  static let zero = LinearState(motor: .zero, shown: .zero, slope: .zero)

  @inline(__always)
  static func + (a: LinearState, b: LinearState) -> LinearState {
    LinearState(motor: a.motor + b.motor, shown: a.shown + b.shown, slope: a.slope + b.slope)
  }

  @inline(__always)
  static func += (a: inout LinearState, b: LinearState) { a = a + b }

  @inline(__always)
  static func * (a: LinearState, factor: Double) -> LinearState {
    LinearState(motor: a.motor * factor, shown: a.shown * factor, slope: a.slope * factor)
  }

  /// True where everything is next to nothing.
  @inline(__always)
  var isTiny: Bool {
    abs(motor.x) < 1e-30 && abs(motor.y) < 1e-30 && abs(shown.x) < 1e-30
      && abs(shown.y) < 1e-30 && abs(slope.x) < 1e-30
  }
}

extension LinearState {
  /// Takes displacement, velocity, current, sensor and slope.
  init(_ column: [Double]) {
    motor = [column[0], column[1]]
    shown = [column[2], column[3]]
    slope = [column[4], 0]
  }

  /// Takes the same from the first five places.
  init(_ packed: SIMD8<Double>) {
    (motor, shown, slope) = ([packed[0], packed[1]], [packed[2], packed[3]], [packed[4], 0])
  }

  /// The same in the first five places.
  var packed: SIMD8<Double> { [motor.x, motor.y, shown.x, shown.y, slope.x, 0, 0, 0] }
}

/// The columns of an exponential step of a linear motor: what a unit of each cause becomes.
struct LinearStep: Sendable {
  typealias Columns3 = (LinearState, LinearState, LinearState)

  /// Of the force over mass at each node, and of the nonlinear change of current.
  let forces: Columns3
  let coils: Columns3
  /// Of the voltage at each node.
  ///
  /// Elsewhere in memory, since many steps are computed at a time.
  let volts: [LinearState]

  private let position: LinearState
  private let velocity: LinearState
  private let current: LinearState
  private let sensor: LinearState
  private let slope: LinearState

  /// Solves a step; up to three nodes of the forces and up to six of the voltage, in steps.
  init(
    _ matrix: [[Double]], length: Double, forceNodes: [Double], voltNodes: [Double],
    _ law: LawOfMotion
  ) {
    let solved = ExponentialStep(
      matrix: matrix,
      inputs: [
        .init(column: law.forceColumn, nodes: forceNodes),
        .init(column: [0, 0, 1, 0, 0], nodes: forceNodes),
        .init(column: [0, 0, law.inverseInductance, 0, 0], nodes: voltNodes),
      ], length: length)
    func column(_ input: Int, _ node: Int) -> LinearState {
      let columns = solved.weights[input]
      return node < columns.count ? LinearState(columns[node]) : .zero
    }
    forces = (column(0, 0), column(0, 1), column(0, 2))
    coils = (column(1, 0), column(1, 1), column(1, 2))
    volts = solved.weights[2].map { LinearState($0) }
    position = LinearState(solved.transition[0])
    velocity = LinearState(solved.transition[1])
    current = LinearState(solved.transition[2])
    sensor = LinearState(solved.transition[3])
    slope = LinearState(solved.transition[4])
  }

  /// What becomes of a state that nothing drives.
  @inline(__always)
  func free(_ state: LinearState) -> LinearState {
    var end = current * state.shown.x
    // Of a sensor nothing comes back to the motor.
    end.shown += sensor.shown * state.shown.y
    end.slope += sensor.slope * state.shown.y
    end.shown += slope.shown * state.slope.x
    end.slope += slope.slope * state.slope.x
    end += velocity * state.motor.y
    end += position * state.motor.x
    return end
  }
}
