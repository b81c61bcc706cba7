// SPDX-License-Identifier: Apache-2.0

import Profiles
import SignalAnalysis

struct DiagnosisStage: CalibrationStage {
  let suspicion: String

  var outlook: StageOutlook { .init("looking again at a small signal", segments: 10, seconds: 36) }

  func draft(_ findings: inout Findings) -> SegmentDraft<SweepPlan>? {
    findings.closingDraft(purpose: .closing)
  }

  func conclude(
    _ answer: SegmentAnswer, _ plan: SweepPlan, _ findings: inout Findings
  ) throws(CalibrationRefusal) -> StageStep {
    guard var reading = try findings.closingReading(answer, plan) else { return answer.unread }
    reading.time = findings.time.drive
    try findings.checkIdentity(of: reading)
    // The same at small signal: it is the level that it cannot follow.
    let faint = findings.plannedSweeps.count { $0.share <= Findings.closingShare }
    guard findings.sweeps.all.count >= faint, findings.ceiling.nodes.isEmpty else {
      throw CalibrationRefusal(
        .actuatorUnlike,
        "the actuator does not do the same twice: \(suspicion), while its resonance at small signal is "
          + "what it was; check that it is fixed and nothing touches it")
    }
    findings.cap(below: 2 * (findings.sweeps.highest ?? 0))
    try findings.identify()
    return .next(findings.afterIdentification)
  }
}

struct ClosingStage: CalibrationStage {
  /// The share of a sweep that is not the actuator's up to which a blow may be looked for in it.
  private static let readable = 0.3

  var outlook: StageOutlook { .init("making sure that it is the same", segments: 1, seconds: 1.5) }

  func draft(_ findings: inout Findings) -> SegmentDraft<SweepPlan>? {
    guard let piezo = findings.piezo else { return findings.closingDraft(purpose: .closing) }
    var draft = findings.searchDraft(share: piezo.level / findings.sweepVolts)
    draft.purpose = .closing
    return draft
  }

  func conclude(
    _ answer: SegmentAnswer, _ plan: SweepPlan, _ findings: inout Findings
  ) throws(CalibrationRefusal) -> StageStep {
    if let piezo = findings.piezo { return try compare(answer, plan, with: piezo, findings) }
    guard var reading = try findings.closingReading(answer, plan) else { return answer.unread }
    let isShaken = findings.isShaken(reading)
    findings.note(reading.disturbance)
    if isShaken, reading.disturbance.share < Self.readable {
      return .again(because: reading.shaken)
    }
    reading.time = findings.time.drive
    findings.identity.closing = reading
    try findings.checkIdentity(of: reading)
    return findings.subject.remounts > 0 ? .next(RemountStage(index: 0)) : .done
  }

  private func compare(
    _ answer: SegmentAnswer, _ plan: SweepPlan, with before: PiezoFindings, _ findings: Findings
  ) throws(CalibrationRefusal) -> StageStep {
    let output = answer.capture.output(along: findings.motion.weights)
    guard let model = findings.piezoModel(answer.capture, plan, output: output) else {
      return .again(because: "the closing sweep could not be read")
    }
    let change = abs(model.gain.value / before.gain.value) - 1
    guard abs(change) < ActuatorChange.piezo + 3 * model.gain.relativeUncertainty else {
      throw CalibrationRefusal(
        .actuatorSwapped,
        "this is not the actuator that the calibration began with: its gain changed by "
          + "\(text(100 * change)) %")
    }
    return .done
  }
}

struct RemountStage: CalibrationStage {
  let index: Int

  var outlook: StageOutlook { .init("mounted again", segments: 0, seconds: 2) }

  func remounts(of subject: CalibrationSubject) -> Int { subject.remounts - index }

  func draft(_ findings: inout Findings) -> SegmentDraft<SweepPlan>? {
    findings.closingDraft(purpose: .remount)
  }

  func conclude(
    _ answer: SegmentAnswer, _ plan: SweepPlan, _ findings: inout Findings
  ) throws(CalibrationRefusal) -> StageStep {
    guard let reading = try findings.closingReading(answer, plan) else { return answer.unread }
    let isShaken = findings.isShaken(reading)
    findings.note(reading.disturbance)
    if isShaken { return .again(because: reading.shaken) }
    try check(reading, findings.identity)
    findings.identity.remounts.append(reading)
    return index + 1 < findings.subject.remounts ? .next(RemountStage(index: index + 1)) : .done
  }

  private func check(
    _ reading: SweepReading, _ identity: IdentityFindings
  ) throws(CalibrationRefusal) {
    guard let before = identity.closing?.mode else { return }
    let frequency = reading.mode.frequency.value / before.frequency.value - 1
    let gain = reading.mode.gain.value / before.gain.value - 1
    guard
      abs(frequency) > ActuatorChange.mounting.frequency || abs(gain) > ActuatorChange.mounting.gain
    else {
      return
    }
    throw CalibrationRefusal(
      .actuatorRemounted,
      "mounted again the resonance differs by \(text(100 * frequency)) % and the gain by "
        + "\(text(100 * gain)) %: this is another actuator, or it or the sensor does not sit as before"
    )
  }
}

struct Recognition: Sendable {
  let findings: Findings
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

  var segment: CalibrationSegment {
    let rate = findings.subject.rate
    return CalibrationSegment(
      number: 0, purpose: .closing, title: "a faint sweep to know the actuator again",
      volts: plan.volts(at: rate), rate: rate)
  }

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
