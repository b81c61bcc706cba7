// SPDX-License-Identifier: Apache-2.0

import AHAP

struct LinePoint {
  var time: Double
  var value: Double
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

/// Draws the square root of straight lines by straight lines.
///
/// A clip's amplitude and frequency are the squares of an intensity and a sharpness, and the root of a
/// ramp is a bow. Between roots u < w the chord lies at most (w - u)^2 / (4 (w + u)) below the bow. With
/// roots w(k) = 2 e k (k + 1) that is e from each k to k + 1, whatever k: so the points in between are
/// spread evenly over k.
enum RootLines {
  /// A time in seconds and a level 0...1.
  typealias Point = (time: Double, level: Double)

  /// How far a chord may lie below the bow.
  static let tolerance = 8e-3

  /// Gives the roots at the points of a line, and at as many times between as the tolerance asks for.
  ///
  /// No point stands within 1 ms of another that the line did not have already: on ramps of few
  /// milliseconds from silence the bow cannot be followed.
  static func points(of line: [Point]) -> [Point] {
    var roots: [Point] = []
    for (index, point) in line.enumerated() {
      if index > 0 { roots += between(line[index - 1], point) }
      roots.append((point.time, point.level.squareRoot()))
    }
    return roots
  }

  private static func between(_ first: Point, _ second: Point) -> [Point] {
    let low = min(first.level, second.level)
    let rise = max(first.level, second.level) - low
    let length = second.time - first.time
    let start = rank(of: low.squareRoot())
    let count = ((rank(of: (low + rise).squareRoot()) - start) - 1e-9).rounded(.up)
    guard rise > 0, length > 0, count > 1 else { return [] }
    let step = (rank(of: (low + rise).squareRoot()) - start) / count
    let shortest = AppleExport.shortestRamp
    var points: [Point] = []
    var last = 0.0
    for index in 1..<Int(count) {
      let rank = start + Double(index) * step
      let root = 2 * tolerance * rank * (rank + 1)
      // From the quiet end, where the points lie closest.
      let distance = max((root * root - low) / rise * length, last + shortest)
      guard distance <= length - shortest else { break }
      let level = low + rise * distance / length
      let isRising = first.level < second.level
      points.append(
        (isRising ? first.time + distance : second.time - distance, level.squareRoot()))
      last = distance
    }
    return first.level < second.level ? points : points.reversed()
  }

  /// The k at which a root is w(k).
  private static func rank(of root: Double) -> Double {
    ((1 + 2 * root / tolerance).squareRoot() - 1) / 2
  }
}
