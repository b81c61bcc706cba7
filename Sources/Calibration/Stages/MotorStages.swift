// SPDX-License-Identifier: Apache-2.0

import Actuators
private import Glibc
import Perception
import Profiles
import SignalAnalysis
import Units

/// What tells a motor from a resonance: a voltage that stays, or for what should be a motor a sweep.
///
/// It ends the calibration either way: with another kind than the rig file's, or with what was wrong before.
struct KindStage: CalibrationStage {
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

struct MotorStartStage: CalibrationStage {
  /// The rise and the silence after it, in seconds.
  private static let lengths = (rise: 2.5, silence: 0.8)
  /// What is felt of its motion, in hertz, and the share of the rate that it may reach.
  private static let band = (low: 12.0, high: 1_000.0, rate: 0.4)
  /// The window that its strength is looked at in, in seconds: it sees the start by half of itself early.
  private static let window = 0.04
  /// Times of the noise, or a share of its strongest, from which on it moves.
  ///
  /// Slow turning hardly shakes: a thousandth of the strongest is a thirtieth of the speed.
  private static let moving = (noise: 5.0, share: 0.001)
  /// How many times the noise the strongest motion of a motor that turns is.
  private static let turns = 10.0
  /// The share of the current that its voltage would drive through an ohm, below which no current flows.
  private static let openCurrent = 1e-3
  /// The least voltage that is taken for its start, as a share of what may last.
  private static let leastStart = 0.01

  var outlook: StageOutlook { .init("looking for the actuator", segments: 4, seconds: 49) }

  func draft(_ findings: inout Findings) -> SegmentDraft<MotorPlan>? {
    let (volts, rate) = (findings.subject.steadyVolts, findings.subject.rate)
    let plan = MotorPlan(
      steps: [.init(volts: volts, duration: Self.lengths.rise, isRamp: true)],
      silence: Self.lengths.silence)
    return SegmentDraft(
      purpose: .steps, title: "voltage rising to \(text(volts)) V", volts: plan.volts(at: rate),
      plan: plan)
  }

  func conclude(
    _ answer: SegmentAnswer, _ plan: MotorPlan, _ findings: inout Findings
  ) throws(CalibrationRefusal) -> StageStep {
    let (capture, steadyVolts) = (answer.capture, findings.subject.steadyVolts)
    let high = min(Self.band.high, Self.band.rate * capture.rate.hertz)
    let felt = capture.axes.map {
      BandPass(Self.band.low...high).apply(to: $0, rate: capture.rate)
    }
    let strength = felt[0].indices.map { frame in
      Float(felt.reduce(0.0) { $0 + $1[frame] * $1[frame] }.squareRoot())
    }
    let moving = Envelope.movingRMS(strength, frames: capture.rate.wholeFrames(Self.window))
    let noise = (findings.rest?.check.bandNoise ?? []).reduce(0) { $0 + $1 * $1 }.squareRoot()
    let strongest = moving.max() ?? 0
    let limit = max(Self.moving.noise * noise, Self.moving.share * strongest)
    guard strongest > max(Self.turns * noise, 1e-9),
      let first = moving.indices.first(where: {
        $0 > capture.lead && moving[$0] > limit
      })
    else {
      let isOpen = capture.current.map {
        Amplitude.rms($0) < Self.openCurrent * Amplitude.rms(capture.input)
      }
      throw CalibrationRefusal(
        isOpen == false ? .actuatorStuck : .actuatorDead,
        "the motor does not turn up to \(text(steadyVolts)) V: check that it is connected and "
          + "free to turn")
    }
    let place = min(capture.input.count - 1, first)
    findings.motor.startVolts = max(
      Self.leastStart * steadyVolts, Double(capture.input[place]))
    return .next(MotorStepsStage())
  }
}

extension Findings {
  /// The step from rest, as a share of what may last, and how much longer than the others it is held, in
  /// seconds.
  private static let firstStep = (share: 0.6, longer: 0.2)
  private static let aboveStart = 1.1

  /// A step from rest, then rising steps at shares of the way to what may last.
  fileprivate func motorSteps(
    _ shares: [Double], purpose: CalibrationSegment.Purpose
  ) -> SegmentDraft<MotorPlan> {
    let (low, high) = (Self.aboveStart * (motor.startVolts ?? 0), subject.steadyVolts)
    let plan = MotorPlan(
      steps: [
        .init(volts: Self.firstStep.share * high, duration: motor.hold + Self.firstStep.longer)
      ] + shares.map { .init(volts: low + (high - low) * $0, duration: motor.hold) })
    return SegmentDraft(
      purpose: purpose, title: "\(plan.steps.count) steady voltages",
      volts: plan.volts(at: subject.rate), plan: plan)
  }

  fileprivate func motorReadings(_ capture: Capture, _ plan: MotorPlan) -> [MotorReading?] {
    plan.readings(capture, noise: motion.noise, filter: subject.filter)
  }
}

/// A step from rest, then rising steps: how the motor gets going, and what it does at each voltage.
struct MotorStepsStage: CalibrationStage {
  private static let steps = 8
  /// More than this many voltages must turn it, and this many that its curve can be read.
  private static let turning = (least: 2, enough: 4)
  /// How long a step must be held: times of the spin-up and seconds; and the longest.
  private static let hold = (spinUps: 7.0, more: 0.2, longest: 1.5)
  /// By how much the hold is lengthened, and may be short.
  private static let room = 1.05

  var outlook: StageOutlook { .init("running up the motor", segments: 3, seconds: 20) }

  func draft(_ findings: inout Findings) -> SegmentDraft<MotorPlan>? {
    findings.motorSteps(
      (0...Self.steps).map { Double($0) / Double(Self.steps) }, purpose: .steps)
  }

  func conclude(
    _ answer: SegmentAnswer, _ plan: MotorPlan, _ findings: inout Findings
  ) throws(CalibrationRefusal) -> StageStep {
    let capture = answer.capture
    let found = findings.motorReadings(capture, plan)
    let turning = found.dropFirst().compactMap(\.self)
    let told = "the motor turned at \(turning.count) of \(found.count - 1) voltages"
    guard turning.count > Self.turning.least else {
      return .next(
        KindStage(
          otherwise: CalibrationRefusal(
            .actuatorStuck, "\(told): check that it is connected and free to turn")))
    }
    guard turning.count >= Self.turning.enough, let steady = found[0] else {
      return .again(because: told)
    }
    guard let spinUp = SpinUp(capture, step: plan.ranges(at: capture.rate)[0], steady: steady)
    else { return .again(because: "the motor's start could not be read") }
    let needed = Self.hold.spinUps * spinUp.time.value + Self.hold.more
    if needed > Self.room * findings.motor.hold, findings.motor.hold < Self.hold.longest {
      findings.motor.hold = min(Self.hold.longest, Self.room * needed)
      return .next(MotorStepsStage())
    }
    findings.motor.spinUp = spinUp
    findings.motor.readings = Array(turning)
    guard let curve = findings.motor.curve, let top = curve.points.last else {
      return .again(because: "the motor's speed does not rise with the voltage")
    }
    try findings.checkEarlier(curve)
    findings.referenceLevel = try referenceLevel(top, findings.subject)
    return .next(MotorVerificationStage())
  }

  private func referenceLevel(
    _ top: MotorCurve.Point, _ subject: CalibrationSubject
  ) throws(CalibrationRefusal) -> Double {
    let highest = subject.target.contour.sensationLevel(
      acceleration: top.acceleration, at: top.frequency)
    guard highest > subject.target.floorLevel + CalibrationSubject.leastSpan else {
      throw CalibrationRefusal(
        .actuatorLimit,
        "the drive is at its limit everywhere: at \(text(subject.steadyVolts)) V the motor reaches "
          + "\(text(highest)) dB above threshold; raise the limits if it bears that")
    }
    return try subject.referenceLevel(below: highest)
  }
}

/// Points of the plane that the motor's curve passes through, and some projected on it.
struct MotorVerificationStage: CalibrationStage {
  var outlook: StageOutlook { .init("verifying", segments: 2, seconds: 14) }

  func draft(_ findings: inout Findings) -> SegmentDraft<MotorPlan>? {
    guard let profile = findings.profile else { return nil }
    let subject = findings.subject
    let map = DriveMap(profile: profile, fullScaleVolts: subject.fullScaleVolts)
    let steps = AskedPoint.ofMotor(map).map {
      MotorPlan.Step(volts: $0.command.volts, duration: findings.motor.hold, point: $0)
    }
    guard !steps.isEmpty else { return nil }
    let plan = MotorPlan(steps: steps)
    return SegmentDraft(
      purpose: .heldOut, title: "\(steps.count) steady voltages to verify",
      volts: plan.volts(at: subject.rate), plan: plan)
  }

  func conclude(
    _ answer: SegmentAnswer, _ plan: MotorPlan, _ findings: inout Findings
  ) -> StageStep {
    let contour = findings.subject.target.contour
    let readings = findings.motorReadings(answer.capture, plan)
    findings.verification.points = zip(plan.steps, readings).compactMap { step, reading in
      guard let asked = step.point, let reading else { return nil }
      return VerifiedPoint(asked: asked, reading: ToneReading(reading, contour: contour))
    }
    return .next(MotorClosingStage())
  }
}

/// Some of the steps once more: whether the motor still does what it did.
struct MotorClosingStage: CalibrationStage {
  private static let steps = [0.5, 1]
  /// Voltages closer than this are one, as a share.
  private static let sameVolts = 0.02
  /// The shares by which speed and force may change, and the change of speed that a person is told.
  private static let change = (speed: 0.08, force: 0.2, told: 0.01)

  var outlook: StageOutlook { .init("making sure that it is the same", segments: 1, seconds: 1.5) }

  func draft(_ findings: inout Findings) -> SegmentDraft<MotorPlan>? {
    findings.motorSteps(Self.steps, purpose: .closing)
  }

  func conclude(
    _ answer: SegmentAnswer, _ plan: MotorPlan, _ findings: inout Findings
  ) throws(CalibrationRefusal) -> StageStep {
    let readings = findings.motorReadings(answer.capture, plan).dropFirst().compactMap(\.self)
    for reading in readings {
      guard
        let near = findings.motor.curve?.points.min(by: {
          abs($0.volts - reading.volts) < abs($1.volts - reading.volts)
        }), abs(near.volts / reading.volts - 1) < Self.sameVolts
      else { continue }
      let speed = reading.frequency.value / near.frequency - 1
      let force = reading.acceleration.value / near.acceleration - 1
      if abs(speed) > Self.change.speed || abs(force) > Self.change.force {
        throw CalibrationRefusal(
          .actuatorSwapped,
          "this is not the motor that the calibration began with: at \(text(reading.volts)) V its speed "
            + "went from \(text(near.frequency)) to \(text(reading.frequency.value)) Hz")
      }
      if abs(speed) > Self.change.told {
        findings.notes.append(
          "At \(text(reading.volts)) V the motor's speed changed by \(text(100 * speed)) % during the "
            + "calibration.")
      }
    }
    return .done
  }
}

extension ToneReading {
  init(_ reading: MotorReading, contour: PerceptionContour) {
    self.init(
      frequency: reading.frequency.value, volts: reading.volts,
      acceleration: reading.acceleration.value, uncertainty: reading.acceleration.uncertainty,
      distortion: 0,
      level: contour.sensationLevel(
        acceleration: reading.acceleration.value, at: reading.frequency.value),
      feltFrequency: reading.frequency.value, excess: 0)
  }
}
