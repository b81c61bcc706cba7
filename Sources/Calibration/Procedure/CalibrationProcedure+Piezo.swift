import Perception
import Profiles
import SignalAnalysis

extension CalibrationProcedure {
  /// Where a piezo's gain is read: higher up its resonance already lifts it.
  private static let piezoBand = 20.0...600

  /// The sweeps of a piezo whose resonance is in reach go no higher than what is ever asked of it, times
  /// some, nor than half of what the sensor bears: at its resonance it shakes a hundred times as hard as
  /// where it is used.
  mutating func chooseSweepVolts(for reading: SweepReading) {
    let ends = [subject.sharpness.frequency(of: 0), subject.sharpness.frequency(of: 1)]
    let asked =
      ends.map {
        subject.target.acceleration(intensity: 1, frequency: $0)
      }.max() ?? 10
    let most = min(20 * asked, knowledge.sensorRange.map { 0.5 * $0 } ?? .infinity)
    knowledge.sweepVolts = min(
      subject.steadyVolts, most / max(1e-9, abs(reading.mode.gain.value)))
  }

  /// Whether a segment that made the sensor clip can be done with less; then that is what comes next.
  mutating func isLowered(after response: SegmentResponse) -> Bool {
    let seen = response.axes.map { axis in
      axis.samples.reduce(0.0) { max($0, abs(Double($1))) }
    }.max()
    switch stage {
    case .wake where sweepVolts > Self.faintest * subject.steadyVolts:
      knowledge.sweepVolts = 0.1 * sweepVolts
      stage = .wake(0)
    case .sweep where subject.kind == "piezo" && sweepVolts > Self.faintest * subject.steadyVolts:
      knowledge.sweepVolts = 0.25 * sweepVolts
      knowledge.sweeps = []
      stage = .sweep(0)
    case .ceiling(let round) where subject.kind == "piezo" && round + 1 < CeilingSearch.rounds:
      for index in knowledge.ceiling.open { knowledge.ceiling.halve(index) }
      stage = .ceiling(round + 1)
    default: return false
    }
    knowledge.sensorRange = seen
    return true
  }

  /// The share of what may last below which no sweep is tried.
  private static let faintest = 1e-4

  /// Whether taps tell anything of the inverse: not where the resonance is far above all of them.
  var hasTapsToShape: Bool {
    guard let f0 = knowledge.limit?.frequency.value else { return false }
    let ends = [subject.sharpness.frequency(of: 0), subject.sharpness.frequency(of: 1)]
    return f0 < 2 * (ends.max() ?? f0)
  }

  /// A piezo below its resonance: acceleration grows with the square of frequency, whatever Q is.
  mutating func beginPiezo(
    _ capture: Capture, _ plan: SweepPlan, output: [Float], segment: CalibrationSegment
  ) throws(CalibrationRefusal) {
    guard let model = piezoModel(capture, plan, output: output), model.misfit < 0.35 else {
      throw CalibrationRefusal(
        .sensorLoose,
        "the response is neither a resonance's nor a piezo's below its own: check that sensor and "
          + "actuator are fixed to the same mass")
    }
    let gain = model.gain.widened(by: model.misfit / 2)
    try checkReferenceWire(following: model.response(at:), band: Self.piezoBand)
    // A profile counts gains as resonators do: (g/Q) s^2, which turns the sign at s = j w.
    knowledge.piezo = (Estimate(-gain.value, uncertainty: gain.uncertainty), model.delay)
    knowledge.piezoLevel = plan.sweep.amplitude
    let assembly = ModelAssembly(subject: subject, knowledge: knowledge)
    try checkEarlier(assembly.model)
    knowledge.levels = LevelModel(assembly.model)
    stage = .ceiling(0)
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

  /// The closing sweep of a piezo without a resonance.
  mutating func acceptPiezoClosing(
    _ capture: Capture, _ plan: SweepPlan
  ) throws(CalibrationRefusal) -> SegmentVerdict {
    let output = capture.output(along: knowledge.weights)
    guard let before = knowledge.piezo,
      let model = piezoModel(capture, plan, output: output)
    else { return .again(because: "the closing sweep could not be read") }
    let change = abs(model.gain.value / before.gain.value) - 1
    guard abs(change) < 0.15 + 3 * model.gain.relativeUncertainty else {
      throw CalibrationRefusal(
        .actuatorSwapped,
        "this is not the actuator that the calibration began with: its gain changed by "
          + "\(text(100 * change)) %")
    }
    stage = .finished
    return .accepted
  }
}
