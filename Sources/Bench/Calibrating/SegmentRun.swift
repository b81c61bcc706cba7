package import Actuators
package import Calibration
package import Devices
import Profiles
import SignalAnalysis

/// A measurement that says segment by segment what is to be played: a calibration, a check.
package protocol SegmentProcedure {
  var progress: CalibrationProgress { get }

  /// What is to be played next; `nil` when it is done. The same segment until it is accepted.
  mutating func next() throws(CalibrationRefusal) -> CalibrationSegment?

  mutating func accept(
    _ response: SegmentResponse, to segment: CalibrationSegment
  ) throws(CalibrationRefusal) -> SegmentVerdict

  /// What is played before a measurement that was stopped goes on; `nil` for nothing.
  func recognition() -> CalibrationSegment?

  /// Makes sure by its response that the measurement goes on with what it began with.
  func recognize(
    _ response: SegmentResponse, to segment: CalibrationSegment
  ) throws(CalibrationRefusal) -> SegmentVerdict
}

extension SegmentProcedure {
  package func recognition() -> CalibrationSegment? { nil }

  package func recognize(
    _ response: SegmentResponse, to segment: CalibrationSegment
  ) throws(CalibrationRefusal) -> SegmentVerdict { .accepted }
}

extension CalibrationProcedure: SegmentProcedure {}
extension CalibrationCheck: SegmentProcedure {}

/// Plays a procedure's segments on a rig until it is done.
///
/// With a store every accepted response is kept before the next segment is played, and a run that was
/// stopped goes on from there: the procedure is fed what was kept, and comes to the same place.
package struct SegmentRun: Sendable {
  package enum Progress: Sendable {
    case playing(CalibrationProgress, CalibrationSegment, share: Double)
    case accepted(CalibrationProgress, CalibrationSegment)
    /// A segment was taken from what an earlier run kept.
    case resumed(CalibrationSegment)
    case again(CalibrationSegment, String)
  }

  let rig: RigDescription
  let limits: DriveLimits
  let store: SegmentStore?

  package init(rig: RigDescription, limits: DriveLimits, store: SegmentStore?) {
    self.rig = rig
    self.limits = limits
    self.store = store
  }

  /// Plays until the procedure is done.
  ///
  /// `prepare` is called before a segment is played for the first time, not for one that was kept: whoever
  /// has to lend a hand does it then. What was accepted before an error stays in the store.
  package func execute(
    _ procedure: inout some SegmentProcedure, on session: Session,
    progress: @escaping @Sendable (Progress) -> Void = { _ in },
    prepare: (CalibrationSegment) throws -> Void = { _ in }
  ) async throws {
    var clock: Double?
    var mustRecognize = false
    var isKnown = false
    var prepared: Int?
    while let segment = try procedure.next() {
      if let kept = try store?.response(to: segment),
        try procedure.accept(kept, to: segment) == .accepted
      {
        progress(.resumed(segment))
        clock = kept.clock?.value ?? clock
        mustRecognize = !isKnown
        continue
      }
      if prepared != segment.number {
        try prepare(segment)
        prepared = segment.number
      }
      if mustRecognize, let faint = procedure.recognition() {
        try await recognize(faint, by: procedure, on: session, clock: clock, progress: progress)
      }
      (mustRecognize, isKnown) = (false, true)
      let response = try await play(
        segment, at: procedure.progress, on: session, clock: clock, progress: progress)
      clock = response.clock?.value ?? clock
      switch try procedure.accept(response, to: segment) {
      case .accepted:
        try store?.keep(response, to: segment)
        progress(.accepted(procedure.progress, segment))
      case .again(let reason):
        progress(.again(segment, reason))
      }
    }
  }

  private func play(
    _ segment: CalibrationSegment, at state: CalibrationProgress, on session: Session,
    clock: Double?, progress: @escaping @Sendable (Progress) -> Void
  ) async throws -> SegmentResponse {
    let take = SegmentTake(segment, rig: rig, limits: limits, clock: clock)
    let recording = await session.play(take.frames) {
      progress(.playing(state, segment, share: $0))
    }
    if let fault = recording.fault { throw fault }
    return SegmentResponse(segment, take: take, recording: recording, rig: rig, clock: clock)
  }

  /// Makes sure that what is on the rig is what the kept responses are of.
  private func recognize(
    _ segment: CalibrationSegment, by procedure: some SegmentProcedure, on session: Session,
    clock: Double?, progress: @escaping @Sendable (Progress) -> Void
  ) async throws {
    for _ in 0...CalibrationProcedure.repeatLimit {
      let response = try await play(
        segment, at: procedure.progress, on: session, clock: clock, progress: progress)
      switch try procedure.recognize(response, to: segment) {
      case .accepted:
        progress(.accepted(procedure.progress, segment))
        return
      case .again(let reason): progress(.again(segment, reason))
      }
    }
    throw CalibrationRefusal(
      .disturbed,
      "the sweep by which a stopped calibration knows its actuator again could not be used "
        + "\(CalibrationProcedure.repeatLimit + 1) times: find what disturbs the rig")
  }
}
