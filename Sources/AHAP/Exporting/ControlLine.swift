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
    var low = 0
    var high = points.count
    while low < high {
      let middle = (low + high) / 2
      if isWithin(points[middle].time) { low = middle + 1 } else { high = middle }
    }
    return low
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
