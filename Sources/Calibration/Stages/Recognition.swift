import Profiles
import SignalAnalysis

/// The actuator known again, after a calibration was stopped.
struct Recognition: Sendable {
  let findings: Findings
  /// The sweep that is compared.
  private let plan: SweepPlan

  /// How long the sweep is waited for to ring out: decays to -60 dB, and the bounds in seconds.
  private static let silence = (decays: 1.3, bounds: 0.15...1)
  /// The uncertainty of a piezo's gain that can be compared.
  private static let sureGain = 0.1

  /// Compares the faintest sweep of the identification, or else the first look's.
  ///
  /// Nil where nothing was measured yet that it could be compared with, and for a motor, whose closing run
  /// tells.
  init?(_ findings: Findings) {
    self.findings = findings
    let subject = findings.subject
    if let reading = findings.sweeps.first {
      let (mode, sweep) = (reading.mode, reading.response.sweep)
      let ring = 2.2 * mode.q.value / mode.frequency.value
      let bounds = Self.silence.bounds
      plan = SweepPlan(
        sweep: sweep,
        silence: max(bounds.lowerBound, min(bounds.upperBound, Self.silence.decays * ring)),
        cutsRing: sweep.duration >= SweepPlan.longest)
    } else if findings.piezo != nil {
      plan = .search(
        level: WakeStage.shares[1] * subject.steadyVolts, rate: subject.rate, isPiezo: true)
    } else {
      return nil
    }
  }

  /// The sweep as a segment; it is none of the calibration's own.
  var segment: CalibrationSegment {
    let rate = findings.subject.rate
    return CalibrationSegment(
      number: 0, purpose: .closing, title: "a faint sweep to know the actuator again",
      volts: plan.volts(at: rate), rate: rate)
  }

  /// Whether the actuator was known again, or the sweep is to be played once more.
  func compare(_ capture: Capture) throws(CalibrationRefusal) -> SegmentVerdict {
    let output = capture.output(along: findings.motion.weights)
    if let piezo = findings.piezo {
      guard let found = findings.piezoModel(capture, plan, output: output),
        found.gain.relativeUncertainty < Self.sureGain
      else { return .again(because: "the sweep could not be read") }
      let change = abs(found.gain.value / piezo.gain.value) - 1
      guard abs(change) < ActuatorChange.piezo else {
        throw stranger("its gain changed by \(text(100 * change)) %")
      }
      return .accepted
    }
    guard let before = findings.sweeps.first else { return .accepted }
    let found = SweepReading.measure(
      plan, capture, output: output, segment: -1, filter: findings.subject.filter,
      modes: 1...max(1, before.model.modes.count), noise: findings.motion.noise)
    switch found {
    case .failure(.dead):
      throw CalibrationRefusal(
        .actuatorDead,
        "the actuator no longer answers since the calibration was stopped: check its wiring and the "
          + "amplifier")
    case .failure(.outside(let sentence)), .failure(.unlike(_, let sentence)):
      throw stranger(sentence)
    case .success(let reading): return try compare(reading, with: before)
    }
  }

  private func compare(
    _ now: SweepReading, with before: SweepReading
  ) throws(CalibrationRefusal) -> SegmentVerdict {
    if now.disturbance.isDisturbed, !before.disturbance.isDisturbed {
      return .again(because: now.shaken)
    }
    func moved(_ part: (ModalModel.Mode) -> Estimate) -> Double {
      let (a, b) = (part(before.mode), part(now.mode))
      let noise =
        ActuatorChange.noise
        * (a.relativeUncertainty * a.relativeUncertainty
        + b.relativeUncertainty * b.relativeUncertainty).squareRoot()
      return max(0, abs(b.value / a.value - 1) - noise)
    }
    let change = Movement(frequency: moved(\.frequency), q: moved(\.q), gain: moved(\.gain))
    let found =
      "its resonance was \(text(before.mode.frequency.value)) Hz and is "
      + "\(text(now.mode.frequency.value)) Hz, its gain was \(text(before.mode.gain.value)) and is "
      + "\(text(now.mode.gain.value)) m/s2 a volt"
    if change.exceeds(ActuatorChange.other) { throw stranger(found) }
    if change.exceeds(ActuatorChange.drift) {
      throw CalibrationRefusal(
        .actuatorDrift,
        "the actuator is not as it was when the calibration was stopped: \(found)")
    }
    return .accepted
  }

  private func stranger(_ found: String) -> CalibrationRefusal {
    CalibrationRefusal(
      .actuatorSwapped,
      "this is not the actuator that the stopped calibration began with: \(found)")
  }
}
