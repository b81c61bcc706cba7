import SignalAnalysis

/// The direction of a motion over the axes of a sensor.
enum MotionDirection {
  /// The unit vector along which the strongest part of a sweep's response lies, in phase.
  ///
  /// Nil for one axis, and where no axis answers clearly. Its first component is not negative.
  static func weights(_ capture: Capture, _ plan: SweepPlan) -> [Double]? {
    guard capture.axes.count > 1 else { return nil }
    let responses = capture.axes.compactMap { axis in
      try? SweepResponse.measure(
        plan.sweep, input: capture.input, output: axis, rate: capture.rate, harmonics: 1
      ).linear
    }
    guard responses.count == capture.axes.count, let first = responses.first else { return nil }
    func strength(_ bin: Int) -> Double { responses.reduce(0) { $0 + $1.response[bin].power } }
    guard
      let top = first.frequencies.indices.max(by: { strength($0) < strength($1) }),
      strength(top) > 100 * responses.reduce(0, { $0 + $1.uncertainty[top] * $1.uncertainty[top] })
    else { return nil }
    let values = responses.map { $0.response[top] }
    let strongest = values.max { $0.power < $1.power } ?? Complex(1)
    let parts = values.map { ($0 * strongest.conjugate).real }
    let size = parts.reduce(0) { $0 + $1 * $1 }.squareRoot()
    guard size > 0 else { return nil }
    let sign: Double = parts[0] < 0 ? -1 : 1
    return parts.map { sign * $0 / size }
  }
}
