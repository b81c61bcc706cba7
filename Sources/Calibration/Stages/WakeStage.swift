// SPDX-License-Identifier: Apache-2.0

import Perception
import Profiles
import SignalAnalysis
import Units

/// Silence: what the sensors show at rest.
///
/// What comes after the silence are markers that the reference alone carries.
struct RestStage: CalibrationStage {
  let isMotor: Bool

  private static let silenceSeconds = 1.0

  var outlook: StageOutlook { .init("listening at rest", segments: isMotor ? 5 : 20, seconds: 51) }

  func draft(_ findings: inout Findings) -> SegmentDraft<Void>? {
    let count = findings.subject.rate.wholeFrames(Self.silenceSeconds)
    return SegmentDraft(
      purpose: .quiet, title: "silence", volts: [Float](repeating: 0, count: count), plan: ())
  }

  func conclude(
    _ answer: SegmentAnswer, _ plan: Void, _ findings: inout Findings
  ) throws(CalibrationRefusal) -> StageStep {
    let response = answer.response
    let end = response.lead + answer.segment.volts.count
    let quiet = response.limited(to: 0..<end)
    if let time = RestCheck.disturbance(quiet) {
      return .again(because: "something shook the rig \(text(time)) s into the silence")
    }
    let subject = findings.subject
    let check = try RestCheck(
      quiet, contour: subject.target.contour, sensorUncertainty: subject.sensorUncertainty)
    findings.clock.learn(fromRest: response)
    findings.rest = RestFindings(
      check: check, markers: MarkerEcho(response, from: end, offsets: check.offsets),
      axisNames: response.axes.map(\.name))
    findings.notes += check.notes
    findings.motion = MotionFindings(
      weights: check.offsets.indices.map { $0 == 0 ? 1 : 0 }, rest: check)
    return .next(isMotor ? MotorStartStage() : WakeStage(attempt: 0))
  }
}

extension RestCheck {
  /// The stretches that a silence is looked at in, in seconds.
  private static let stretch = 0.020
  /// The fewest stretches of which the usual one can be told.
  private static let fewestStretches = 8
  /// How many times the usual strength, and how many m/s2 rms, a stretch has where something shook the rig.
  private static let shaken = (times: 6.0, acceleration: 0.02)

  /// When a quiet stretch was not quiet: a stretch far above the usual one, in seconds.
  static func disturbance(_ response: SegmentResponse) -> Double? {
    let size = max(16, Int(response.rate.frames(stretch)))
    for axis in response.axes {
      let band = BandPass(band(response.rate)).apply(
        to: axis.samples.map { $0 - (axis.samples.first ?? 0) }, rate: response.rate)
      let blocks = Swift.stride(from: size, to: band.count - 2 * size, by: size).map { start in
        (band[start..<start + size].reduce(0) { $0 + $1 * $1 } / Double(size)).squareRoot()
      }
      guard blocks.count > fewestStretches else { continue }
      let usual = Statistics.median(blocks)
      if let worst = blocks.indices.max(by: { blocks[$0] < blocks[$1] }),
        blocks[worst] > shaken.times * usual, blocks[worst] > shaken.acceleration
      {
        return response.rate.seconds(Double((worst + 1) * size - response.lead))
      }
    }
    return nil
  }
}

/// The first look, with a faint sweep: is the actuator there, along which axis, and where is its resonance.
struct WakeStage: CalibrationStage {
  let attempt: Int

  static let shares = [0.03, 0.1, 0.3]
  /// The relative uncertainty of the gain from which on no stronger try is needed.
  private static let sureGain = 0.1
  /// The share of the record that is not the actuator's up to which a blow may be looked for in it.
  private static let readable = 0.2
  /// No blow is looked for above this frequency in hertz: there the wire of the reference is compared.
  private static let wireBand = 1_000.0
  private static let inside = 1.1
  private static let lowering = 0.1

  var outlook: StageOutlook { .init("looking for the actuator", segments: 19, seconds: 49) }

  private var stronger: WakeStage? {
    attempt + 1 < Self.shares.count ? WakeStage(attempt: attempt + 1) : nil
  }

  func draft(_ findings: inout Findings) -> SegmentDraft<SweepPlan>? {
    findings.searchDraft(share: Self.shares[attempt])
  }

  func lowered(_ findings: inout Findings) -> (any CalibrationStage)? {
    guard findings.canSweepFainter else { return nil }
    findings.sweeps.volts = Self.lowering * findings.sweepVolts
    return WakeStage(attempt: 0)
  }

  func conclude(
    _ answer: SegmentAnswer, _ plan: SweepPlan, _ findings: inout Findings
  ) throws(CalibrationRefusal) -> StageStep {
    let capture = answer.capture
    try findAxis(capture, plan, &findings)
    let output = capture.output(along: findings.motion.weights)
    switch findings.read(answer, plan, modes: 1...2) {
    case .success(let reading):
      if reading.disturbance.share < Self.readable {
        let isShaken = findings.isShaken(reading)
        findings.note(reading.disturbance)
        if isShaken { return .again(because: reading.shaken) }
      }
      if let stronger, !(reading.mode.gain.relativeUncertainty < Self.sureGain) {
        return .next(stronger)
      }
      let band = plan.sweep.band
      try findings.checkReferenceWire(
        following: reading.model.response(at:),
        band: band.lowerBound...min(Self.wireBand, band.upperBound))
      return .next(try begin(with: reading, &findings))
    case .failure(.dead):
      if let stronger { return .next(stronger) }
      return .next(try actuatorIsSilent(capture, &findings))
    case .failure(.outside(let sentence)):
      if let stronger, !isClear(output, findings.motion) { return .next(stronger) }
      return .next(
        piezo(answer, plan, output, &findings)
          ?? KindStage(otherwise: CalibrationRefusal(.resonanceOutside, sentence)))
    case .failure(.unlike(_, let sentence)):
      if let stronger { return .next(stronger) }
      let loose = CalibrationRefusal(
        .sensorLoose,
        sentence + "; check that sensor and actuator are fixed to the same mass and nothing rattles"
      )
      return .next(piezo(answer, plan, output, &findings) ?? KindStage(otherwise: loose))
    }
  }

  private func isClear(_ output: [Float], _ motion: MotionFindings) -> Bool {
    let (rms, sigma, noise) = (Amplitude.rms(output), motion.sigma, motion.noise)
    return rms * rms > 1.1 * sigma * sigma + 9 * noise * noise
  }

  private func begin(
    with reading: SweepReading, _ findings: inout Findings
  ) throws(CalibrationRefusal) -> any CalibrationStage {
    findings.sweeps.coarse = reading
    let f0 = reading.mode.frequency.value
    let band = reading.response.sweep.band
    findings.sweeps.volts = nil
    if findings.subject.isPiezo {
      findings.sweeps.volts = findings.piezoSweepVolts(for: reading)
    } else if f0 < Self.inside * band.lowerBound || f0 > band.upperBound / Self.inside {
      throw CalibrationRefusal(.resonanceOutside, SweepReading.outside(f0, of: band))
    }
    return SweepStage(index: 0)
  }

  /// What follows for a piezo far below its resonance; nil where it is none.
  private func piezo(
    _ answer: SegmentAnswer, _ plan: SweepPlan, _ output: [Float], _ findings: inout Findings
  ) -> (any CalibrationStage)? {
    guard findings.subject.isPiezo else { return nil }
    var found = findings
    guard (try? found.identifyPiezo(answer.capture, plan, output: output)) != nil else {
      return nil
    }
    findings = found
    return CeilingStage(round: 0)
  }

  /// The share of the motion that the first axis must see, and the share of one axis from which on the
  /// motion is along it.
  private static let along = (first: 0.7, one: 0.85)
  /// The share of the motion across the first axis that a person is told.
  private static let toldAcross = 0.1

  /// The direction of the motion over the axes, from the strongest part of each one's response.
  private func findAxis(
    _ capture: Capture, _ plan: SweepPlan, _ findings: inout Findings
  ) throws(CalibrationRefusal) {
    guard let weights = capture.direction(plan), let rest = findings.rest else {
      return
    }
    try checkDirection(weights, names: rest.axisNames)
    findings.motion = MotionFindings(weights: weights, rest: rest.check)
    let across = (1 - weights[0] * weights[0]).squareRoot()
    findings.motion.offAxis = across
    if across > Self.toldAcross {
      findings.notes.append(
        "The motion stands \(text(100 * across)) % across axis "
          + "\(rest.axisNames[0]); its true direction is used.")
    }
  }

  /// Refuses a motion along another axis than the one that the rig file puts first.
  ///
  /// Three axes see the whole motion, so an oblique one is measured along its own direction; of two only
  /// what lies in their plane is known.
  private func checkDirection(_ weights: [Double], names: [String]) throws(CalibrationRefusal) {
    let place = weights.indices.max { abs(weights[$0]) < abs(weights[$1]) } ?? 0
    let isAlong = weights[0] > Self.along.first
    let isOblique = abs(weights[place]) < Self.along.one
    guard !isAlong, weights.count < 3 || !isOblique else { return }
    guard isOblique else {
      throw CalibrationRefusal(
        .sensorAxis,
        "the actuator moves along axis \(names[place]) and not along \(names[0]), which the rig file "
          + "names first: turn the sensor, or correct the axes")
    }
    let parts = zip(names, weights).map { "\(Int((100 * abs($1)).rounded())) % along \($0)" }
    throw CalibrationRefusal(
      .sensorAxis,
      "the actuator moves across the sensor's axes, \(parts.joined(separator: " and ")): turn the sensor "
        + "so that \(names[0]), which the rig file names first, lies along the motion, or capture three "
        + "axes")
  }

  /// The share of the current that its voltage would drive through an ohm, below which no current flows.
  private static let openCurrent = 1e-3

  /// Nothing moves: does another channel reach the actuator, or is it dead or stuck.
  private func actuatorIsSilent(
    _ capture: Capture, _ findings: inout Findings
  ) throws(CalibrationRefusal) -> any CalibrationStage {
    if let axis = capture.axes.firstIndex(where: { axis in axis.allSatisfy { $0 == axis[0] } }),
      findings.motion.sigma == 0
    {
      throw CalibrationRefusal(
        .sensorDead,
        "axis \(findings.axisNames[axis]) of the accelerometer does not change at all, not even by "
          + "noise: check its supply and its cable")
    }
    let silence = silence(capture, findings)
    guard findings.subject.otherChannels.isEmpty else {
      return OtherChannelStage(index: 0, otherwise: silence)
    }
    return try KindStage(afterSilence: silence, findings.subject)
  }

  private func silence(_ capture: Capture, _ findings: Findings) -> CalibrationRefusal {
    guard let current = capture.current else {
      return CalibrationRefusal(
        .actuatorDead,
        "nothing moves up to \(text(Self.shares[2] * findings.subject.steadyVolts)) V: check that the "
          + "actuator is connected, not stuck, and that the amplifier is on")
    }
    let volts = Amplitude.rms(capture.voltage ?? capture.input)
    return Amplitude.rms(current) < Self.openCurrent * volts
      ? CalibrationRefusal(
        .actuatorDead,
        "nothing moves and no current flows: the actuator or its wiring is broken; check its "
          + "connections and its coil")
      : CalibrationRefusal(
        .actuatorStuck,
        "current flows and nothing moves: the actuator is stuck; free its moving mass")
  }
}

/// Another channel's faint drive: whether that moves the actuator.
struct OtherChannelStage: CalibrationStage {
  let index: Int
  let otherwise: CalibrationRefusal

  private static let share = 0.1
  /// The delays that are looked for, in seconds: nothing tells the channels' times apart.
  private static let delays = -0.05...0.2
  /// What a resonance may leave over of a faint sweep.
  private static let misfit = 0.9

  var outlook: StageOutlook { .init("trying the other channels", segments: 19, seconds: 49) }

  func draft(_ findings: inout Findings) -> SegmentDraft<SweepPlan>? {
    var draft = findings.searchDraft(share: Self.share)
    let channel = findings.subject.otherChannels[index]
    draft.purpose = .crossed
    draft.title = "faint sweep on channel \(channel)"
    draft.otherChannel = channel
    return draft
  }

  func conclude(
    _ answer: SegmentAnswer, _ plan: SweepPlan, _ findings: inout Findings
  ) throws(CalibrationRefusal) -> StageStep {
    let (capture, subject) = (answer.capture, findings.subject)
    // The reference carries the drive of the actuator's channel: here the drive as sent counts.
    let sent = [Float](repeating: 0, count: capture.lead) + answer.segment.volts
    let input = sent + [Float](repeating: 0, count: max(0, capture.input.count - sent.count))
    let output = capture.output(along: findings.motion.weights)
    let response = try? SweepResponse.measure(
      plan.sweep, input: Array(input.prefix(output.count)), output: output, rate: capture.rate)
    let fit = ModalFit(delays: Self.delays, maximumMisfit: Self.misfit)
    if let linear = response?.linear, (try? fit.fit(linear)) != nil {
      throw CalibrationRefusal(
        .channelCrossed,
        "the actuator answers to channel \(subject.otherChannels[index]) and not to its own: the "
          + "drive channels are crossed; swap the wires or correct the channel in the rig file")
    }
    guard index + 1 < subject.otherChannels.count else {
      return .next(try KindStage(afterSilence: otherwise, subject))
    }
    return .next(OtherChannelStage(index: index + 1, otherwise: otherwise))
  }
}
