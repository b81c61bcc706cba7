// SPDX-License-Identifier: Apache-2.0

import Actuators
private import Glibc
import Perception
package import Profiles
import SignalAnalysis
import Units

/// A look at an actuator in 5 s: is it still what its profile says.
///
/// Silence, and a small-signal sweep up and down; for a motor three steady voltages. What is found is
/// compared with the profile at the same level of drive.
package struct CalibrationCheck: Sendable {
  private enum Stage: Int, Sendable {
    case rest, up, down, motor, finished
  }

  private enum Plan: Sendable {
    case silence
    case sweep(SweepPlan)
    case motor(MotorPlan)
  }

  private let subject: CalibrationSubject
  private let profile: CalibrationProfile
  private var stage = Stage.rest
  private var number = 0
  private var patience = SegmentPatience()
  private var pending: (segment: CalibrationSegment, plan: Plan)?
  private var rest: RestCheck?
  private var sweeps: [SweepReading] = []
  private var motor: [MotorReading] = []

  package init(subject: CalibrationSubject, profile: CalibrationProfile) {
    self.subject = subject
    self.profile = profile
  }

  package var progress: CalibrationProgress {
    let names = ["listening at rest", "sweep up", "sweep down", "running the motor", "done"]
    return CalibrationProgress(
      step: names[stage.rawValue], number: number + 1, total: subject.isMotor ? 2 : 3,
      level: pending?.segment.level ?? 0, remaining: max(0, 3.5 - 1.2 * Double(number)))
  }

  package mutating func next() throws(CalibrationRefusal) -> CalibrationSegment? {
    if let pending { return pending.segment }
    guard profile.actuator.id == subject.actuator.id else {
      throw CalibrationRefusal(
        .profileOther,
        "the profile is of actuator '\(profile.actuator.id)' and '\(subject.actuator.id)' is on the rig: give the "
          + "profile of that one")
    }
    guard let draft = draft() else { return nil }
    let segment = CalibrationSegment(
      number: number, purpose: draft.purpose, title: draft.title, volts: draft.volts,
      rate: subject.rate)
    pending = (segment, draft.plan)
    return segment
  }

  package mutating func accept(
    _ response: SegmentResponse, to segment: CalibrationSegment
  ) throws(CalibrationRefusal) -> SegmentVerdict {
    guard let pending, pending.segment.number == segment.number else {
      preconditionFailure("a response to segment \(segment.number), which is not the one to play")
    }
    let verdict: SegmentVerdict
    switch try subject.capture(response, to: segment) {
    case .failure(let failure): verdict = .again(because: failure.reason)
    case .success(let capture):
      let quiet = response.limited(to: 0..<response.lead + segment.volts.count)
      verdict = try accept(capture, pending.plan, quiet)
    }
    try patience.note(verdict, of: segment)
    if verdict == .accepted {
      self.pending = nil
      number += 1
    }
    return verdict
  }

  /// What was found, once `next` has given nil.
  package func outcome() -> Outcome? {
    guard stage == .finished else { return nil }
    let comparison = ProfileComparison(subject: subject, profile: profile)
    return Outcome(
      findings: (subject.isMotor
        ? comparison.findings(motor: motor) : comparison.findings(sweeps: sweeps))
        + comparison.findings(rest: rest))
  }

  private func draft() -> SegmentDraft<Plan>? {
    switch stage {
    case .rest:
      return SegmentDraft(
        purpose: .quiet, title: "silence",
        volts: [Float](repeating: 0, count: subject.rate.wholeFrames(0.6)), plan: .silence)
    case .up: return sweepDraft(.up)
    case .down: return sweepDraft(.down)
    case .motor:
      let curve = profile.motorCurve?.points ?? []
      let places = [curve.count / 2, curve.count - 1].filter(curve.indices.contains)
      let plan = MotorPlan(steps: places.map { .init(volts: curve[$0].volts, duration: 0.8) })
      return SegmentDraft(
        purpose: .closing, title: "\(plan.steps.count) steady voltages",
        volts: plan.volts(at: subject.rate), plan: .motor(plan))
    case .finished: return nil
    }
  }

  private func sweepDraft(
    _ direction: SynchronizedSweep.Direction
  ) -> SegmentDraft<Plan> {
    let level = ProfileComparison(subject: subject, profile: profile).level
    let plan = SweepPlan.identification(
      near: profile.model.modes.map { ($0.f0.value, $0.q.value) }, level: level,
      direction: direction, rate: subject.rate)
    return SegmentDraft(
      purpose: .closing, title: "sweep \(direction == .up ? "up" : "down"), \(text(level)) V",
      volts: plan.volts(at: subject.rate), plan: .sweep(plan))
  }

  private mutating func accept(
    _ capture: Capture, _ plan: Plan, _ response: SegmentResponse
  ) throws(CalibrationRefusal) -> SegmentVerdict {
    switch plan {
    case .silence:
      rest = try RestCheck(
        response, contour: subject.target.contour, sensorUncertainty: subject.sensorUncertainty)
      stage = subject.isMotor ? .motor : .up
    case .motor(let plan):
      motor = plan.readings(capture, noise: rest?.bandNoise.max() ?? 0, filter: subject.filter)
        .compactMap(\.self)
      guard !motor.isEmpty else {
        throw CalibrationRefusal(
          .actuatorDead, "the motor does not turn: check its connections and the amplifier")
      }
      stage = .finished
    case .sweep(let plan): return try accept(capture, plan)
    }
    return .accepted
  }

  private mutating func accept(
    _ capture: Capture, _ plan: SweepPlan
  ) throws(CalibrationRefusal) -> SegmentVerdict {
    let weights =
      capture.direction(plan) ?? capture.axes.indices.map { $0 == 0 ? 1 : 0 }
    let output = capture.output(along: weights)
    let reading = SweepReading.measure(
      plan, capture, output: output, segment: number, filter: subject.filter,
      modes: 1...1, noise: rest?.bandNoise.max() ?? 0, known: ModalModel(profile.model))
    switch reading {
    case .success(let reading):
      if reading.disturbance.isDisturbed, patience.repeats == 0 {
        return .again(
          because:
            "something shook the rig \(text(max(0, reading.disturbance.time))) s into the sweep")
      }
      sweeps.append(reading)
    case .failure(.dead):
      throw CalibrationRefusal(
        .actuatorDead, "the actuator does not answer: check its connections and the amplifier")
    case .failure(.outside(let sentence)):
      guard profile.model.modes.isEmpty else {
        throw CalibrationRefusal(.resonanceOutside, sentence)
      }
    case .failure(.unlike(_, let sentence)):
      guard profile.model.modes.isEmpty else {
        throw CalibrationRefusal(
          .actuatorUnlike, sentence + "; this is not the actuator of the profile, or it is loose")
      }
    }
    stage = stage == .up ? .down : .finished
    return .accepted
  }

  package enum Verdict: String, Sendable, Hashable {
    case same
    case drifted
    case unknown
  }

  /// One number then, by the profile, and now, each with a standard deviation.
  package struct Finding: Sendable, Equatable {
    /// `f0`, `q`, `gain`, `latency`, `noise`; for a motor `speed` and `acceleration`.
    package var name: String
    package var unit: String
    package var expected: Double
    package var expectedUncertainty: Double
    package var found: Double
    package var foundUncertainty: Double
    /// The difference in standard deviations of both together.
    package var sigmas: Double
    package var verdict: Verdict
    /// The drive's peak at which both were measured, in volts; nil where it does not matter.
    package var drive: Double?
    /// What an undisturbed actuator does from day to day, as a share of what the profile says; a part of
    /// the sigmas that stands in neither uncertainty.
    package var daily = 0.0

    package init(
      name: String, unit: String, expected: Double, expectedUncertainty: Double, found: Double,
      foundUncertainty: Double, sigmas: Double, verdict: Verdict, drive: Double? = nil,
      daily: Double = 0
    ) {
      self.name = name
      self.unit = unit
      self.expected = expected
      self.expectedUncertainty = expectedUncertainty
      self.found = found
      self.foundUncertainty = foundUncertainty
      self.sigmas = sigmas
      self.verdict = verdict
      self.drive = drive
      self.daily = daily
    }

    /// The standard uncertainty of the difference, with what happens from day to day.
    package var uncertainty: Double {
      let scale = daily * abs(expected)
      return
        (expectedUncertainty * expectedUncertainty + foundUncertainty * foundUncertainty
        + scale * scale).squareRoot()
    }

    /// Whether it may lie as far off as it wants: less noise than before is no fault.
    package var isForTheBetter: Bool { name == "noise" && sigmas < 0 }

    /// A value as a person reads it, with its unit and its uncertainty.
    package func shown(_ value: Double, uncertainty: Double? = nil) -> String {
      guard let known = MeasurementUnit(rawValue: unit) else {
        return EngineeringFormat.text(value, .one, uncertainty: uncertainty) + " " + unit
      }
      return EngineeringFormat.text(value, known, uncertainty: uncertainty)
    }
  }

  package struct Outcome: Sendable, Equatable {
    package var findings: [Finding]

    package init(findings: [Finding]) { self.findings = findings }

    /// The greatest distance from the profile in standard deviations, of what counts; `nil` where nothing does.
    package var sigmas: Double? {
      findings.filter { !$0.isForTheBetter }.map { abs($0.sigmas) }.max()
    }

    package var hasDrifted: Bool { findings.contains { $0.verdict == .drifted } }

    package var summary: String {
      let drifted = findings.filter { $0.verdict == .drifted }
      guard let worst = drifted.max(by: { abs($0.sigmas) < abs($1.sigmas) }) else {
        return "The actuator is what its profile says."
      }
      return "The actuator has drifted from its profile: \(worst.name) is "
        + "\(worst.shown(worst.found)) instead of \(worst.shown(worst.expected)), "
        + "\(text(abs(worst.sigmas))) sigma; calibrate it again."
    }
  }
}

struct ProfileComparison: Sendable {
  let subject: CalibrationSubject
  let profile: CalibrationProfile

  /// From how many standard deviations on something has drifted.
  static let threshold = 4.0

  /// The level of the profile that lies nearest to the closing sweep's, in volts.
  var level: Double {
    let wanted = Findings.closingShare * subject.steadyVolts
    let levels = profile.model.levels.map(\.drive).filter { $0 <= subject.steadyVolts }
    return levels.min { abs(log($0 / wanted)) < abs(log($1 / wanted)) } ?? wanted
  }

  /// Resonance, Q, gain and latency of some sweeps.
  ///
  /// What an undisturbed actuator does from day to day counts as an uncertainty of its own: 0.05 % of
  /// resonance, 1 % of Q, 0.5 % of gain.
  func findings(sweeps: [SweepReading]) -> [CalibrationCheck.Finding] {
    let nearest = profile.model.levels.min {
      abs($0.drive - self.level) < abs($1.drive - self.level)
    }
    guard let level = nearest?.mode ?? profile.model.modes.first else { return [] }
    let delay = Estimate.mean(sweeps.map(\.model.delay))
    // What the profile says at this drive: its own f0, Q and gain are those of the limit of none.
    var findings = [
      finding("f0", level.f0, .mean(sweeps.map(\.mode.frequency)), daily: 0.0005),
      finding("q", level.q, .mean(sweeps.map(\.mode.q)), daily: 0.01),
      finding("gain", level.gain, .mean(sweeps.map(\.mode.gain)), daily: 0.005),
    ]
    for index in findings.indices { findings[index].drive = nearest?.drive }
    if let expected = profile.model.delay, subject.hasReference {
      findings.append(
        finding(
          "latency", expected,
          Estimate(delay.value - subject.sensorDelay, uncertainty: delay.uncertainty), daily: 0))
    }
    return findings
  }

  func findings(motor: [MotorReading]) -> [CalibrationCheck.Finding] {
    let points = profile.motorCurve?.points ?? []
    guard let reading = motor.last,
      let point = points.min(by: {
        abs($0.volts - reading.volts) < abs($1.volts - reading.volts)
      })
    else { return [] }
    return [
      finding(
        "speed", MeasuredQuantity(point.frequency, .hertz, uncertainty: 0.005 * point.frequency),
        reading.frequency, daily: 0.005),
      finding(
        "acceleration",
        MeasuredQuantity(
          point.acceleration, .metrePerSecondSquared, uncertainty: 0.01 * point.acceleration),
        reading.acceleration, daily: 0.01),
    ]
  }

  /// The noise in the band, against the profile's.
  ///
  /// Rooms differ from day to day: 15 % of noise count as an uncertainty of their own. Less noise than
  /// before is no fault. A profile without a noise of its own: against 20 dB below the weakest vibration.
  func findings(rest: RestCheck?) -> [CalibrationCheck.Finding] {
    guard let found = rest?.quantity else { return [] }
    guard let expected = profile.noise else { return [finding(noise: found.value)] }
    var finding = finding(
      "noise", expected, Estimate(found.value, uncertainty: found.uncertainty), daily: 0.15)
    if finding.isForTheBetter { finding.verdict = .same }
    return [finding]
  }

  private func finding(noise: Double) -> CalibrationCheck.Finding {
    let faintest = profile.laws.contour.acceleration(
      sensationLevel: profile.laws.floorLevel, at: 150)
    let allowed = 0.1 * faintest / 2.0.squareRoot()
    let sigmas = max(0, (noise - allowed) / (0.1 * allowed))
    return .init(
      name: "noise", unit: "m/s2", expected: allowed, expectedUncertainty: 0.1 * allowed,
      found: noise, foundUncertainty: 0.01 * noise, sigmas: sigmas,
      verdict: sigmas > Self.threshold ? .drifted : .same)
  }

  private func finding(
    _ name: String, _ expected: MeasuredQuantity, _ found: Estimate, daily: Double
  ) -> CalibrationCheck.Finding {
    var finding = CalibrationCheck.Finding(
      name: name, unit: expected.unit.rawValue, expected: expected.value,
      expectedUncertainty: expected.uncertainty, found: found.value,
      foundUncertainty: found.uncertainty, sigmas: 0, verdict: .same, daily: daily)
    let spread = finding.uncertainty
    if spread > 0 { finding.sigmas = (found.value - expected.value) / spread }
    if abs(finding.sigmas) > Self.threshold { finding.verdict = .drifted }
    return finding
  }
}

extension ModalModel {
  init?(_ model: ActuatorModel) {
    guard !model.modes.isEmpty else { return nil }
    self.init(
      delay: model.delay.map { Estimate($0) } ?? Estimate(0, uncertainty: 0),
      modes: model.modes.map {
        Mode(frequency: Estimate($0.f0), q: Estimate($0.q), gain: Estimate($0.gain))
      }, coupling: model.coupling.map { Estimate($0) } ?? Estimate(0, uncertainty: 0))
  }
}

extension Estimate {
  fileprivate init(_ quantity: MeasuredQuantity) {
    self.init(quantity.value, uncertainty: quantity.uncertainty)
  }
}
