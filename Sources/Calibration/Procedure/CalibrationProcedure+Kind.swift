import Profiles
import SignalAnalysis
import Units

extension CalibrationProcedure {
  /// What tells a motor from a resonance: a voltage that stays, or for what should be a motor a sweep.
  func kindDraft() -> SegmentDraft {
    if subject.isMotor {
      let plan = SweepPlan.search(
        level: 0.3 * subject.steadyVolts, rate: subject.rate, isPiezo: false)
      return SegmentDraft(
        purpose: .wake, title: "sweep, \(text(plan.sweep.amplitude)) V",
        volts: plan.volts(at: subject.rate), plan: .sweep(plan))
    }
    let volts = min(0.6 * subject.limits.continuousVolts, subject.peakVolts)
    let plan = MotorPlan(
      steps: [
        .init(volts: volts, duration: 0.8, isRamp: true), .init(volts: volts, duration: 0.8),
      ])
    return SegmentDraft(
      purpose: .steps, title: "a steady \(text(volts)) V", volts: plan.volts(at: subject.rate),
      plan: .motor(plan))
  }

  /// A voltage that stays moves nothing for long but a motor.
  func turning(_ capture: Capture, _ plan: MotorPlan) -> CalibrationRefusal? {
    let frames = capture.frames(of: plan.ranges(at: capture.rate)[1], after: 0)
    let count = min(frames.count / 2, capture.rate.wholeFrames(0.3))
    let windows = [
      frames.upperBound - 2 * count..<frames.upperBound - count,
      frames.upperBound - count..<frames.upperBound,
    ]
    let readings = windows.compactMap {
      MotorReading(capture, window: $0, noise: 2 * knowledge.noise, filter: subject.filter)
    }
    guard readings.count == 2, readings[1].frequency.value > 15,
      abs(readings[1].frequency.value / readings[0].frequency.value - 1) < 0.03,
      readings[1].acceleration.value > 0.7 * readings[0].acceleration.value
    else { return nil }
    return CalibrationRefusal(
      .actuatorKind,
      "under a steady \(text(readings[1].volts)) V it turns \(text(readings[1].frequency.value)) times a "
        + "second: this is a motor with an eccentric mass and no '\(subject.kind)'; write 'kind: erm' in "
        + "the rig file")
  }

  /// What does not turn may have a resonance.
  func resonating(
    _ capture: Capture, _ plan: SweepPlan, _ segment: CalibrationSegment
  ) -> CalibrationRefusal? {
    let reading = SweepReading.measure(
      plan, capture, output: capture.axes.first ?? [], segment: segment.number,
      filter: subject.filter, modes: 1...2, noise: knowledge.noise)
    guard let mode = try? reading.get().mode else { return nil }
    return CalibrationRefusal(
      .actuatorKind,
      "it does not turn under steady voltages and has a resonance at \(text(mode.frequency.value)) Hz: "
        + "this is no motor with an eccentric mass; write 'kind: lra' or 'kind: vcm' in the rig file"
    )
  }
}
