/// The sensor's second-order Butterworth low-pass: y'' + sqrt(2) w y' + w^2 y = w^2 u.
///
/// Solved exactly for an input that is a parabola between steps, so that its delay of sqrt(2)/w at low
/// frequencies is the analogue one; a bilinear filter would be late by a part of a microsecond.
struct SensorFilter: Sendable {
  /// What the sensor shows.
  var output: Double { state.x }

  /// The output and its slope.
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

  /// Goes one step on; `acceleration` is the input at the step's end.
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
