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
