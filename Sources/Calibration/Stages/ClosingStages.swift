import Profiles
import SignalAnalysis

/// Something did not fit: is it still the actuator of the first sweeps.
struct DiagnosisStage: CalibrationStage {
  /// What did not fit, in a sentence's words.
  let suspicion: String

  var name: String { "looking again at a small signal" }
  var ahead: StageOutlook { StageOutlook(10, seconds: 36) }

  func draft(_ findings: inout Findings) -> SegmentDraft<SweepPlan>? {
    findings.closingDraft(purpose: .closing)
  }

  func conclude(
    _ answer: SegmentAnswer, _ plan: SweepPlan, _ findings: inout Findings
  ) throws(CalibrationRefusal) -> StageStep {
    switch findings.closingReading(answer, plan) {
    case .failure(let failure): return try findings.closingFailed(failure, answer.segment)
    case .success(var reading):
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
}

/// The small-signal sweep once more: the same actuator, in the same state.
struct ClosingStage: CalibrationStage {
  /// The share of a sweep that is not the actuator's up to which a blow may be looked for in it.
  private static let readable = 0.3

  var name: String { "making sure that it is the same" }
  var ahead: StageOutlook { StageOutlook(1, seconds: 1.5) }

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
    switch findings.closingReading(answer, plan) {
    case .failure(let failure): return try findings.closingFailed(failure, answer.segment)
    case .success(var reading):
      if findings.isShaken(reading), reading.disturbance.share < Self.readable {
        return .again(because: reading.shaken)
      }
      reading.time = findings.time.drive
      findings.identity.closing = reading
      try findings.checkIdentity(of: reading)
      return findings.subject.remounts > 0 ? .next(RemountStage(index: 0)) : .done
    }
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

/// The small-signal sweep after somebody mounted the actuator again.
struct RemountStage: CalibrationStage {
  /// How often it was mounted again before.
  let index: Int

  var name: String { "mounted again" }
  var ahead: StageOutlook { StageOutlook(0, seconds: 2) }

  func remounts(of subject: CalibrationSubject) -> Int { subject.remounts - index }

  func draft(_ findings: inout Findings) -> SegmentDraft<SweepPlan>? {
    findings.closingDraft(purpose: .remount)
  }

  func conclude(
    _ answer: SegmentAnswer, _ plan: SweepPlan, _ findings: inout Findings
  ) throws(CalibrationRefusal) -> StageStep {
    switch findings.closingReading(answer, plan) {
    case .failure(let failure): return try findings.closingFailed(failure, answer.segment)
    case .success(let reading):
      if findings.isShaken(reading) { return .again(because: reading.shaken) }
      try check(reading, findings.identity)
      findings.identity.remounts.append(reading)
      return index + 1 < findings.subject.remounts
        ? .next(RemountStage(index: index + 1)) : .done
    }
  }

  /// Mounted again it must still be the same actuator, and hold.
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
