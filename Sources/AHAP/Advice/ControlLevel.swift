/// The value of a dynamic parameter over a pattern: neutral at first, then by the newest source.
struct ControlLevel {
  private struct Source {
    var points: [ParameterCurve.Point]
    var order: Int

    var start: Double { points[0].time }
  }

  private let neutral: Double
  private let sources: [Source]

  init(_ id: DynamicParameterID, in pattern: HapticPattern) {
    neutral = id.neutral
    var sources = pattern.parameters.filter { $0.id == id }.map { step in
      Source(
        points: [ParameterCurve.Point(time: step.time, value: step.value)], order: step.order)
    }
    sources += pattern.curves.filter { $0.id == id && !$0.points.isEmpty }.map { curve in
      Source(
        points: curve.points.map {
          ParameterCurve.Point(time: curve.time + $0.time, value: $0.value)
        }, order: curve.order)
    }
    self.sources = sources.sorted { ($0.start, $0.order) < ($1.start, $1.order) }
  }

  /// The value at a time in seconds of the pattern.
  func value(at time: Double) -> Double {
    let count = sources.firstIndexAfter { $0.start <= time }
    guard count > 0 else { return neutral }
    let points = sources[count - 1].points
    let next = points.firstIndexAfter { $0.time <= time }
    guard next < points.count, next > 0 else { return points[max(next - 1, 0)].value }
    let (a, b) = (points[next - 1], points[next])
    return a.value + (b.value - a.value) * (time - a.time) / (b.time - a.time)
  }
}

extension Array {
  /// The index of the first element that a condition does not hold for, where it holds for all
  /// elements before it; by halving.
  func firstIndexAfter(_ holds: (Element) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if holds(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
