// SPDX-License-Identifier: Apache-2.0

import Devices
import Glibc

/// An actuator as a law of motion, with the sensor on its mount, advanced by equal steps.
protocol SimulatedPlant: Sendable {
  /// How many steps the voltages given are ahead of the state that follows from them.
  static var lookahead: Int { get }

  /// Goes `count` steps on; each voltage is that of `lookahead` steps after its step's end.
  ///
  /// An actuator does not move in the steps that are `held`.
  mutating func run(
    _ volts: [Float], count: Int, held: [Range<Int>], into output: inout [PlantSample])
}

struct PlantSample: Sendable {
  /// The acceleration of the mount that the sensor shows along the actuator's axis, in m/s2.
  var along: Float
  /// The same across it.
  var across: Float
  var current: Float

  static let zero = PlantSample(along: 0, across: 0, current: 0)
}

struct PlantBlock: Sendable {
  static let capacity = 1024

  var volts = [Float](repeating: 0, count: capacity)
  var output = [PlantSample](repeating: .zero, count: capacity)
}

/// The actuator of a take, of either kind.
///
/// Not an enumeration, whose payload would be copied out and back for every run.
struct Plant: Sendable {
  private var linear: LinearPlant?
  private var rotating: RotatingPlant?
  let lookahead: Int

  init(_ parameters: PlantParameters, bandwidth: Double, step: Double) {
    switch parameters {
    case .linear(let motor):
      linear = LinearPlant(motor, bandwidth: bandwidth, step: step)
      lookahead = LinearPlant.lookahead
    case .rotating(let motor):
      rotating = RotatingPlant(motor, bandwidth: bandwidth, step: step)
      lookahead = RotatingPlant.lookahead
    }
  }

  mutating func run(
    _ volts: [Float], count: Int, held: [Range<Int>], into output: inout [PlantSample]
  ) {
    linear?.run(volts, count: count, held: held, into: &output)
    rotating?.run(volts, count: count, held: held, into: &output)
  }
}

/// An eccentric mass on a DC motor: its speed follows the voltage with a lag, its force is m r w^2.
///
/// The speed goes to ratedSpeed V / ratedVolts with the time constant of spinning up, so that a
/// reversed voltage brakes. From rest it takes the start voltage to get going; once it turns, it goes on
/// down to half of that and then coasts to rest. The force turns with the rotor: the cosine lies along
/// the actuator's axis, the sine across it.
///
/// The rotor goes on by a rotation whose sine and cosine are series: with up to a tenth of a turn a step
/// it is right to 1e-5 of that.
struct RotatingPlant: SimulatedPlant {
  static let lookahead = 0

  /// The speed in radians a second; negative backwards.
  private(set) var speed = 0.0
  private(set) var current = 0.0

  private let motor: PlantParameters.RotatingMotor
  private let radiansPerVolt: Double
  private let length: Double
  private let lag: Double
  private let forceScale: Double
  /// The direction of the eccentric mass: the cosine and the sine of its angle.
  private var direction: SIMD2<Double> = [1, 0]
  private var along: SensorFilter
  private var across: SensorFilter
  private var turns = false
  private var lastVolts = 0.0

  /// Makes a motor at rest that goes on by steps of `step` seconds, with a sensor up to `bandwidth`.
  init(_ motor: PlantParameters.RotatingMotor, bandwidth: Double, step: Double) {
    self.motor = motor
    radiansPerVolt = 2 * Double.pi * motor.ratedSpeed / motor.ratedVolts
    length = step
    lag = -expm1(-step / motor.spinUpTime)
    forceScale = motor.staticMoment / motor.mountMass
    along = SensorFilter(bandwidth: bandwidth, step: step)
    across = along
  }

  mutating func run(
    _ volts: [Float], count: Int, held: [Range<Int>], into output: inout [PlantSample]
  ) {
    let everHeld = !held.isEmpty
    // A copy that stays in registers.
    var motor = self
    var output = output.mutableSpan
    for place in 0..<count {
      motor.step(
        volts: Double(volts[place]),
        held: everHeld && held.contains(where: { $0.contains(place) }))
      output[place] = PlantSample(
        along: Float(motor.along.output), across: Float(motor.across.output),
        current: Float(motor.current))
    }
    self = motor
  }

  @inline(__always)
  mutating func step(volts: Double, held: Bool) {
    let mean = 0.5 * (volts + lastVolts)
    lastVolts = volts
    let before = speed
    if abs(mean) >= motor.startVolts { turns = true }
    let driven = turns && abs(mean) >= 0.5 * motor.startVolts
    speed += ((driven ? mean * radiansPerVolt : 0) - speed) * lag
    // Friction ends what is too slow, or turns about, without a voltage that could start it.
    let slow = !driven && abs(speed) < 0.1 * motor.startVolts * radiansPerVolt
    if held || (abs(mean) < motor.startVolts && (slow || before * speed < 0)) {
      speed = 0
      turns = false
    }
    turn(by: 0.5 * (before + speed) * length)
    current = (volts - speed / radiansPerVolt) / motor.resistance
    let force = forceScale * speed * speed
    along.advance(force * direction.x)
    across.advance(force * direction.y)
  }

  @inline(__always)
  private mutating func turn(by angle: Double) {
    let square = angle * angle
    let sine = angle * (1 - square * (1.0 / 6 - square * (1.0 / 120 - square * (1.0 / 5040))))
    let cosine = 1 - square * (0.5 - square * (1.0 / 24 - square * (1.0 / 720)))
    let (x, y) = (direction.x, direction.y)
    let turned = SIMD2(x * cosine - y * sine, x * sine + y * cosine)
    // One step of Newton's for 1 / sqrt: rounding and series leave the length near 1.
    let length = turned.x * turned.x + turned.y * turned.y
    direction = turned * (1.5 - 0.5 * length)
  }
}

/// The sensor's second-order Butterworth low-pass: y'' + sqrt(2) w y' + w^2 y = w^2 u.
///
/// Solved exactly for an input that is a parabola between steps, so that its delay of sqrt(2)/w at low
/// frequencies is the analogue one; a bilinear filter would be late by a part of a microsecond.
struct SensorFilter: Sendable {
  var output: Double { state.x }

  private var state: SIMD2<Double> = .zero
  private var input = 0.0
  private var lastInput = 0.0

  /// The columns of exp(A h), and of the weights of the input one step ago, now, and one step ahead.
  private let transition: (SIMD2<Double>, SIMD2<Double>)
  private let previousWeight: SIMD2<Double>
  private let currentWeight: SIMD2<Double>
  private let nextWeight: SIMD2<Double>

  /// Makes a filter at rest for a corner in hertz and a step in seconds.
  init(bandwidth: Double, step: Double) {
    let corner = 2 * Double.pi * bandwidth
    let solved = ExponentialStep(
      matrix: [[0, 1], [-corner * corner, -2.0.squareRoot() * corner]],
      inputs: [.init(column: [0, corner * corner], nodes: [-1, 0, 1])], length: step)
    func column(_ values: [Double]) -> SIMD2<Double> { [values[0], values[1]] }
    transition = (column(solved.transition[0]), column(solved.transition[1]))
    previousWeight = column(solved.weights[0][0])
    currentWeight = column(solved.weights[0][1])
    nextWeight = column(solved.weights[0][2])
  }

  @inline(__always)
  mutating func advance(_ acceleration: Double) {
    var driven = previousWeight * lastInput
    driven += currentWeight * input
    driven += nextWeight * acceleration
    state = driven + (transition.0 * state.x + transition.1 * state.y)
    lastInput = input
    input = acceleration
    // At rest, before numbers get so small that the processor takes its time over them.
    if acceleration == 0, lastInput == 0, abs(state.x) < 1e-30, abs(state.y) < 1e-25 {
      state = .zero
    }
  }
}
