import Perception
import Profiles
import SignalAnalysis

extension Findings {
  /// Where a piezo's gain is read, in hertz: higher up its resonance already lifts it.
  private static let piezoBand = 20.0...600
  /// How many times what is asked of it a piezo's sweeps may shake, and what that is in m/s2 where nothing is
  /// asked.
  private static let sweepMotion = (times: 20.0, otherwise: 10.0)
  /// The share of the sensor's range that its sweeps use.
  private static let rangeShare = 0.5
  /// What a piezo's law may leave over of a sweep.
  private static let misfit = 0.35

  /// The sweeps of a piezo whose resonance is in reach go no higher than what is ever asked of it, times
  /// some, nor than half of what the sensor bears: at its resonance it shakes a hundred times as hard as
  /// where it is used.
  func piezoSweepVolts(for reading: SweepReading) -> Double {
    let ends = [subject.sharpness.frequency(of: 0), subject.sharpness.frequency(of: 1)]
    let asked =
      ends.map { subject.target.acceleration(intensity: 1, frequency: $0) }.max()
      ?? Self.sweepMotion.otherwise
    let most = min(
      Self.sweepMotion.times * asked,
      sweeps.sensorRange.map { Self.rangeShare * $0 } ?? .infinity)
    return min(subject.steadyVolts, most / max(1e-9, abs(reading.mode.gain.value)))
  }

  /// A piezo below its resonance: acceleration grows with the square of frequency, whatever Q is.
  mutating func identifyPiezo(
    _ capture: Capture, _ plan: SweepPlan, output: [Float]
  ) throws(CalibrationRefusal) {
    guard let model = piezoModel(capture, plan, output: output), model.misfit < Self.misfit else {
      throw CalibrationRefusal(
        .sensorLoose,
        "the response is neither a resonance's nor a piezo's below its own: check that sensor and "
          + "actuator are fixed to the same mass")
    }
    let gain = model.gain.widened(by: model.misfit / 2)
    try checkReferenceWire(following: model.response(at:), band: Self.piezoBand)
    // A profile counts gains as resonators do: (g/Q) s^2, which turns the sign at s = j w.
    piezo = PiezoFindings(
      gain: Estimate(-gain.value, uncertainty: gain.uncertainty), delay: model.delay,
      level: plan.sweep.amplitude)
    let identified = self.model
    try checkEarlier(identified)
    levels = LevelModel(identified)
  }

  /// The piezo that fits a sweep; nil where none does.
  func piezoModel(
    _ capture: Capture, _ plan: SweepPlan, output: [Float]
  ) -> DifferentiatorModel? {
    let response = try? SweepResponse.measure(
      plan.sweep, input: capture.input, output: output, rate: capture.rate)
    return response?.linear.limited(to: Self.piezoBand).flatMap {
      DifferentiatorFit(knownFilter: subject.filter).fit($0)
    }
  }
}
