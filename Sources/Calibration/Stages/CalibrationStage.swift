// SPDX-License-Identifier: Apache-2.0

/// One stage of a calibration: what it plays, what it concludes from the answer, and what comes next.
protocol CalibrationStage: Sendable {
  associatedtype Plan: Sendable

  var outlook: StageOutlook { get }

  func draft(_ findings: inout Findings) throws(CalibrationRefusal) -> SegmentDraft<Plan>?

  func conclude(
    _ answer: SegmentAnswer, _ plan: Plan, _ findings: inout Findings
  ) throws(CalibrationRefusal) -> StageStep

  /// The stage with less drive, after one that made the sensor clip; nil where nothing less would do.
  func lowered(_ findings: inout Findings) -> (any CalibrationStage)?

  func remounts(of subject: CalibrationSubject) -> Int
}

extension CalibrationStage {
  func lowered(_ findings: inout Findings) -> (any CalibrationStage)? { nil }

  func remounts(of subject: CalibrationSubject) -> Int { subject.remounts }

  func segment(
    number: Int, _ findings: inout Findings
  ) throws(CalibrationRefusal) -> PendingSegment? {
    guard let draft = try draft(&findings) else { return nil }
    let subject = findings.subject
    let segment = CalibrationSegment(
      number: number, purpose: draft.purpose, title: draft.title,
      volts: subject.protected(draft.volts), rate: subject.rate, otherChannel: draft.otherChannel)
    return PendingSegment(segment: segment) {
      (answer, findings) throws(CalibrationRefusal) in
      try conclude(answer, draft.plan, &findings)
    }
  }
}

enum StageStep {
  case next(any CalibrationStage)
  case done
  case again(because: String)
}

/// Where a stage stands in a calibration, as a person reads it.
///
/// A calibration plays what it needs: where it needs more or less, the sum changes, and no number is left out or
/// given twice.
struct StageOutlook: Sendable {
  let name: String
  let segments: Int
  /// The rig time in seconds that these take.
  let seconds: Double

  init(_ name: String, segments: Int, seconds: Double) {
    self.name = name
    self.segments = segments
    self.seconds = seconds
  }
}

struct SegmentDraft<Plan: Sendable>: Sendable {
  var purpose: CalibrationSegment.Purpose
  var title: String
  var volts: [Float]
  var plan: Plan
  var otherChannel: Int?
}

/// A response that has passed the checks every response must pass.
struct SegmentAnswer {
  let segment: CalibrationSegment
  let response: SegmentResponse
  let capture: Capture

  var unread: StageStep { .again(because: "'\(segment.title)' could not be read") }
}

struct PendingSegment: Sendable {
  let segment: CalibrationSegment
  let conclude: @Sendable (SegmentAnswer, inout Findings) throws(CalibrationRefusal) -> StageStep
}
