public import Actuators
public import Calibration
public import Devices
import Profiles
import SignalAnalysis

/// Plays a procedure's segments on a rig until it is done.
///
/// With a store every accepted response is kept before the next segment is played, and a run that was
/// stopped goes on from there: the procedure is fed what was kept, and comes to the same place.
public struct SegmentRun: Sendable {
  /// What a person watches.
  public enum Progress: Sendable {
    /// A segment is being played; the share 0...1 of it.
    case playing(CalibrationProgress, CalibrationSegment, share: Double)
    /// A segment was accepted.
    case accepted(CalibrationProgress, CalibrationSegment)
    /// A segment was taken from what an earlier run kept.
    case resumed(CalibrationSegment)
    /// A segment is played again: the reason.
    case again(CalibrationSegment, String)
  }

  let rig: RigDescription
  let limits: DriveLimits
  let store: SegmentStore?

  /// Prepares a run.
  ///
  /// - Parameters:
  ///   - rig: The rig, its first actuator the one that is measured.
  ///   - limits: What the drive is held to.
  ///   - store: Where responses are kept; `nil` keeps none.
  public init(rig: RigDescription, limits: DriveLimits, store: SegmentStore?) {
    self.rig = rig
    self.limits = limits
    self.store = store
  }

  /// Plays until the procedure is done.
  ///
  /// - Parameters:
  ///   - procedure: The measurement.
  ///   - session: The owner of the open devices.
  ///   - progress: Called from the run's task.
  ///   - prepare: Called before a segment is played for the first time, and not for one that was kept:
  ///     whoever has to lend a hand does it then.
  /// - Throws: `CalibrationRefusal`, the `DeviceError` that ended a segment, or what kept a response
  ///   from being stored. What was accepted before stays in the store.
  public func execute(
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

  /// Plays a segment and cuts out its response.
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
