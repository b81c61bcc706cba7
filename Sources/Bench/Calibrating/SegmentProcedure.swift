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
}

extension CalibrationProcedure: SegmentProcedure {}
extension CalibrationCheck: SegmentProcedure {}
