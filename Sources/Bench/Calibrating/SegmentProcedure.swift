public import Calibration

/// A measurement that says segment by segment what is to be played: a calibration, a check.
public protocol SegmentProcedure {
  /// Where it stands.
  var progress: CalibrationProgress { get }

  /// What is to be played next; `nil` when it is done. The same segment until it is accepted.
  mutating func next() throws(CalibrationRefusal) -> CalibrationSegment?

  /// Takes the response to a segment.
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
  /// Nothing.
  public func recognition() -> CalibrationSegment? { nil }

  /// Accepts everything.
  public func recognize(
    _ response: SegmentResponse, to segment: CalibrationSegment
  ) throws(CalibrationRefusal) -> SegmentVerdict { .accepted }
}

extension CalibrationProcedure: SegmentProcedure {}
extension CalibrationCheck: SegmentProcedure {}
