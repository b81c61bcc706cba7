/// The ways on from one moment of a linear motor to the next.
struct LinearSteps: Sendable {
  private let law: LawOfMotion
  private let whole: LinearStep
  /// A part of a step near the end stop.
  private let part: LinearStep
  /// A step of a motor that is held.
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

  /// A step of a motor that is held, from its packed state.
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
