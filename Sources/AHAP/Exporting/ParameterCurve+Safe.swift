/// Control points at least 1 ms apart that are in force until the next run of their curve begins.
struct CurveRun {
  /// When it begins, in seconds of the pattern.
  var start: Double
  /// When it begins, in seconds of its curve.
  var offset: Double
  /// Points that count from the start; the first is at 0.
  var points: [ParameterCurve.Point]
}

extension ParameterCurve {
  /// The curve as curves of 2 to 16 points that count from their first point and draw no ramp of less
  /// than 1 ms.
  ///
  /// - Parameters:
  ///   - takeover: When a newer curve or parameter takes over; no curve that would start then or
  ///     later is made, for it would take the control back.
  ///   - times: When events that the curve acts on start or end, in order; they find the value that
  ///     they found before.
  ///   - log: What is noted as changed.
  /// - Returns: Curves in the order of time, each beginning with the last point of the one before or
  ///   where it takes over; none if the curve is never in force.
  func safeCurves(
    until takeover: Double, sampledAt times: [Double], _ log: inout ExportLog
  ) -> [ParameterCurve] {
    let origin = points.first?.time ?? 0
    guard !points.isEmpty, time + origin < takeover else {
      log.curvesWithoutEffect += 1
      return []
    }
    if origin > 0 { log.lateCurves += 1 }
    var runs = [
      CurveRun(
        start: time + origin, offset: origin,
        points: points.map { Point(time: $0.time - origin, value: $0.value) })
    ]
    if RampSpacing.isNeeded(for: points) {
      let spacing = RampSpacing(self, until: takeover, sampledAt: times)
      runs = spacing.runs().filter { $0.start < takeover }
      log.steepCurves += 1
      log.brokenCurves += runs.count > 1 ? 1 : 0
      log.breaks += runs.count - 1
      let deviation = RampDeviation(of: runs, from: spacing.line, until: takeover - time)
      log.deviation = max(log.deviation, deviation.largest(at: spacing.events))
    }
    if runs.count == 1, runs[0].points.count == 1 { log.steps += 1 }
    return runs.indices.flatMap { index in
      let isLast = index + 1 == runs.count
      return chain(of: runs[index], until: isLast ? takeover : runs[index + 1].start, &log)
    }
  }

  /// A run as curves of 2 to 16 points of which each repeats the last point of the one before.
  private func chain(
    of run: CurveRun, until takeover: Double, _ log: inout ExportLog
  ) -> [ParameterCurve] {
    let limit = Self.safePointCount
    var curve = self
    curve.time = run.start
    curve.points = run.points
    if curve.points.count == 1 {
      curve.points.append(Point(time: AppleExport.shortestRamp, value: curve.points[0].value))
    }
    guard curve.points.count > limit else { return [curve] }

    // What comes after the takeover is heard no more; one point behind it ends the last ramp.
    if let behind = curve.points.firstIndex(where: { run.start + $0.time >= takeover }) {
      curve.points.removeSubrange((max(behind, 1) + 1)...)
    }
    var chain: [ParameterCurve] = []
    var first = 0
    while first < curve.points.count - 1 {
      let last = min(first + limit, curve.points.count) - 1
      let offset = curve.points[first].time
      var link = curve
      link.time = curve.time + offset
      link.points = curve.points[first...last].map {
        Point(time: Self.tidy($0.time - offset), value: $0.value)
      }
      if link.time < takeover { chain.append(link) }
      first = last
    }
    log.cutCurves += 1
    log.links += chain.count
    return chain
  }

  /// A time in seconds to the nanosecond: what a difference of two written times was.
  static func tidy(_ time: Double) -> Double {
    time < 1e6 ? (time * 1e9).rounded() / 1e9 : time
  }
}
