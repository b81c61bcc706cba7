import Acceptance

/// The path of a trace in the short form of SVG: relative steps in tenths of a unit.
struct TracePath {
  /// The path data.
  private(set) var data = ""
  private var last = Point(x: 0, y: 0)

  /// A place in tenths of the drawing's unit.
  private struct Point: Equatable {
    var x: Int
    var y: Int
  }

  /// Draws a curve, or the outline of a band to be filled.
  ///
  /// - Parameters:
  ///   - trace: The columns; those that are not finite are gaps.
  ///   - x: The drawing's horizontal place of a column.
  ///   - y: The drawing's vertical place of a value.
  init(_ trace: TakeFigure.Trace, x: (Int) -> Double, y: (Double) -> Double) {
    let isCurve = Self.isCurve(trace)
    var column = 0
    while column < trace.lowest.count {
      guard Self.isDrawn(trace, column) else {
        column += 1
        continue
      }
      let start = column
      while column < trace.lowest.count, Self.isDrawn(trace, column) { column += 1 }
      func points(_ values: [Float]) -> [Point] {
        (start..<column).map {
          Point(x: SVG.tenths(x($0)), y: SVG.tenths(y(Double(values[$0]))))
        }
      }
      let highest = points(trace.highest)
      append(isCurve ? highest : highest + points(trace.lowest).reversed(), closed: !isCurve)
    }
  }

  /// Whether the trace is one line, not the band between two.
  static func isCurve(_ trace: TakeFigure.Trace) -> Bool {
    trace.lowest.indices.allSatisfy {
      !isDrawn(trace, $0) || trace.lowest[$0] == trace.highest[$0]
    }
  }

  private mutating func append(_ points: [Point], closed: Bool) {
    let kept = Self.withoutMiddles(points)
    guard let first = kept.first else { return }
    data += "M\(SVG.number(tenths: first.x))"
    appendSecond(first.y)
    last = first
    data += "l"
    // A path of one point shows as a dot.
    let steps = kept.count > 1 ? kept[1...] : kept[...]
    for (index, point) in steps.enumerated() {
      let dx = SVG.number(tenths: point.x - last.x)
      if index > 0, !dx.hasPrefix("-") { data += " " }
      data += dx
      appendSecond(point.y - last.y)
      last = point
    }
    if closed { data += "z" }
  }

  private mutating func appendSecond(_ tenths: Int) {
    let text = SVG.number(tenths: tenths)
    data += text.hasPrefix("-") ? text : " \(text)"
  }

  /// Leaves out the points that lie between two others on one level: silence costs nothing.
  private static func withoutMiddles(_ points: [Point]) -> [Point] {
    var kept: [Point] = []
    for point in points {
      if kept.count > 1, kept[kept.count - 1].y == point.y, kept[kept.count - 2].y == point.y,
        (kept[kept.count - 1].x - kept[kept.count - 2].x) * (point.x - kept[kept.count - 1].x) > 0
      {
        kept.removeLast()
      }
      kept.append(point)
    }
    return kept
  }

  private static func isDrawn(_ trace: TakeFigure.Trace, _ column: Int) -> Bool {
    trace.lowest[column].isFinite && trace.highest[column].isFinite
  }
}
