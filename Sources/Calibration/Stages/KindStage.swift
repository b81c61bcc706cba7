import Actuators
import Profiles
import SignalAnalysis
import Units

/// What tells a motor from a resonance: a voltage that stays, or for what should be a motor a sweep.
///
/// It ends the calibration either way: with another kind than the rig file's, or with what was wrong before.
struct KindStage: CalibrationStage {
  /// What is wrong where it is no other kind.
  let otherwise: CalibrationRefusal

  enum Plan: Sendable {
    case steady(MotorPlan)
    case sweep(SweepPlan)
  }

  /// The share of what may last that a motor is swept with, and that stays on anything else.
  private static let drive = (sweep: WakeStage.shares[2], steady: 0.6)
  /// How long the voltage rises, and stays, in seconds.
  private static let length = 0.8
  /// The stretches at the end that turn alike, in seconds.
  private static let stretch = 0.3
  /// The slowest turning in hertz, the share by which it may change, and the share of the motion that must last.
  private static let turning = (slowest: 15.0, change: 0.03, lasting: 0.7)

  var outlook: StageOutlook { .init("looking what kind it is", segments: 19, seconds: 49) }

  func draft(_ findings: inout Findings) -> SegmentDraft<Plan>? {
    let subject = findings.subject
    if subject.isMotor {
      let plan = SweepPlan.search(
        level: Self.drive.sweep * subject.steadyVolts, rate: subject.rate, isPiezo: false)
      return SegmentDraft(
        purpose: .wake, title: "sweep, \(text(plan.sweep.amplitude)) V",
        volts: plan.volts(at: subject.rate), plan: .sweep(plan))
    }
    let volts = min(Self.drive.steady * subject.limits.continuousVolts, subject.peakVolts)
    let plan = MotorPlan(
      steps: [
        .init(volts: volts, duration: Self.length, isRamp: true),
        .init(volts: volts, duration: Self.length),
      ])
    return SegmentDraft(
      purpose: .steps, title: "a steady \(text(volts)) V", volts: plan.volts(at: subject.rate),
      plan: .steady(plan))
  }

  func conclude(
    _ answer: SegmentAnswer, _ plan: Plan, _ findings: inout Findings
  ) throws(CalibrationRefusal) -> StageStep {
    switch plan {
    case .steady(let plan): throw turns(answer.capture, plan, findings) ?? otherwise
    case .sweep(let plan): throw resonates(answer, plan, findings) ?? otherwise
    }
  }

  /// A voltage that stays moves nothing for long but a motor.
  private func turns(
    _ capture: Capture, _ plan: MotorPlan, _ findings: Findings
  ) -> CalibrationRefusal? {
    let frames = capture.frames(of: plan.ranges(at: capture.rate)[1], after: 0)
    let count = min(frames.count / 2, capture.rate.wholeFrames(Self.stretch))
    let windows = [
      frames.upperBound - 2 * count..<frames.upperBound - count,
      frames.upperBound - count..<frames.upperBound,
    ]
    let readings = windows.compactMap {
      MotorReading(
        capture, window: $0, noise: 2 * findings.motion.noise, filter: findings.subject.filter)
    }
    guard readings.count == 2, readings[1].frequency.value > Self.turning.slowest,
      abs(readings[1].frequency.value / readings[0].frequency.value - 1) < Self.turning.change,
      readings[1].acceleration.value > Self.turning.lasting * readings[0].acceleration.value
    else { return nil }
    return CalibrationRefusal(
      .actuatorKind,
      "under a steady \(text(readings[1].volts)) V it turns \(text(readings[1].frequency.value)) times a "
        + "second: this is a motor with an eccentric mass and no '\(findings.subject.actuator.kind.rawValue)'; write "
        + "'kind: erm' in the rig file")
  }

  private func resonates(
    _ answer: SegmentAnswer, _ plan: SweepPlan, _ findings: Findings
  ) -> CalibrationRefusal? {
    let reading = SweepReading.measure(
      plan, answer.capture, output: answer.capture.axes.first ?? [],
      segment: answer.segment.number, filter: findings.subject.filter, modes: 1...2,
      noise: findings.motion.noise)
    guard let mode = try? reading.get().mode else { return nil }
    return CalibrationRefusal(
      .actuatorKind,
      "it does not turn under steady voltages and has a resonance at \(text(mode.frequency.value)) Hz: "
        + "this is no motor with an eccentric mass; write 'kind: lra' or 'kind: vcm' in the rig file"
    )
  }
}

extension KindStage {
  /// What follows where nothing moves: what hardly shakes at a voltage that swings may still be a motor, but
  /// no piezo is one.
  init(
    afterSilence silence: CalibrationRefusal, _ subject: CalibrationSubject
  ) throws(CalibrationRefusal) {
    guard !subject.isPiezo else { throw silence }
    otherwise = silence
  }
}
