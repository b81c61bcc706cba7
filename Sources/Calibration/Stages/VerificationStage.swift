// SPDX-License-Identifier: Apache-2.0

import Perception
import Profiles
import SignalAnalysis
import Units

/// Steady tones that nothing was fitted to, as the renderer will play them.
struct VerificationStage: CalibrationStage {
  struct Plan: Sendable {
    let tones: TonePlan
    let points: [AskedPoint]
  }

  /// The error in dB of a verified tone from which on something else is wrong.
  private static let wrong = 6.0
  private static let spare = 1.0

  var outlook: StageOutlook { .init("verifying", segments: 5, seconds: 14) }

  func draft(_ findings: inout Findings) -> SegmentDraft<Plan>? {
    guard let inverse = findings.inverse else { return nil }
    let points = points(findings)
    let plan = TonePlan(
      tones: points.map { .init(frequency: $0.command.frequency, amplitude: $0.command.command) },
      settling: findings.verificationSettling, window: findings.window, inverse: inverse)
    return plan.draft(
      "to verify", purpose: .heldOut, findings.subject, plan: Plan(tones: plan, points: points))
  }

  /// The points that are verified: those of the grid, and others that the actuator reaches.
  ///
  /// Where time is short, of the points that it does not reach only as many as there is time for.
  private func points(_ findings: Findings) -> [AskedPoint] {
    guard let profile = findings.profile else { return [] }
    let map = DriveMap(profile: profile, fullScaleVolts: findings.subject.fullScaleVolts)
    let points =
      AskedPoint.grid.map { AskedPoint($0, $1, isHeldOut: false, by: map) }
      + AskedPoint.heldOut.map { AskedPoint($0, $1, by: map) }.filter(\.isInside)
    let ahead = TimedStage.from(.tapVerification).reduce(0) { $0 + findings.duration(of: $1) }
    let left =
      RigTime.total - RigTime.overhead - Self.spare - findings.time.elapsed - ahead
    let affordable = Int(left / (findings.verificationSettling + findings.window))
    var spare = affordable - points.count(where: \.isInside)
    return points.filter { point in
      if point.isInside { return true }
      spare -= 1
      return spare >= 0
    }
  }

  func conclude(
    _ answer: SegmentAnswer, _ plan: Plan, _ findings: inout Findings
  ) throws(CalibrationRefusal) -> StageStep {
    let readings = findings.read(answer.capture, plan.tones)
    if let reason = try findings.disturbance(of: readings, to: plan.tones, in: answer.capture) {
      return .again(because: reason)
    }
    let points = zip(plan.points, readings).compactMap { asked, reading -> VerifiedPoint? in
      guard let reading, reading.level.isFinite else { return nil }
      return VerifiedPoint(asked: asked, reading: reading)
    }
    findings.verification.points = points
    let worst =
      points.filter(\.asked.isInside)
      .map { abs($0.reading.level - $0.asked.command.targetLevel) }.max() ?? 0
    return .next(
      worst > Self.wrong
        ? DiagnosisStage(suspicion: "a verified tone is \(text(worst)) dB off")
        : TapVerificationStage(round: 0))
  }
}

/// Taps by the map that plays them, and again where they were off.
struct TapVerificationStage: CalibrationStage {
  let round: Int

  /// The taps that are verified, those that are verified once more, beside them, and those after that.
  private static let places: [[(intensity: Double, sharpness: Double)]] = [
    [(1, 0), (1, 0.3), (1, 0.6), (1, 1), (0.5, 0.6), (0.75, 0.45)],
    [(1, 0), (1, 0.25), (0.95, 0.55), (1, 0.9), (0.5, 0.65), (0.75, 0.4)],
    [(1, 0.05), (1, 0.35), (1, 0.55), (1, 0.95), (0.55, 0.7), (0.7, 0.5)],
  ]
  /// The dB that stand, round by round, and those that are taken out at most.
  private static let error = (allowed: [0.25, 0.5], furthest: 2.0)
  /// Frequencies within this share of each other have one correction.
  private static let near = 0.04

  var outlook: StageOutlook { .init("verifying", segments: max(3, 4 - round), seconds: 7) }

  func draft(_ findings: inout Findings) -> SegmentDraft<TapPlan>? {
    guard let profile = findings.profile else { return nil }
    let subject = findings.subject
    let map = DriveMap(profile: profile, fullScaleVolts: subject.fullScaleVolts)
      .taps(length: TapPlan.length)
    let taps = Self.places[round].map { intensity, sharpness in
      let command = map.command(intensity: intensity, sharpness: sharpness)
      return TapPlan.Tap(
        intensity: intensity, sharpness: sharpness, frequency: command.frequency,
        amplitude: command.command, wanted: command.wanted, inverse: profile.feedForward,
        command: command)
    }
    let plan = TapPlan(
      taps: taps, spacing: findings.verifiedTapSpacing, shape: subject.tapShape)
    return plan.draft(" to verify", subject)
  }

  func conclude(
    _ answer: SegmentAnswer, _ plan: TapPlan, _ findings: inout Findings
  ) -> StageStep {
    let (capture, subject) = (answer.capture, findings.subject)
    let output = capture.output(along: findings.motion.weights)
    let volts = plan.volts(at: capture.rate, peak: subject.peakVolts)
    let readings = plan.taps.indices.map { index in
      TapReading(
        plan, index, output: output, volts: volts, capture: capture, delay: findings.delay,
        filter: subject.filter, noise: findings.motion.noise, contour: subject.target.contour)
    }
    findings.verification.taps = readings
    let own = plan.spacing * Double(plan.taps.count) + RigTime.overhead
    let isStruck = readings.contains(where: \.isStruck) && keepTravel(&findings)
    if round + 1 < Self.places.count, isStruck || isOff(readings),
      findings.hasTime(for: 2 * own, before: [.pattern, .closing])
    {
      learn(from: readings, &findings)
      return .next(TapVerificationStage(round: round + 1))
    }
    let hasTime = findings.hasTime(for: own, before: [.pattern, .closing])
    return .next(hasTime ? PatternStage() : ClosingStage())
  }

  private func isOff(_ readings: [TapReading]) -> Bool {
    let allowed = Self.error.allowed[round]
    return readings.compactMap(\.error).contains { abs($0) > allowed }
  }

  /// Takes what the verified taps are off by out of all that follow, frequency by frequency.
  private func learn(from readings: [TapReading], _ findings: inout Findings) {
    for reading in readings where !reading.isStruck {
      guard let error = reading.error else { continue }
      let frequency = reading.tap.frequency
      // One level: what taps are off by hardly depends on it.
      let right = findings.tapCorrection.decibels(at: frequency, level: 0) - error
      findings.verification.tapRights.append((frequency, right))
    }
    var groups: [[(frequency: Double, decibels: Double)]] = []
    for right in findings.verification.tapRights.sorted(by: { $0.frequency < $1.frequency }) {
      if let first = groups.last?.first, right.frequency < (1 + Self.near) * first.frequency {
        groups[groups.count - 1].append(right)
      } else {
        groups.append([right])
      }
    }
    func mean(_ values: [Double]) -> Double { Statistics.moments(values).mean }
    let furthest = Self.error.furthest
    var correction = ResponseCorrection(
      frequencies: groups.map { mean($0.map(\.frequency)) }, levels: [0],
      decibels: groups.map { [max(-furthest, min(furthest, mean($0.map(\.decibels))))] })
    // Two taps beside each other that are off either way: a profile has to be read again.
    _ = correction.hold()
    findings.tapCorrection = correction
  }

  /// Keeps taps within the travel that steady tones showed to be free; false where a stop was known.
  ///
  /// Taps go up to the peak, which may move the mass further than what lasts did.
  private func keepTravel(_ findings: inout Findings) -> Bool {
    guard let free = findings.ceiling.keepTravel() else { return false }
    findings.notes.append(
      "Taps at the peak voltage struck an end stop, which what may last does not reach: they keep to "
        + "\(text(1e3 * free)) mm of the mount's motion, as far as the strongest tone went.")
    return true
  }
}

/// The pattern that nothing was fitted to, as the renderer would play it.
struct PatternStage: CalibrationStage {
  /// Where the actuator is taken to be strongest if no tone says, in hertz.
  private static let strongestOtherwise = 150.0

  var outlook: StageOutlook { .init("verifying", segments: 2, seconds: 5) }

  func draft(_ findings: inout Findings) -> SegmentDraft<PatternCourse>? {
    guard let profile = findings.profile else { return nil }
    let subject = findings.subject
    let strongest = subject.sharpness.nearest(to: strongestFrequency(findings), steps: 40)
    let course = PatternCourse(
      PatternPlan(strongest: strongest), profile: profile,
      fullScaleVolts: subject.fullScaleVolts, rate: subject.rate)
    return SegmentDraft(
      purpose: .heldOut, title: "a pattern to verify",
      volts: course.volts(profile.feedForward, rate: subject.rate, peak: subject.peakVolts),
      plan: course)
  }

  private func strongestFrequency(_ findings: Findings) -> Double {
    let contour = findings.subject.target.contour
    func level(_ point: ReachableCeiling.Point) -> Double {
      contour.sensationLevel(acceleration: point.acceleration, at: point.frequency)
    }
    return findings.ceiling.ceiling.points.max { level($0) < level($1) }?.frequency
      ?? Self.strongestOtherwise
  }

  func conclude(
    _ answer: SegmentAnswer, _ plan: PatternCourse, _ findings: inout Findings
  ) -> StageStep {
    let capture = answer.capture
    findings.verification.pattern = PatternReading(
      plan, output: capture.output(along: findings.motion.weights), capture: capture,
      delay: findings.delay, noise: findings.motion.noise, filter: findings.subject.filter)
    return .next(ClosingStage())
  }
}
