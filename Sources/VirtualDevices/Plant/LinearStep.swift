// SPDX-License-Identifier: Apache-2.0

/// The state of a linear motor and its sensor, or a column of a matrix that acts on it.
///
/// In pairs, as the processor computes them.
struct LinearState: Sendable {
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

  @inline(__always)
  var isTiny: Bool {
    abs(motor.x) < 1e-30 && abs(motor.y) < 1e-30 && abs(shown.x) < 1e-30
      && abs(shown.y) < 1e-30 && abs(slope.x) < 1e-30
  }
}

extension LinearState {
  init(_ column: [Double]) {
    motor = [column[0], column[1]]
    shown = [column[2], column[3]]
    slope = [column[4], 0]
  }

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

/// The ways on from one moment of a linear motor to the next.
struct LinearSteps: Sendable {
  private let law: LawOfMotion
  private let whole: LinearStep
  /// A part of a step near the end stop.
  private let part: LinearStep
  private let stuck: LinearStep
  /// By part, what the voltages from two steps ago to three ahead count for at the part's end.
  private let partVolts: [[Double]]
  /// How far ahead the end stop is looked for, in seconds.
  private let foresight: Double

  private static let parts = 8
  private static let voltNodes: [Double] = [-2, -1, 0, 1, 2, 3]

  init(_ law: LawOfMotion, length: Double) {
    self.law = law
    whole = LinearStep(
      law.matrix, length: length, forceNodes: [-2, -1, 0], voltNodes: Self.voltNodes, law)
    part = LinearStep(
      law.matrix, length: length / Double(Self.parts), forceNodes: [0, 1], voltNodes: [0, 1], law)
    stuck = LinearStep(
      law.heldMatrix, length: length, forceNodes: [], voltNodes: Self.voltNodes, law)
    partVolts = (0...Self.parts).map { part in
      let time = Double(part) / Double(Self.parts)
      return Self.voltNodes.map { node in
        Self.voltNodes.filter { $0 != node }.reduce(1) { $0 * (time - $1) / (node - $1) }
      }
    }
    foresight = 1.5 * length
  }

  /// Computes what voltages do in each of `count` steps, the first by the first six.
  func drive(_ driven: inout [LinearState], by volts: [Double], count: Int) {
    let columns = whole.volts
    let (a, b, c, d, e, f) = (
      columns[0], columns[1], columns[2], columns[3], columns[4], columns[5]
    )
    driven.withUnsafeMutableBufferPointer { driven in
      volts.withUnsafeBufferPointer { volts in
        for place in 0..<count {
          var sum = a * volts[place] + b * volts[place + 1]
          sum += c * volts[place + 2] + d * volts[place + 3]
          sum += e * volts[place + 4] + f * volts[place + 5]
          driven[place] = sum
        }
      }
    }
  }

  /// Goes `count` steps on, each by what the voltages do in it and by the six voltages from its place on.
  func run(
    _ motion: inout LinearMotion, _ driven: [LinearState], _ volts: [Double], count: Int,
    held: [Range<Int>], into output: inout [PlantSample]
  ) {
    let (law, whole) = (law, whole)
    let everHeld = !held.isEmpty
    var (state, older, last) = (motion.state, motion.older, motion.last)
    let driven = driven.span
    var output = output.mutableSpan
    for place in 0..<count {
      var end: LinearState
      var latest = law.smooth(state)
      let reach = abs(state.motor.x) + foresight * abs(state.motor.y)
      if everHeld && held.contains(where: { $0.contains(place) }) {
        end = LinearState(heldNext(state.packed, volts, place))
        latest = .zero
      } else if reach > law.smoothLimit {
        end = LinearState(nearStop(state.packed, volts, place))
        latest = law.bounded(state)
      } else {
        // The latest force last: all else is known before it.
        end = driven[place]
        end += whole.forces.0 * older.force
        end += whole.coils.0 * older.coil
        end += whole.forces.1 * last.force
        end += whole.coils.1 * last.coil
        end += whole.free(state)
        end += whole.coils.2 * latest.coil
        end += whole.forces.2 * latest.force
        // At rest, before numbers get so small that the processor takes its time over them.
        if volts[place + 5] == 0, end.isTiny { end = .zero }
      }
      (state, older, last) = (end, last, latest)
      output[place] = PlantSample(
        along: Float(end.shown.y), across: 0, current: Float(end.shown.x))
    }
    motion = LinearMotion(state: state, older: older, last: last)
  }

  @inline(never)
  private func heldNext(
    _ start: SIMD8<Double>, _ volts: [Double], _ place: Int
  ) -> SIMD8<Double> {
    var state = LinearState(start)
    state.motor = .zero
    var end = stuck.free(state)
    for node in 0..<6 { end += stuck.volts[node] * volts[place + node] }
    return end.packed
  }

  /// A step near the end stop, in parts: force and voltage go straight on within each.
  @inline(never)
  private func nearStop(
    _ start: SIMD8<Double>, _ volts: [Double], _ place: Int
  ) -> SIMD8<Double> {
    var state = LinearState(start)
    let known = partVolts.map { zip($0, volts[place...]).reduce(0) { $0 + $1.0 * $1.1 } }
    for number in 1...Self.parts {
      let now = nonlinear(state)
      var base = part.free(state)
      base += part.volts[0] * known[number - 1] + part.volts[1] * known[number]
      base += part.forces.0 * now.force + part.coils.0 * now.coil
      // Predicted to stay, then corrected twice.
      var ahead = now
      for _ in 0..<3 {
        state = base + part.forces.1 * ahead.force + part.coils.1 * ahead.coil
        ahead = nonlinear(state)
      }
    }
    return state.packed
  }

  private func nonlinear(_ state: LinearState) -> NonlinearPart {
    var part = law.bounded(state)
    part.force += law.stop(state)
    return part
  }
}
