extension Plot {
  /// Writes curves and points, cut off at the frame.
  func writeSeries(to svg: inout Markup) {
    svg.element("g", ["clip-path": "url(#\(identifier)-clip)"]) { group in
      for series in series { write(series, to: &group) }
    }
  }

  private func write(_ series: PlotSeries, to group: inout Markup) {
    let points = zip(series.x, series.y).map { x, y -> (x: Double, y: Double)? in
      self.x.holds(x) && self.y.holds(y) ? (place(x: x), place(y: y)) : nil
    }
    if let dash = series.dash {
      let path = Self.path(points)
      if !path.isEmpty {
        group.empty("path", ["class": "curve \(dash.rawValue) \(series.colour)", "d": path])
      }
    }
    for (index, spread) in series.spreads.enumerated()
    where index < points.count && spread.isFinite {
      guard let point = points[index] else { continue }
      let (low, high) = (series.y[index] - spread, series.y[index] + spread)
      guard y.holds(low), y.holds(high) else { continue }
      group.empty(
        "path",
        [
          "class": "spread \(series.colour)",
          "d": "M\(SVG.place(point.x)) \(SVG.place(place(y: low)))"
            + "V\(SVG.place(place(y: high)))",
        ])
    }
    guard let marker = series.marker else { return }
    let path = points.compactMap(\.self).map { Self.path(of: marker, at: $0) }.joined()
    guard !path.isEmpty else { return }
    let style = series.isFilled && marker != .cross ? "filled" : "hollow"
    group.empty("path", ["class": "point \(style) \(series.colour)", "d": path])
  }

  /// The path through places; gaps where there is none.
  ///
  /// Where many points share a column of the picture, its first, lowest, highest and last are drawn.
  static func path(_ points: [(x: Double, y: Double)?]) -> String {
    var data = ""
    var column: [(x: Double, y: Double)] = []
    var isOpen = false
    func flush() {
      guard let first = column.first, let last = column.last else { return }
      var kept = [first]
      if column.count > 2 {
        let middle = column.dropFirst().dropLast().enumerated()
        let low = middle.min { $0.element.y < $1.element.y }
        let high = middle.max { $0.element.y < $1.element.y }
        kept += [low, high].compactMap(\.self).sorted { $0.offset < $1.offset }.map(\.element)
      }
      if column.count > 1 { kept.append(last) }
      for point in kept {
        data += isOpen ? "L" : "M"
        data += "\(SVG.place(point.x)) \(SVG.place(bounded(point.y)))"
        isOpen = true
      }
      column.removeAll(keepingCapacity: true)
    }
    for point in points {
      guard let point else {
        flush()
        isOpen = false
        continue
      }
      if let first = column.first, point.x.rounded(.down) != first.x.rounded(.down) { flush() }
      column.append(point)
    }
    flush()
    return data
  }

  /// A place no farther outside than a picture can say.
  private static func bounded(_ place: Double) -> Double { min(1e5, max(-1e5, place)) }

  /// The outline of a sign around a place.
  static func path(of marker: PlotSeries.Marker, at place: (x: Double, y: Double)) -> String {
    let start = "M\(SVG.place(place.x)) \(SVG.place(bounded(place.y)))"
    return switch marker {
    case .circle: start + "m-3.4 0a3.4 3.4 0 1 0 6.8 0a3.4 3.4 0 1 0 -6.8 0z"
    case .square: start + "m-3 -3h6v6h-6z"
    case .triangle: start + "m0 -4l3.8 6.6h-7.6z"
    case .diamond: start + "m0 -4.4l4.4 4.4l-4.4 4.4l-4.4 -4.4z"
    case .cross: start + "m-3.2 -3.2l6.4 6.4m0 -6.4l-6.4 6.4"
    }
  }

  /// Writes the legend below the plot.
  func writeLegend(to svg: inout Markup) {
    for (row, entries) in legendRows.enumerated() {
      let baseline = bottom + 50 + Self.lineHeight * Double(row)
      var left = 8.0
      for series in entries {
        if let dash = series.dash ?? series.legendDash {
          svg.empty(
            "path",
            [
              "class": "curve \(dash.rawValue) \(series.colour)",
              "d": "M\(SVG.place(left)) \(SVG.place(baseline - 4))h26",
            ])
        }
        if let marker = series.marker {
          let style = series.isFilled && marker != .cross ? "filled" : "hollow"
          svg.empty(
            "path",
            [
              "class": "point \(style) \(series.colour)",
              "d": Self.path(of: marker, at: (left + 13, baseline - 4)),
            ])
        }
        svg.element(
          "text",
          ["x": SVG.place(left + 32), "y": SVG.place(baseline)],
          text: series.label)
        left += Self.legendWidth(series)
      }
    }
  }
}
