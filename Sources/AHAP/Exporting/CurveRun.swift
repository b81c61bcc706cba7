/// Control points at least 1 ms apart that are in force until the next run of their curve begins.
struct CurveRun {
  /// When it begins, in seconds of the pattern.
  var start: Double
  /// When it begins, in seconds of its curve.
  var offset: Double
  /// Points that count from the start; the first is at 0.
  var points: [ParameterCurve.Point]
}
