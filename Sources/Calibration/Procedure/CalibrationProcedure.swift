// SPDX-License-Identifier: Apache-2.0

package import Profiles
import SignalAnalysis
import Units

/// A calibration as a value: it says what to play next and takes in what came of it.
///
/// Its stages are values, too, each of which names the one that follows: rest, a faint first look, sweeps at
/// small signal and at rising levels, the ceiling of steady tones, taps, a grid of tones refined until its
/// error stands, verification on points that nothing was fitted to, and the small-signal sweep once more. A
/// motor is run up in steps instead. Everything played is inside the limits. Deterministic: the same responses
/// give the same segments and the same profile, so a stopped calibration goes on by feeding it what was
/// recorded. Computing takes well under 2 s in all.
package struct CalibrationProcedure: Sendable {
  package static let repeatLimit = 3

  private var findings: Findings
  private var stage: (any CalibrationStage)?
  private var pending: PendingSegment?
  private var number = 0
  private var patience = SegmentPatience()

  package init(subject: CalibrationSubject) {
    findings = Findings(subject: subject)
    stage = RestStage(isMotor: subject.isMotor)
  }

  package var progress: CalibrationProgress {
    guard let stage else {
      return CalibrationProgress(
        step: "done", number: number, total: number, level: 0, remaining: 0)
    }
    let outlook = stage.outlook
    let left = outlook.segments + stage.remounts(of: findings.subject)
    return CalibrationProgress(
      step: outlook.name, number: number + min(1, left), total: number + left,
      level: pending?.segment.level ?? 0, remaining: outlook.seconds)
  }

  /// The segment to play now; nil when the calibration is done.
  ///
  /// The same segment is given until its response is accepted.
  package mutating func next() throws(CalibrationRefusal) -> CalibrationSegment? {
    if pending == nil { pending = try stage?.segment(number: number, &findings) }
    return pending?.segment
  }

  /// Takes in what a segment came to; traps for a segment that is not the one given by `next`.
  package mutating func accept(
    _ response: SegmentResponse, to segment: CalibrationSegment
  ) throws(CalibrationRefusal) -> SegmentVerdict {
    guard let pending, pending.segment.number == segment.number else {
      preconditionFailure("a response to segment \(segment.number), which is not the one to play")
    }
    let step: StageStep
    do {
      step = try conclude(response, pending)
    } catch {
      guard error.code == .sensorClipped, let lowered = stage?.lowered(&findings) else {
        throw error
      }
      findings.sweeps.sensorRange = response.strongest
      step = .next(lowered)
    }
    let following: (any CalibrationStage)?
    switch step {
    case .again(let reason):
      let verdict = SegmentVerdict.again(because: reason)
      try patience.note(verdict, of: segment)
      return verdict
    case .next(let next): following = next
    case .done: following = nil
    }
    try patience.note(.accepted, of: segment)
    stage = following
    self.pending = nil
    findings.trouble = SegmentTrouble()
    findings.time.count(segment)
    number += 1
    return .accepted
  }

  private mutating func conclude(
    _ response: SegmentResponse, _ pending: PendingSegment
  ) throws(CalibrationRefusal) -> StageStep {
    let segment = pending.segment
    switch try findings.subject.capture(response, to: segment) {
    case .failure(let failure): return .again(because: failure.reason)
    case .success(let capture):
      if segment.purpose != .quiet { try findings.clock.learn(from: response) }
      let answer = SegmentAnswer(segment: segment, response: response, capture: capture)
      return try pending.conclude(answer, &findings)
    }
  }

  /// The profile with all that belongs to it, once `next` has given nil.
  package func outcome() -> CalibrationOutcome? {
    stage == nil ? findings.outcome : nil
  }

  /// The model as far as it is identified; nil before the sweeps are done, and for a motor.
  package var identified: ActuatorModel? {
    findings.resonance == nil && findings.piezo == nil ? nil : findings.model
  }

  package var preview: CalibrationProfile? { findings.profile }

  /// A short faint sweep that tells whether the actuator is still the one that the calibration began with.
  ///
  /// For a calibration that was stopped: to be played before it goes on, between its own segments, of which
  /// it is none. Nil where nothing was measured yet that it could be compared with, and for a motor, whose
  /// closing run tells.
  package func recognition() -> CalibrationSegment? {
    stage == nil ? nil : Recognition(findings)?.segment
  }

  /// Compares the answer to `recognition` with what the calibration knows.
  ///
  /// Throws where it is another actuator, or the same one in another state.
  package func recognize(
    _ response: SegmentResponse, to segment: CalibrationSegment
  ) throws(CalibrationRefusal) -> SegmentVerdict {
    guard let recognition = Recognition(findings) else { return .accepted }
    switch try findings.subject.capture(response, to: segment) {
    case .failure(let failure): return .again(because: failure.reason)
    case .success(let capture): return try recognition.compare(capture)
    }
  }
}

extension SegmentResponse {
  fileprivate var strongest: Double? {
    axes.map { axis in axis.samples.reduce(0.0) { max($0, abs(Double($1))) } }.max()
  }
}

struct SegmentPatience: Sendable {
  private(set) var repeats = 0

  /// Takes in a verdict: a count more for one that asks again, none after one that counts.
  ///
  /// Refuses where the segment was played as often as it may be.
  mutating func note(
    _ verdict: SegmentVerdict, of segment: CalibrationSegment
  ) throws(CalibrationRefusal) {
    guard case .again(let reason) = verdict else {
      repeats = 0
      return
    }
    repeats += 1
    guard repeats <= CalibrationProcedure.repeatLimit else {
      throw CalibrationRefusal(
        .disturbed,
        "'\(segment.title)' was played \(repeats) times and could not be used: \(reason); find what "
          + "disturbs the rig")
    }
  }
}
