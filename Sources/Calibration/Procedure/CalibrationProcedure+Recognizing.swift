import Profiles
import SignalAnalysis
import Units

extension CalibrationProcedure {
  /// A short faint sweep that tells whether the actuator is still the one that the calibration began with.
  ///
  /// For a calibration that was stopped: to be played before it goes on, between its own segments, of which
  /// it is none. Nil where nothing was measured yet that it could be compared with, and for a motor, whose
  /// closing run tells.
  public func recognition() -> CalibrationSegment? {
    guard stage != .finished, let plan = recognitionPlan else { return nil }
    return CalibrationSegment(
      number: 0, purpose: .closing, title: "a faint sweep to know the actuator again",
      volts: plan.volts(at: subject.rate), rate: subject.rate)
  }

  /// The sweep that is compared: the faintest of the identification, or else the first look's.
  private var recognitionPlan: SweepPlan? {
    if let sweep = (knowledge.sweeps.first ?? knowledge.coarse)?.response.sweep {
      let mode = (knowledge.sweeps.first ?? knowledge.coarse)?.mode
      let ring = mode.map { 2.2 * $0.q.value / $0.frequency.value } ?? 0.3
      return SweepPlan(
        sweep: sweep, silence: max(0.15, min(1, 1.3 * ring)),
        cutsRing: sweep.duration >= SweepPlan.longest)
    }
    return knowledge.piezo == nil
      ? nil
      : .search(
        level: Self.wakeShares[1] * subject.steadyVolts, rate: subject.rate, isPiezo: true)
  }

  /// Compares the answer to `recognition` with what the calibration knows.
  ///
  /// - Parameters:
  ///   - response: What the sensors delivered.
  ///   - segment: The segment that was played.
  /// - Returns: Whether the actuator was known again, or the sweep is to be played once more.
  /// - Throws: A refusal where it is another actuator, or the same one in another state.
  public func recognize(
    _ response: SegmentResponse, to segment: CalibrationSegment
  ) throws(CalibrationRefusal) -> SegmentVerdict {
    guard let plan = recognitionPlan else { return .accepted }
    switch try ResponseIntake(subject: subject, offsets: nil).capture(response, to: segment) {
    case .failure(let failure): return .again(because: failure.reason)
    case .success(let capture): return try recognize(capture, plan)
    }
  }

  private func recognize(
    _ capture: Capture, _ plan: SweepPlan
  ) throws(CalibrationRefusal) -> SegmentVerdict {
    let output = capture.output(along: knowledge.weights)
    if let piezo = knowledge.piezo {
      guard
        let found = piezoModel(capture, plan, output: output),
        found.gain.relativeUncertainty < 0.1
      else { return .again(because: "the sweep could not be read") }
      let change = abs(found.gain.value / piezo.gain.value) - 1
      guard abs(change) < 0.15 else {
        throw Self.stranger("its gain changed by \(text(100 * change)) %")
      }
      return .accepted
    }
    guard let before = knowledge.sweeps.first ?? knowledge.coarse else { return .accepted }
    let found = SweepReading.measure(
      plan, capture, output: output, segment: -1, filter: subject.filter,
      modes: 1...max(1, before.model.modes.count), noise: knowledge.noise)
    switch found {
    case .failure(.dead):
      throw CalibrationRefusal(
        .actuatorDead,
        "the actuator no longer answers since the calibration was stopped: check its wiring and the "
          + "amplifier")
    case .failure(.outside(let sentence)), .failure(.unlike(_, let sentence)):
      throw Self.stranger(sentence)
    case .success(let reading): return try compare(reading, with: before)
    }
  }

  private func compare(
    _ now: SweepReading, with before: SweepReading
  ) throws(CalibrationRefusal) -> SegmentVerdict {
    if now.disturbance.isDisturbed, !before.disturbance.isDisturbed {
      return .again(because: shaken(now))
    }
    func moved(_ part: (ModalModel.Mode) -> Estimate) -> Double {
      let (a, b) = (part(before.mode), part(now.mode))
      let noise =
        4
        * (a.relativeUncertainty * a.relativeUncertainty
        + b.relativeUncertainty * b.relativeUncertainty).squareRoot()
      return max(0, abs(b.value / a.value - 1) - noise)
    }
    let (f, q, g) = (moved(\.frequency), moved(\.q), moved(\.gain))
    let found =
      "its resonance was \(text(before.mode.frequency.value)) Hz and is "
      + "\(text(now.mode.frequency.value)) Hz, its gain was \(text(before.mode.gain.value)) and is "
      + "\(text(now.mode.gain.value)) m/s2 a volt"
    if f > 0.02 || g > 0.15 || q > 0.3 { throw Self.stranger(found) }
    if f > 0.008 || g > 0.06 || q > 0.15 {
      throw CalibrationRefusal(
        .actuatorDrift,
        "the actuator is not as it was when the calibration was stopped: \(found)")
    }
    return .accepted
  }

  private static func stranger(_ found: String) -> CalibrationRefusal {
    CalibrationRefusal(
      .actuatorSwapped,
      "this is not the actuator that the stopped calibration began with: \(found)")
  }
}
