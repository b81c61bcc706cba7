// SPDX-License-Identifier: Apache-2.0

import Units

struct Plot {
  static let width = 480.0
  private static let leastLeft = 64.0
  private static let right = 462.0
  private static let top = 30.0
  private static let plotHeight = 210.0
  private static let bottom = top + plotHeight
  private static let lineHeight = 16.0

  let title: String
  let identifier: String
  let x: PlotAxis
  let y: PlotAxis
  let series: [PlotSeries]
  var marks: [PlotMark] = []
  var caption = ""

  /// Where the frame begins: right of the numbers of its axis, however long, and of the axis' own name.
  private var left: Double {
    let longest = y.ticks.map { y.label($0).count }.max() ?? 0
    return max(Self.leastLeft, 30 + 6.2 * Double(longest))
  }

  private var height: Double { Self.bottom + 42 + Self.lineHeight * Double(legendRows.count) }

  private func place(x value: Double) -> Double {
    left + (Self.right - left) * x.place(of: value)
  }

  private func place(y value: Double) -> Double {
    Self.bottom - Self.plotHeight * y.place(of: value)
  }

  /// Writes the picture; one that stands alone brings its own colours.
  func write(to markup: inout Markup, standsAlone: Bool = false) {
    let viewBox =
      standsAlone
      ? "-10 -6 \(SVG.place(Self.width + 20)) \(SVG.place(height + 12))"
      : "0 0 \(SVG.place(Self.width)) \(SVG.place(height))"
    markup.element(
      "svg",
      [
        "xmlns": standsAlone ? "http://www.w3.org/2000/svg" : nil, "class": "plot",
        "id": standsAlone ? nil : identifier, "role": "img",
        "width": standsAlone ? "1000" : nil, "viewBox": viewBox,
        "aria-labelledby": "\(identifier)-title \(identifier)-desc",
      ]
    ) { svg in
      svg.element("title", ["id": "\(identifier)-title"], text: title)
      svg.element("desc", ["id": "\(identifier)-desc"], text: description)
      if standsAlone {
        svg.element("style") { $0.writeVerbatim(Palette.variables + StyleSheet.plot) }
        svg.empty(
          "rect", ["class": "ground", "x": "-10", "y": "-6", "width": "100%", "height": "100%"])
      }
      writeFrame(to: &svg)
      svg.element("g", ["clip-path": "url(#\(identifier)-clip)"], each: series) {
        write($1, to: &$0)
      }
      writeMarks(to: &svg)
      writeLegend(to: &svg)
    }
  }

  private var description: String {
    let curves = series.filter { !$0.label.isEmpty }.map { series in
      let values = series.y.filter(y.holds)
      guard let low = values.min(), let high = values.max() else {
        return "\(series.label): no points"
      }
      return "\(series.label): \(EngineeringFormat.significant(low)) to "
        + EngineeringFormat.significant(high)
    }
    let words = marks.filter { !$0.label.isEmpty }.map { mark in
      switch mark.place {
      case .x(let value), .y(let value):
        "\(mark.label) at \(EngineeringFormat.significant(value))"
      }
    }
    return "\(y.title) over \(x.title). " + (curves + words).joined(separator: "; ") + "."
  }

  private func writeFrame(to svg: inout Markup) {
    svg.drawText(title, "heading", x: 0, y: 14)
    for tick in x.ticks {
      svg.drawPath("grid", SVG.line(x: place(x: tick), from: Self.top, to: Self.bottom))
    }
    for tick in labelledTicks {
      svg.drawText(x.label(tick), x: place(x: tick), y: Self.bottom + 14, anchor: .middle)
    }
    for tick in y.ticks {
      let isZero = tick == 0 && !y.isLogarithmic && y.range.lowerBound < 0
      let place = place(y: tick)
      svg.drawPath(isZero ? "zero" : "grid", SVG.line(y: place, from: left, to: Self.right))
      svg.drawText(y.label(tick), x: left - 6, y: place + 3.5, anchor: .end)
    }
    writeRectangle("frame", to: &svg)
    svg.element("clipPath", ["id": "\(identifier)-clip"]) { writeRectangle(nil, to: &$0) }
    svg.drawText(
      x.title, "axis", x: (left + Self.right) / 2, y: Self.bottom + 31, anchor: .middle)
    svg.drawText(
      y.title, "axis", x: 12, y: Self.top + Self.plotHeight / 2, anchor: .middle, isTurned: true)
  }

  private func writeRectangle(_ style: String?, to svg: inout Markup) {
    svg.drawRectangle(
      style, x: left, y: Self.top, width: Self.right - left, height: Self.plotHeight)
  }

  /// The ticks of the horizontal axis whose numbers have room, round ones first.
  private var labelledTicks: [Double] {
    func isRound(_ tick: Double) -> Bool {
      let digits = x.label(tick).drop { $0 == "0" || $0 == "." }
      return ["1", "2", "5"].contains(digits.prefix { $0 != "0" && $0 != "." })
    }
    var taken: [(middle: Double, half: Double)] = []
    for tick in x.ticks.filter(isRound) + x.ticks.filter({ !isRound($0) }) {
      let place = (place(x: tick), 4 + 3.1 * Double(x.label(tick).count))
      if taken.allSatisfy({ abs($0.middle - place.0) >= $0.half + place.1 }) { taken.append(place) }
    }
    let places = Set(taken.map(\.middle))
    return x.ticks.filter { places.contains(place(x: $0)) }
  }

  private func write(_ series: PlotSeries, to group: inout Markup) {
    let points = zip(series.x, series.y).map { x, y -> (x: Double, y: Double)? in
      self.x.holds(x) && self.y.holds(y) ? (place(x: x), place(y: y)) : nil
    }
    if let dash = series.dash {
      let path = Self.path(points)
      if !path.isEmpty { group.drawPath("curve \(dash.rawValue) \(series.colour)", path) }
    }
    for (index, spread) in series.spreads.enumerated()
    where index < points.count && spread.isFinite {
      let (low, high) = (series.y[index] - spread, series.y[index] + spread)
      guard let point = points[index], y.holds(low), y.holds(high) else { continue }
      group.drawPath(
        "spread \(series.colour)", SVG.line(x: point.x, from: place(y: low), to: place(y: high)))
    }
    guard let marker = series.marker else { return }
    let path = points.compactMap(\.self).map { marker.path(at: $0) }.joined()
    if !path.isEmpty { group.drawPath(series.pointStyle, path) }
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
  fileprivate static func bounded(_ place: Double) -> Double { min(1e5, max(-1e5, place)) }

  /// Writes the guides; words of neighbours stand at different heights.
  private func writeMarks(to svg: inout Markup) {
    var row = 0.0
    for mark in marks {
      switch mark.place {
      case .x(let value):
        guard x.holds(value), (0...1).contains(x.place(of: value)) else { continue }
        let place = place(x: value)
        svg.drawPath("mark", SVG.line(x: place, from: Self.top, to: Self.bottom))
        let isRight = place > (left + Self.right) / 2
        svg.drawText(
          mark.label, "word", x: place + (isRight ? -4 : 4), y: Self.top + 13 + 14 * row,
          anchor: isRight ? .end : .start)
        if !mark.label.isEmpty { row += 1 }
      case .y(let value):
        guard y.holds(value), (0...1).contains(y.place(of: value)) else { continue }
        let place = place(y: value)
        svg.drawPath("mark", SVG.line(y: place, from: left, to: Self.right))
        svg.drawText(mark.label, "word", x: Self.right - 4, y: place - 4, anchor: .end)
      }
    }
  }

  private func writeLegend(to svg: inout Markup) {
    for (row, entries) in legendRows.enumerated() {
      let baseline = Self.bottom + 50 + Self.lineHeight * Double(row)
      var left = 8.0
      for series in entries {
        if let dash = series.dash ?? series.legendDash {
          svg.drawPath(
            "curve \(dash.rawValue) \(series.colour)",
            "M\(SVG.place(left)) \(SVG.place(baseline - 4))h26")
        }
        if let marker = series.marker {
          svg.drawPath(series.pointStyle, marker.path(at: (left + 13, baseline - 4)))
        }
        svg.drawText(series.label, x: left + 32, y: baseline)
        left += Self.legendWidth(series)
      }
    }
  }

  var legendRows: [[PlotSeries]] {
    var rows: [[PlotSeries]] = []
    var used = Double.infinity
    for series in series where !series.label.isEmpty {
      let width = Self.legendWidth(series)
      if used + width > Self.right - 8 {
        rows.append([])
        used = 0
      }
      rows[rows.count - 1].append(series)
      used += width
    }
    return rows
  }

  static func legendWidth(_ series: PlotSeries) -> Double {
    44 + 6.2 * Double(series.label.count)
  }
}

extension PlotSeries {
  fileprivate var pointStyle: String {
    "point \(isFilled && marker != .cross ? "filled" : "hollow") \(colour)"
  }
}

extension PlotSeries.Marker {
  func path(at place: (x: Double, y: Double)) -> String {
    let start = "M\(SVG.place(place.x)) \(SVG.place(Plot.bounded(place.y)))"
    return switch self {
    case .circle: start + "m-3.4 0a3.4 3.4 0 1 0 6.8 0a3.4 3.4 0 1 0 -6.8 0z"
    case .square: start + "m-3 -3h6v6h-6z"
    case .triangle: start + "m0 -4l3.8 6.6h-7.6z"
    case .diamond: start + "m0 -4.4l4.4 4.4l-4.4 4.4l-4.4 -4.4z"
    case .cross: start + "m-3.2 -3.2l6.4 6.4m0 -6.4l-6.4 6.4"
    }
  }
}

extension Markup {
  mutating func writePictures(_ plots: [Plot]) {
    guard !plots.isEmpty else { return }
    element("div", ["class": "pictures"]) { grid in
      for plot in plots { grid.writeFigure(plot) }
    }
  }

  mutating func writeFigure(_ plot: Plot) {
    element("figure") { figure in
      plot.write(to: &figure)
      if !plot.caption.isEmpty { figure.element("figcaption", text: plot.caption) }
    }
  }
}

extension Plot {
  /// What an actuator answers to an impulse over time in milliseconds, in a unit per volt second.
  static func impulse(_ series: [PlotSeries], unit: MeasurementUnit, caption: String) -> Plot {
    Plot(
      title: "Impulse response", identifier: "impulse",
      x: PlotAxis("time after the drive, ms", of: series.flatMap(\.x)),
      y: PlotAxis("\(Shown.typeset(unit.rawValue)) per V s", of: series.flatMap(\.y), room: 0.05),
      series: series, caption: caption)
  }
}

struct PlotSeries {
  /// How a line is broken, so that curves differ without colour too.
  enum Dash: String, CaseIterable {
    case solid
    case dashed
    case dotted
    case mixed
  }

  enum Marker: CaseIterable {
    case circle
    case square
    case triangle
    case diamond
    case cross
  }

  /// What the legend says; empty for what it leaves out.
  var label: String
  var x: [Double]
  var y: [Double]
  var colour: String
  /// How its line is broken; nil for points alone.
  var dash: Dash? = .solid
  /// The sign at each of its points; nil for a line alone.
  var marker: Marker?
  var isFilled = true
  /// How the line beside its sign in the legend is broken, where that line is another series.
  var legendDash: Dash?
  /// Half the lengths of bars of uncertainty around the ordinates; empty for none.
  var spreads: [Double] = []

  /// The class of a colour for one of several things that differ in kind.
  static func hue(_ index: Int) -> String { "hue-\(index % 7)" }

  static func dash(_ index: Int) -> Dash { Dash.allCases[index % Dash.allCases.count] }

  static func marker(_ index: Int) -> Marker { Marker.allCases[index % Marker.allCases.count] }

  /// The class of a colour for one of several things that are ordered, weak to strong.
  static func ramp(_ index: Int, of count: Int) -> String {
    "ramp-\(count > 1 ? index * 8 / (count - 1) : 8)"
  }
}

struct PlotMark {
  enum Place {
    case x(Double)
    case y(Double)
  }

  var place: Place
  var label: String
}
