/// A point of a line over time.
struct LinePoint {
  var time: Double
  var value: Double
  /// Whether the point must stay.
  var isFixed = false
}

/// Leaves out the points of a line that it can do without.
enum LineReduction {
  /// Gives a line through some of the points that passes all others within a tolerance.
  ///
  /// From each kept point it goes on as far as one straight line serves, so its cost is linear. Both
  /// points of a jump and the ends stay.
  static func reduced(_ points: [LinePoint], tolerance: Double) -> [LinePoint] {
    var kept: [LinePoint] = []
    var index = 0
    while index < points.count {
      kept.append(points[index])
      index = next(after: index, in: points, tolerance: tolerance)
    }
    return kept
  }

  /// The last point that a straight line from a point reaches; the count if there is none.
  private static func next(after anchor: Int, in points: [LinePoint], tolerance: Double) -> Int {
    let start = points[anchor]
    // The slopes that pass all points so far within the tolerance.
    var low = -Double.infinity
    var high = Double.infinity
    for index in points.indices.suffix(from: anchor + 1) {
      let point = points[index]
      let length = point.time - start.time
      guard length > 0 else { return index }
      let slope = (point.value - start.value) / length
      guard low <= slope && slope <= high else { return index - 1 }
      let jumps = index + 1 < points.count && points[index + 1].time <= point.time
      if point.isFixed || jumps || index == points.count - 1 { return index }
      low = max(low, (point.value - tolerance - start.value) / length)
      high = min(high, (point.value + tolerance - start.value) / length)
    }
    return points.count
  }
}
