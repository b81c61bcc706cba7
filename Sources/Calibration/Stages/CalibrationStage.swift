/// One stage of a calibration: what it plays, what it concludes from the answer, and what comes next.
protocol CalibrationStage: Sendable {
  /// How the answer is read.
  associatedtype Plan: Sendable

  /// The stage's name as a person reads it.
  var name: String { get }
  /// What is usual from here to the end.
  var ahead: StageOutlook { get }

  /// What is to be played; nil where there is nothing.
  func draft(_ findings: inout Findings) throws(CalibrationRefusal) -> SegmentDraft<Plan>?

  /// What the answer says.
  func conclude(
    _ answer: SegmentAnswer, _ plan: Plan, _ findings: inout Findings
  ) throws(CalibrationRefusal) -> StageStep

  /// The stage with less drive, after one that made the sensor clip; nil where nothing less would do.
  func lowered(_ findings: inout Findings) -> (any CalibrationStage)?

  /// How often the actuator is still to be mounted again.
  func remounts(of subject: CalibrationSubject) -> Int
}

extension CalibrationStage {
  func lowered(_ findings: inout Findings) -> (any CalibrationStage)? { nil }

  func remounts(of subject: CalibrationSubject) -> Int { subject.remounts }
}

/// What comes of an answer.
enum StageStep {
  /// It counts, and another stage is next.
  case next(any CalibrationStage)
  /// It counts, and the calibration is done.
  case done
  /// It is played once more: the reason, in a sentence's words.
  case again(because: String)
}

/// What is usual from a stage to the end, remounts apart.
///
/// A calibration plays what it needs: where it needs more or less, the sum changes, and no number is left out or
/// given twice.
struct StageOutlook: Sendable, Equatable {
  /// How many segments.
  let segments: Int
  /// The rig time in seconds that they take.
  let seconds: Double

  init(_ segments: Int, seconds: Double) {
    self.segments = segments
    self.seconds = seconds
  }
}

/// A segment before it has a number.
struct SegmentDraft<Plan: Sendable>: Sendable {
  var purpose: CalibrationSegment.Purpose
  var title: String
  var volts: [Float]
  /// How the answer is read.
  var plan: Plan
  var otherChannel: Int?
}

/// A response that has passed the checks every response must pass.
struct SegmentAnswer {
  let segment: CalibrationSegment
  let response: SegmentResponse
  let capture: Capture
}

/// A segment that was given out, and waits for its answer.
protocol PendingSegment: Sendable {
  var segment: CalibrationSegment { get }

  func conclude(
    _ answer: SegmentAnswer, _ findings: inout Findings
  ) throws(CalibrationRefusal) -> StageStep
}

/// A segment with the stage that gave it out and the plan by which it is read.
private struct StageSegment<Stage: CalibrationStage>: PendingSegment {
  let stage: Stage
  let plan: Stage.Plan
  let segment: CalibrationSegment

  func conclude(
    _ answer: SegmentAnswer, _ findings: inout Findings
  ) throws(CalibrationRefusal) -> StageStep {
    try stage.conclude(answer, plan, &findings)
  }
}

extension CalibrationStage {
  /// Gives out the stage's segment under a number; nil where there is nothing to play.
  func segment(
    number: Int, _ findings: inout Findings
  ) throws(CalibrationRefusal) -> (any PendingSegment)? {
    guard let draft = try draft(&findings) else { return nil }
    let subject = findings.subject
    return StageSegment(
      stage: self, plan: draft.plan,
      segment: CalibrationSegment(
        number: number, purpose: draft.purpose, title: draft.title,
        volts: subject.protected(draft.volts), rate: subject.rate,
        otherChannel: draft.otherChannel))
  }
}
