// SPDX-License-Identifier: Apache-2.0

import Profiles
import SignalAnalysis
import Units

/// A sweep of the identification: at small signal, then at rising levels.
struct SweepStage: CalibrationStage {
  let index: Int

  private static let extraSweeps = 8
  private static let toldAsSmall = 0.25
  private static let lowering = 0.25
  /// The share of the record that does not follow the drive where something is loose.
  private static let looseShare = 0.3

  var outlook: StageOutlook {
    .init(
      "sweeping its resonance", segments: max(10, 18 - index),
      seconds: 47 - 1.4 * Double(min(index, 8)))
  }

  func draft(_ findings: inout Findings) -> SegmentDraft<SweepPlan>? {
    let planned = findings.plannedSweeps
    let (share, direction) = index < planned.count ? planned[index] : extra(index - planned.count)
    return findings.sweepDraft(
      level: share * findings.sweepVolts, direction,
      purpose: share <= Self.toldAsSmall ? .smallSignal : .level)
  }

  private func extra(_ index: Int) -> (Double, SynchronizedSweep.Direction) {
    (index % 4 < 2 ? 0.5 : 0.25, index.isMultiple(of: 2) ? .up : .down)
  }

  func lowered(_ findings: inout Findings) -> (any CalibrationStage)? {
    guard findings.subject.isPiezo, findings.canSweepFainter else { return nil }
    findings.sweeps.volts = Self.lowering * findings.sweepVolts
    findings.sweeps.all = []
    return SweepStage(index: 0)
  }

  func conclude(
    _ answer: SegmentAnswer, _ plan: SweepPlan, _ findings: inout Findings
  ) throws(CalibrationRefusal) -> StageStep {
    let capture = answer.capture
    let output = capture.output(along: findings.motion.weights)
    try checkAmplifier(capture, plan, &findings)
    let found = findings.read(
      answer, plan, modes: index == 0 ? 1...2 : 1...1,
      known: index == 0 ? nil : findings.sweeps.coarse?.model)
    if let stop = try endStop(capture, plan, output, found, findings) {
      return .next(try findings.keepClear(of: stop, level: plan.sweep.amplitude))
    }
    let reading: SweepReading
    switch found {
    case .success(var success):
      success.time = findings.time.drive
      reading = success
    case .failure(let failure): return try failed(failure, answer, plan, &findings)
    }
    if reading.disturbance.share > Self.looseShare { throw loose(reading) }
    // A blow comes once; what strikes its end stop does so at the same place again.
    let isOfRig = findings.sweeps.isOfRig(reading)
    let isShaken = !isOfRig && findings.isShaken(reading)
    findings.note(reading.disturbance)
    if isShaken {
      try findings.remember(capture, blow: reading.disturbance.time)
      return .again(because: reading.shaken)
    }
    if reading.disturbance.isDisturbed, !isOfRig {
      try findings.record(capture, at: reading.disturbance.time)
      guard findings.answersAlike else { return .again(because: reading.shaken) }
      findings.learn(partOfRig: reading)
    }
    if let suspicion = suspicion(reading, findings) {
      try findings.record(capture)
      guard findings.answersAlike else { return .again(because: suspicion) }
      return .next(DiagnosisStage(suspicion: suspicion))
    }
    if index == 0 { findings.sweeps.coarse = reading }
    findings.sweeps.all.append(reading)
    findings.sweeps.coil = findings.sweeps.coil ?? ImpedanceReading(capture, plan)
    return .next(try following(&findings))
  }

  /// From how many standard deviations on a sweep is an outlier, and of how many at least.
  private static let outlier = (sigmas: 8.0, sweeps: 7)
  /// The relative uncertainties of gain and Q above which more sweeps are played.
  private static let noisy = (gain: 0.004, q: 0.015)

  private func following(
    _ findings: inout Findings
  ) throws(CalibrationRefusal) -> any CalibrationStage {
    let planned = findings.plannedSweeps.count
    let next = SweepStage(index: index + 1)
    guard next.index >= planned else { return next }
    guard let limit = SmallSignalLimit(findings.sweeps.all) else {
      throw CalibrationRefusal(.actuatorDead, "no sweep could be read: check the actuator")
    }
    let hasRoom = next.index < planned + Self.extraSweeps && hasTime(findings)
    if let outlier = limit.outlier, outlier.sigmas > Self.outlier.sigmas,
      findings.sweeps.all.count >= Self.outlier.sweeps
    {
      // A blow that hid in the resonance: the sweep is left out and another one played.
      findings.sweeps.all.removeAll { $0.segment == outlier.segment }
      if hasRoom { return next }
    }
    let isNoisy =
      limit.gain.relativeUncertainty > Self.noisy.gain
      || limit.q.relativeUncertainty > Self.noisy.q
    if isNoisy, hasRoom { return next }
    try findings.identify()
    return findings.afterIdentification
  }

  /// Whether one more sweep leaves time for all that follows; the sweep under way is not counted yet.
  private func hasTime(_ findings: Findings) -> Bool {
    let one = findings.duration(of: .closing)
    return findings.hasTime(for: 2 * one, before: TimedStage.from(.ceiling))
  }

  /// The share of the highest level above which the actuator may fail to follow, and below which a sweep may
  /// drown in noise.
  private static let levels = (straining: 0.4, faint: 0.3)

  /// A sweep that no resonance explains: shaken, loose, or beyond what the actuator can follow.
  private func failed(
    _ failure: SweepFailure, _ answer: SegmentAnswer, _ plan: SweepPlan,
    _ findings: inout Findings
  ) throws(CalibrationRefusal) -> StageStep {
    let share = plan.sweep.amplitude / findings.sweepVolts
    switch failure {
    case .unlike(_, let sentence) where share > Self.levels.straining:
      try findings.record(answer.capture)
      guard findings.answersAlike else { return .again(because: sentence) }
      return .next(
        DiagnosisStage(
          suspicion: "its response at \(text(share * findings.sweepVolts)) V is no resonance's"))
    case .dead where share < Self.levels.faint:
      // Too faint for this sensor: the stronger sweeps tell enough.
      return .next(try following(&findings))
    case .dead:
      throw CalibrationRefusal(
        .actuatorDead,
        "the actuator stopped answering during '\(answer.segment.title)': check its wiring and the "
          + "amplifier")
    case .outside(let sentence):
      guard !findings.sweeps.all.isEmpty else {
        throw CalibrationRefusal(.resonanceOutside, sentence)
      }
      return .again(because: "its response was no resonance's")
    case .unlike(_, let sentence):
      try findings.record(answer.capture)
      guard findings.answersAlike else { return .again(because: sentence) }
      throw CalibrationRefusal(
        .resonanceUnlike,
        sentence
          + "; it is the same each time, so nothing disturbs it: something beside the actuator's own "
          + "resonance swings with it; clamp the fixture, or mount actuator and sensor on one stiff "
          + "block")
    }
  }

  /// How far resonance and gain may go from the first sweep's: at any level, and at small signal, where the
  /// level changes next to nothing, beside six standard deviations.
  private static let likeFirst = (
    frequency: 0.12, gain: 0.6...1.6, smallFrequency: 0.02, smallGain: 0.12, sigmas: 6.0
  )

  /// Whether the response differs so much from the small signal's that something else is there.
  private func suspicion(_ reading: SweepReading, _ findings: Findings) -> String? {
    guard let first = findings.sweeps.all.first?.mode else { return nil }
    let frequency = reading.mode.frequency.value / first.frequency.value
    let gain = abs(reading.mode.gain.value / first.gain.value)
    let moved =
      "its resonance went from \(text(first.frequency.value)) to "
      + "\(text(reading.mode.frequency.value)) Hz"
    if abs(frequency - 1) > Self.likeFirst.frequency { return moved }
    if reading.level < SweepFindings.smallSignal * findings.sweepVolts {
      func blur(_ part: (ModalModel.Mode) -> Estimate) -> Double {
        Self.likeFirst.sigmas
          * max(part(reading.mode).relativeUncertainty, part(first).relativeUncertainty)
      }
      if abs(frequency - 1) > Self.likeFirst.smallFrequency + blur(\.frequency)
        || abs(gain - 1) > Self.likeFirst.smallGain + blur(\.gain)
      {
        return "at small signal \(moved)"
      }
    }
    return Self.likeFirst.gain.contains(gain)
      ? nil : "its gain changed by a factor of \(text(gain))"
  }

  private func loose(_ reading: SweepReading) -> CalibrationRefusal {
    CalibrationRefusal(
      .sensorLoose,
      "\(Int(100 * reading.disturbance.share)) % of the response at \(text(reading.level)) V does not "
        + "follow the drive: the sensor or the actuator is loose; fix both to the same mass")
  }

  /// The shares of the drive that an amplifier gives at least: of its own at small levels, and as its highest
  /// voltage.
  private static let given = (usual: 0.985, highest: 0.95)

  /// An amplifier at its end: the captured drive is lower than its own at small levels, or flat.
  private func checkAmplifier(
    _ capture: Capture, _ plan: SweepPlan, _ findings: inout Findings
  ) throws(CalibrationRefusal) {
    func clipping(_ volts: Double) -> CalibrationRefusal {
      CalibrationRefusal(
        .amplifierClipping,
        "the amplifier gives \(text(volts)) V where \(text(plan.sweep.amplitude)) V are asked: it clips; "
          + "lower the limits in the rig file or use a stronger amplifier")
    }
    guard let scale = capture.referenceScale else { return }
    let usual = findings.sweeps.referenceScales.first ?? scale
    findings.sweeps.referenceScales.append(scale)
    if scale < Self.given.usual * usual { throw clipping(plan.sweep.amplitude * scale / usual) }
    if let voltage = capture.voltage {
      let highest = voltage.reduce(0) { max($0, abs(Double($1))) }
      if highest < Self.given.highest * usual * plan.sweep.amplitude { throw clipping(highest) }
    }
  }

  /// The share of a sweep's level up to which weaker ones are compared with it.
  private static let weaker = 0.7

  /// The end stop that a sweep met; nil where nothing speaks of one.
  ///
  /// Refuses an amplifier that clips.
  private func endStop(
    _ capture: Capture, _ plan: SweepPlan, _ output: [Float],
    _ found: Result<SweepReading, SweepFailure>, _ findings: Findings
  ) throws(CalibrationRefusal) -> EndStop? {
    guard !findings.subject.isPiezo, let coarse = findings.sweeps.coarse,
      let response = (try? found.get())?.response ?? capture.response(to: plan, output: output)
    else { return nil }
    let level = plan.sweep.amplitude
    let below = findings.sweeps.all.filter { $0.level < Self.weaker * level }
    let clipping = AmplifierClipping(
      response, weaker: below.max { $0.level < $1.level }?.response,
      resonances: coarse.model.modes.map(\.frequency.value))
    if let clipping {
      throw CalibrationRefusal(
        .amplifierClipping,
        "of \(text(level)) V the amplifier gives \(text(clipping.volts)) V: at every frequency a third "
          + "harmonic of \(text(100 * clipping.thirdHarmonic)) % is in the drive; lower the limits in the "
          + "rig file or use a stronger amplifier")
    }
    guard plan.sweep.direction == .up else { return nil }
    let weaker = (findings.sweeps.all.isEmpty ? [coarse] : findings.sweeps.all).filter {
      $0.level < Self.weaker * level && $0.direction == .up
    }.sorted { $0.level < $1.level }
    let motions = SweepReading.motions(output, capture, plan, coarse.model)
    return EndStop(response, motions, weaker: weaker)
  }
}
