private import Glibc
import Perception
import Profiles
import SignalAnalysis
import Units

extension CalibrationProcedure {
  /// A point to verify.
  private struct Place {
    let intensity: Double
    let sharpness: Double
    let isHeldOut: Bool
    let command: DriveCommand
  }

  /// The points that are verified: those of the grid, and others that the actuator reaches.
  ///
  /// Where time is short, of the points that it does not reach only as many as there is time for.
  private var places: [Place] {
    let assembly = OutcomeAssembly(subject: subject, knowledge: knowledge)
    guard let profile = assembly.profile else { return [] }
    let map = DriveMap(profile: profile, fullScaleVolts: subject.fullScaleVolts)
    let all =
      VerifiedPoint.grid.map { ($0, $1, false) } + VerifiedPoint.heldOut.map { ($0, $1, true) }
    let points = all.map {
      Place(
        intensity: $0, sharpness: $1, isHeldOut: $2,
        command: map.command(intensity: $0, sharpness: $1))
    }.filter { !$0.isHeldOut || $0.command.mapping.isInside }
    let ahead = RigTimeStep.from(.tapVerification).reduce(0) { $0 + duration(of: $1) }
    let left = RigTime.total - RigTime.overhead - 1 - knowledge.time.elapsed - ahead
    let affordable = Int(left / (verificationSettling + window))
    var spare = affordable - points.count { $0.command.mapping.isInside }
    return points.filter { point in
      if point.command.mapping.isInside { return true }
      spare -= 1
      return spare >= 0
    }
  }

  /// The verification's tones, as the renderer will play them.
  mutating func verificationDraft() -> SegmentDraft? {
    guard let inverse else { return nil }
    let plan = TonePlan(
      tones: places.map { .init(frequency: $0.command.frequency, amplitude: $0.command.command) },
      settling: verificationSettling, window: window, inverse: inverse)
    return SegmentDraft(
      purpose: .heldOut, title: "\(plan.tones.count) tones to verify",
      volts: plan.volts(at: subject.rate, peak: subject.peakVolts), plan: .tones(plan))
  }

  /// The verification's tones as they came out.
  mutating func acceptVerification(
    _ capture: Capture, _ plan: TonePlan
  ) throws(CalibrationRefusal) -> SegmentVerdict {
    let readings = read(capture, plan)
    if let reason = try disturbed(readings) { return .again(because: reason) }
    knowledge.points = zip(places, readings).compactMap { place, reading in
      guard let reading, reading.level.isFinite else { return nil }
      return VerifiedPoint(
        intensity: place.intensity, sharpness: place.sharpness, command: place.command,
        isHeldOut: place.isHeldOut, reading: reading)
    }
    let inside = knowledge.points.filter { $0.command.mapping.isInside }
    let worst = inside.map { abs($0.reading.level - $0.command.targetLevel) }.max() ?? 0
    if worst > 6 {
      stage = .diagnosis("a verified tone is \(text(worst)) dB off")
      return .accepted
    }
    stage = .tapVerification(0)
    return .accepted
  }

  /// The small-signal sweep once more: the same actuator, in the same state.
  mutating func acceptClosing(
    _ capture: Capture, _ plan: SweepPlan, _ segment: CalibrationSegment
  ) throws(CalibrationRefusal) -> SegmentVerdict {
    if knowledge.piezo != nil { return try acceptPiezoClosing(capture, plan) }
    switch closingReading(capture, plan, segment) {
    case .failure(let failure): return try closingFailed(failure, segment)
    case .success(var reading):
      if isShaken(reading), reading.disturbance.share < 0.3 {
        return .again(because: shaken(reading))
      }
      reading.time = knowledge.elapsed
      knowledge.closing = reading
      try checkIdentity()
      stage = subject.remounts > 0 ? .remount(0) : .finished
      return .accepted
    }
  }

  /// Something did not fit: is it still the actuator of the first sweeps.
  mutating func acceptDiagnosis(
    _ capture: Capture, _ plan: SweepPlan, _ segment: CalibrationSegment, suspicion: String
  ) throws(CalibrationRefusal) -> SegmentVerdict {
    switch closingReading(capture, plan, segment) {
    case .failure(let failure): return try closingFailed(failure, segment)
    case .success(var reading):
      reading.time = knowledge.elapsed
      knowledge.closing = reading
      try checkIdentity()
      knowledge.closing = nil
      // The same at small signal: it is the level that it cannot follow.
      let faint = plannedSweeps.count { $0.share <= Self.closingShare }
      guard knowledge.sweeps.count >= faint, knowledge.ceiling.nodes.isEmpty else {
        throw CalibrationRefusal(
          .actuatorUnlike,
          "the actuator does not do the same twice: \(suspicion), while its resonance at small signal is "
            + "what it was; check that it is fixed and nothing touches it")
      }
      cap(below: 2 * (knowledge.sweeps.map(\.level).max() ?? 0))
      try finishIdentification()
      return .accepted
    }
  }

  func closingReading(
    _ capture: Capture, _ plan: SweepPlan, _ segment: CalibrationSegment
  ) -> Result<SweepReading, SweepFailure> {
    SweepReading.measure(
      plan, capture, output: capture.output(along: knowledge.weights), segment: segment.number,
      filter: subject.filter, modes: 1...1, noise: knowledge.noise,
      known: knowledge.coarse?.model)
  }

  func closingFailed(
    _ failure: SweepFailure, _ segment: CalibrationSegment
  ) throws(CalibrationRefusal) -> SegmentVerdict {
    if failure == .dead {
      throw CalibrationRefusal(
        .actuatorDead,
        "the actuator no longer answers in '\(segment.title)': check its wiring and the amplifier")
    }
    return .again(because: "'\(segment.title)' could not be read")
  }

  /// Compares the closing sweep with the first of its kind.
  private mutating func checkIdentity() throws(CalibrationRefusal) {
    guard let closing = knowledge.closing, let before = knowledge.earlier(than: closing) else {
      return
    }
    func change(_ part: (ModalModel.Mode) -> Estimate) -> Double {
      part(closing.mode).value / part(before.mode).value - 1
    }
    let (q, g) = (change(\.q), change(\.gain))
    let moved = knowledge.movement(beyond: 4)
    let found =
      "its resonance went from \(text(before.mode.frequency.value)) to "
      + "\(text(closing.mode.frequency.value)) Hz, its Q changed by \(text(100 * q)) % and its gain by "
      + "\(text(100 * g)) %"
    let isOther = moved.frequency > 0.02 || moved.gain > 0.15 || moved.q > 0.3
    if isOther, !knowledge.isDrifting {
      throw CalibrationRefusal(
        .actuatorSwapped,
        "this is not the actuator that the calibration began with: \(found); begin again with one "
          + "actuator that stays fixed")
    }
    if moved.frequency > 0.008 || moved.gain > 0.06 || moved.q > 0.15 {
      throw CalibrationRefusal(
        .actuatorDrift,
        "the actuator drifted while it was calibrated: \(found); let it come to a steady temperature "
          + "and begin again")
    }
    if moved.frequency > 0.0005 || moved.gain > 0.003 || moved.q > 0.01 {
      knowledge.notes.append(
        "During the calibration \(found); that is part of the stated uncertainty.")
    }
  }
}
