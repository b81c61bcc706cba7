import Profiles
import SignalAnalysis

extension CalibrationProcedure {
  /// Where a piezo's gain is read: higher up its resonance already lifts it.
  private static let piezoBand = 20.0...600

  /// A piezo below its resonance: acceleration grows with the square of frequency, whatever Q is.
  mutating func beginPiezo(
    _ capture: Capture, _ plan: SweepPlan, output: [Float], segment: CalibrationSegment
  ) throws(CalibrationRefusal) {
    guard
      let response = try? SweepResponse.measure(
        plan.sweep, input: capture.input, output: output, rate: capture.rate),
      let low = response.linear.limited(to: Self.piezoBand),
      let model = DifferentiatorFit(knownFilter: subject.filter).fit(low),
      model.misfit < 0.35
    else {
      throw CalibrationRefusal(
        "sensor.loose",
        "the response is neither a resonance's nor a piezo's below its own: check that sensor and "
          + "actuator are fixed to the same mass")
    }
    let gain = model.gain.widened(by: subject.sensorUncertainty ?? 0).widened(
      by: model.misfit / 2)
    // A profile counts gains as resonators do: (g/Q) s^2, which turns the sign at s = j w.
    knowledge.piezo = (Estimate(-gain.value, uncertainty: gain.uncertainty), model.delay)
    let assembly = ModelAssembly(subject: subject, knowledge: knowledge)
    knowledge.levels = LevelModel(assembly.model)
    stage = .ceiling(0)
  }

  /// The closing sweep of a piezo without a resonance.
  mutating func acceptPiezoClosing(
    _ capture: Capture, _ plan: SweepPlan
  ) throws(CalibrationRefusal) -> SegmentVerdict {
    let output = capture.output(along: knowledge.weights)
    guard let before = knowledge.piezo,
      let response = try? SweepResponse.measure(
        plan.sweep, input: capture.input, output: output, rate: capture.rate),
      let low = response.linear.limited(to: Self.piezoBand),
      let model = DifferentiatorFit(knownFilter: subject.filter).fit(low)
    else { return .again(because: "the closing sweep could not be read") }
    let change = abs(model.gain.value / before.gain.value) - 1
    guard abs(change) < 0.15 + 3 * model.gain.relativeUncertainty else {
      throw CalibrationRefusal(
        "actuator.swapped",
        "this is not the actuator that the calibration began with: its gain changed by "
          + "\(text(100 * change)) %")
    }
    stage = .finished
    return .accepted
  }
}
