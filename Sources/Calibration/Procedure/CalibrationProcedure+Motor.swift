private import Glibc
import Perception
import Profiles
import SignalAnalysis
import Units

extension CalibrationProcedure {
  /// A slow rise of the voltage: where the motor starts.
  mutating func motorStartDraft() -> SegmentDraft {
    let plan = MotorPlan(
      steps: [.init(volts: subject.steadyVolts, duration: 2.5, isRamp: true)], silence: 0.8)
    return SegmentDraft(
      purpose: .steps, title: "voltage rising to \(text(subject.steadyVolts)) V",
      volts: plan.volts(at: subject.rate), plan: .motor(plan))
  }

  /// A step from rest, then rising steps.
  mutating func motorStepsDraft(purpose: CalibrationSegment.Purpose) -> SegmentDraft {
    let (low, high) = (1.1 * (knowledge.motor.startVolts ?? 0), subject.steadyVolts)
    let shares = purpose == .closing ? [0.5, 1] : (0...8).map { Double($0) / 8 }
    let hold = knowledge.motor.hold
    let plan = MotorPlan(
      steps: [.init(volts: 0.6 * high, duration: hold + 0.2)]
        + shares.map { .init(volts: low + (high - low) * $0, duration: hold) })
    return SegmentDraft(
      purpose: purpose, title: "\(plan.steps.count) steady voltages",
      volts: plan.volts(at: subject.rate), plan: .motor(plan))
  }

  /// Points of the plane that the motor's curve passes through, and some projected on it.
  mutating func motorVerificationDraft() -> SegmentDraft? {
    let assembly = OutcomeAssembly(subject: subject, knowledge: knowledge)
    guard let profile = assembly.profile else { return nil }
    let map = DriveMap(profile: profile, fullScaleVolts: subject.fullScaleVolts)
    let steps = MotorPlaces(map).places.map {
      MotorPlan.Step(volts: $0.command.volts, duration: knowledge.motor.hold, place: $0)
    }
    guard !steps.isEmpty else { return nil }
    let plan = MotorPlan(steps: steps)
    return SegmentDraft(
      purpose: .heldOut, title: "\(steps.count) steady voltages to verify",
      volts: plan.volts(at: subject.rate), plan: .motor(plan))
  }

  /// A run of the motor.
  mutating func acceptMotor(
    _ capture: Capture, _ plan: MotorPlan
  ) throws(CalibrationRefusal) -> SegmentVerdict {
    switch stage {
    case .motorStart: try acceptStart(capture, plan)
    case .motorVerification: verify(capture, plan)
    case .motorClosing:
      knowledge.motor.closing = Array(readings(capture, plan).dropFirst().compactMap(\.self))
      try compareMotor()
      stage = .finished
    default: return try acceptSteps(capture, plan)
    }
    return .accepted
  }

  private mutating func acceptStart(
    _ capture: Capture, _ plan: MotorPlan
  ) throws(CalibrationRefusal) {
    let felt = capture.axes.map {
      BandPass(12...min(1_000, 0.4 * capture.rate.hertz)).apply(to: $0, rate: capture.rate)
    }
    let strength = felt[0].indices.map { frame in
      Float(felt.reduce(0.0) { $0 + $1[frame] * $1[frame] }.squareRoot())
    }
    let moving = Envelope.movingRMS(strength, frames: capture.rate.wholeFrames(0.04))
    let noise = (knowledge.rest?.bandNoise ?? []).reduce(0) { $0 + $1 * $1 }.squareRoot()
    // Slow turning hardly shakes: a thousandth of the strongest is a thirtieth of the speed.
    let limit = max(5 * noise, 0.001 * Double(moving.max() ?? 0))
    guard (moving.max() ?? 0) > max(10 * noise, 1e-9),
      let first = moving.indices.first(where: { $0 > capture.lead && moving[$0] > limit })
    else {
      let open = capture.current.map { Amplitude.rms($0) < 1e-3 * Amplitude.rms(capture.input) }
      throw CalibrationRefusal(
        open == false ? .actuatorStuck : .actuatorDead,
        "the motor does not turn up to \(text(subject.steadyVolts)) V: check that it is connected and "
          + "free to turn")
    }
    // The window of 40 ms sees the start by half of itself early.
    let place = min(capture.input.count - 1, first)
    knowledge.motor.startVolts = max(0.01 * subject.steadyVolts, Double(capture.input[place]))
    stage = .motorSteps
  }

  private func readings(_ capture: Capture, _ plan: MotorPlan) -> [MotorReading?] {
    plan.readings(capture, noise: knowledge.noise, filter: subject.filter)
  }

  private mutating func acceptSteps(
    _ capture: Capture, _ plan: MotorPlan
  ) throws(CalibrationRefusal) -> SegmentVerdict {
    let found = readings(capture, plan)
    let turning = found.dropFirst().compactMap(\.self)
    guard turning.count > 2 else {
      stage = .turning(
        CalibrationRefusal(
          .actuatorStuck,
          "the motor turned at \(turning.count) of \(found.count - 1) voltages: check that it is connected "
            + "and free to turn"))
      return .accepted
    }
    guard turning.count >= 4, let steady = found[0] else {
      return .again(because: "the motor turned at \(turning.count) of \(found.count - 1) voltages")
    }
    guard let spinUp = SpinUp(capture, step: plan.ranges(at: capture.rate)[0], steady: steady)
    else { return .again(because: "the motor's start could not be read") }
    let needed = 7 * spinUp.time.value + 0.2
    if needed > 1.05 * knowledge.motor.hold, knowledge.motor.hold < 1.5 {
      knowledge.motor.hold = min(1.5, 1.05 * needed)
      return .accepted
    }
    knowledge.motor.spinUp = spinUp
    knowledge.motor.readings = Array(turning)
    guard let curve = knowledge.motor.curve, let top = curve.points.last else {
      return .again(because: "the motor's speed does not rise with the voltage")
    }
    try checkEarlierMotor(curve)
    let highest = subject.target.contour.sensationLevel(
      acceleration: top.acceleration, at: top.frequency)
    guard highest > subject.target.floorLevel + 3 else {
      throw CalibrationRefusal(
        .actuatorLimit,
        "the drive is at its limit everywhere: at \(text(subject.steadyVolts)) V the motor reaches "
          + "\(text(highest)) dB above threshold; raise the limits if it bears that")
    }
    try checkReference(against: highest)
    knowledge.referenceLevel =
      subject.referenceIsGiven
      ? subject.target.referenceLevel
      : min(subject.target.referenceLevel, (10 * highest).rounded(.down) / 10)
    stage = .motorVerification
    return .accepted
  }

  private mutating func verify(_ capture: Capture, _ plan: MotorPlan) {
    let contour = subject.target.contour
    knowledge.points = zip(plan.steps, readings(capture, plan)).compactMap { step, reading in
      guard let asked = step.place, let reading else { return nil }
      return VerifiedPoint(
        intensity: asked.intensity, sharpness: asked.sharpness, command: asked.command,
        isHeldOut: true, reading: ToneReading(reading, contour: contour))
    }
    stage = .motorClosing
  }

  /// Whether the motor still does what it did.
  private mutating func compareMotor() throws(CalibrationRefusal) {
    guard let curve = knowledge.motor.curve else { return }
    for reading in knowledge.motor.closing {
      guard
        let near = curve.points.min(by: {
          abs($0.volts - reading.volts) < abs($1.volts - reading.volts)
        }), abs(near.volts / reading.volts - 1) < 0.02
      else { continue }
      let speed = reading.frequency.value / near.frequency - 1
      let force = reading.acceleration.value / near.acceleration - 1
      if abs(speed) > 0.08 || abs(force) > 0.2 {
        throw CalibrationRefusal(
          .actuatorSwapped,
          "this is not the motor that the calibration began with: at \(text(reading.volts)) V its speed "
            + "went from \(text(near.frequency)) to \(text(reading.frequency.value)) Hz")
      }
      if abs(speed) > 0.01 {
        knowledge.notes.append(
          "At \(text(reading.volts)) V the motor's speed changed by \(text(100 * speed)) % during the "
            + "calibration.")
      }
    }
  }
}

extension ToneReading {
  /// A motor's steady state as a tone.
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
