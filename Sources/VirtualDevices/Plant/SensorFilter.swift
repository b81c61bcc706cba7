/// The sensor's second-order Butterworth low-pass: y'' + sqrt(2) w y' + w^2 y = w^2 u.
///
/// Solved exactly for an input that is a parabola between steps, so that its delay of sqrt(2)/w at low
/// frequencies is the analogue one; a bilinear filter would be late by a part of a microsecond.
struct SensorFilter: Sendable {
  /// What the sensor shows, along and across.
  private(set) var output: SIMD2<Double> = .zero

  private var slope: SIMD2<Double> = .zero
  private var input: SIMD2<Double> = .zero
  private var lastInput: SIMD2<Double> = .zero
  private let step: ExponentialCoefficients

  /// Makes a filter at rest for a corner in hertz and a step in seconds.
  init(bandwidth: Double, step: Double) {
    let corner = 2 * Double.pi * bandwidth
    let solved = ExponentialStep(
      matrix: [0, 1, -corner * corner, -2.0.squareRoot() * corner],
      inputs: [[0, corner * corner]], length: step)
    self.step = ExponentialCoefficients(solved)
  }

  /// Goes one step on; `acceleration` is the input at the step's end.
  mutating func advance(_ acceleration: SIMD2<Double>) {
    let value =
      step.transition.0 * output + step.transition.1 * slope + step.previous.0 * lastInput
      + step.current.0 * input + step.next.0 * acceleration
    slope =
      step.transition.2 * output + step.transition.3 * slope + step.previous.1 * lastInput
      + step.current.1 * input + step.next.1 * acceleration
    output = value
    lastInput = input
    input = acceleration
  }
}

/// The numbers of a second-order step, out of their arrays.
private struct ExponentialCoefficients: Sendable {
  let transition: (Double, Double, Double, Double)
  let previous: (Double, Double)
  let current: (Double, Double)
  let next: (Double, Double)

  init(_ step: ExponentialStep) {
    let (matrix, weights) = (step.transition, step.weights[0])
    transition = (matrix[0], matrix[1], matrix[2], matrix[3])
    previous = (weights.previous[0], weights.previous[1])
    current = (weights.current[0], weights.current[1])
    next = (weights.next[0], weights.next[1])
  }
}
