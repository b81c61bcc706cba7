// SPDX-License-Identifier: Apache-2.0

/// Straight lines between points by rising time; of several at one time the last holds from then on.
///
/// Before the first point its value holds, and after the last point that one's.
struct ControlLine {
  typealias Point = ParameterCurve.Point

  let points: [Point]

  init(_ points: [Point]) { self.points = points }

  /// The value at a time, behind a jump where there is one.
  func value(at time: Double) -> Double { value(at: time, after: count { $0 <= time }) }

  /// The value up to a time, before a jump where there is one.
  func value(before time: Double) -> Double { value(at: time, after: count { $0 < time }) }

  private func value(at time: Double, after count: Int) -> Double {
    guard count > 0 else { return points.first?.value ?? 0 }
    guard count < points.count else { return points[count - 1].value }
    let (first, second) = (points[count - 1], points[count])
    let share = (time - first.time) / (second.time - first.time)
    return first.value + share * (second.value - first.value)
  }

  /// How many points have a time of which a condition holds that holds up to some time.
  func count(_ isWithin: (Double) -> Bool) -> Int {
    points.firstIndexAfter { isWithin($0.time) }
  }

  /// The runs of points less than 1 ms apart between which the value changes by more than 1e-3 a
  /// millisecond, in the order of time; runs less than `distance` apart count as one.
  func fastChanges(joiningWithin distance: Double = 0) -> [ClosedRange<Double>] {
    var changes: [ClosedRange<Double>] = []
    for (first, second) in zip(points, points.dropFirst()) {
      let length = second.time - first.time
      guard length < AppleExport.shortestRamp - RampSpacing.slack,
        abs(second.value - first.value) > length
      else { continue }
      if let last = changes.last, first.time - last.upperBound <= distance {
        changes[changes.count - 1] = last.lowerBound...second.time
      } else {
        changes.append(first.time...second.time)
      }
    }
    return changes
  }
}

/// How far curves that keep points 1 ms apart stray from the one that they were made of.
struct RampDeviation {
  private let source: ControlLine
  private let result: ControlLine
  /// The instant up to which the curve may be in force, in seconds of the curve.
  private let end: Double

  /// Compares runs with the line of the old points until another curve takes over, in seconds of the
  /// curve.
  init(of runs: [CurveRun], from source: ControlLine, until end: Double) {
    self.source = source
    self.end = end
    var points: [ParameterCurve.Point] = []
    for (index, run) in runs.enumerated() {
      let own = run.points.map {
        ParameterCurve.Point(time: run.offset + $0.time, value: $0.value)
      }
      guard index + 1 < runs.count else {
        points += own
        break
      }
      let takeover = runs[index + 1].offset
      points += own.filter { $0.time < takeover }
      points.append(.init(time: takeover, value: ControlLine(own).value(before: takeover)))
    }
    result = ControlLine(points)
  }

  /// The largest difference of the values, but for 1 ms around a jump or a ramp that is over in less,
  /// where it counts only at events.
  func largest(at events: [RampSpacing.Event]) -> Double {
    let shortest = AppleExport.shortestRamp
    let excused = Self.shortRamps(of: source).map {
      ($0.lowerBound - shortest)...($0.upperBound + shortest)
    }
    var times = (source.points + result.points).map(\.time)
    times += excused.flatMap { [$0.lowerBound, $0.upperBound] }
    times.append(end)
    times.sort()
    var largest = events.reduce(0) { largest, event in
      max(largest, abs(result.value(at: event.offset) - source.value(at: event.offset)))
    }
    var next = 0
    let slack = RampSpacing.slack
    for time in times where time >= 0 && time <= end && time < .infinity {
      while next < excused.count, excused[next].upperBound <= time + slack { next += 1 }
      if next < excused.count, excused[next].lowerBound < time - slack { continue }
      largest = max(largest, abs(result.value(before: time) - source.value(before: time)))
      if time < end {
        largest = max(largest, abs(result.value(at: time) - source.value(at: time)))
      }
    }
    return largest
  }

  /// The fast changes that go one way and are over in less than 1 ms.
  private static func shortRamps(of line: ControlLine) -> [ClosedRange<Double>] {
    line.fastChanges(joiningWithin: AppleExport.shortestRamp).filter { change in
      guard change.upperBound - change.lowerBound < AppleExport.shortestRamp else { return false }
      let values = line.points[
        line.count { $0 < change.lowerBound }..<line.count { $0 <= change.upperBound }
      ].map(\.value)
      let steps = zip(values, values.dropFirst()).map { $1 - $0 }
      return steps.allSatisfy { $0 >= 0 } || steps.allSatisfy { $0 <= 0 }
    }
  }
}

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
