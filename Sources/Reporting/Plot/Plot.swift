import Units

/// Curves over two axes as an SVG picture that follows the page's colours.
struct Plot {
  static let width = 480.0
  static let left = 64.0
  static let right = 462.0
  static let top = 30.0
  static let plotHeight = 210.0
  static let lineHeight = 16.0

  let title: String
  /// The identifier of the picture on its page.
  let identifier: String
  let x: PlotAxis
  let y: PlotAxis
  let series: [PlotSeries]
  var marks: [PlotMark] = []

  var bottom: Double { Self.top + Self.plotHeight }
  var height: Double { bottom + 42 + Self.lineHeight * Double(legendRows.count) }

  /// The horizontal place of an abscissa.
  func place(x value: Double) -> Double {
    Self.left + (Self.right - Self.left) * x.place(of: value)
  }

  /// The vertical place of an ordinate.
  func place(y value: Double) -> Double { bottom - Self.plotHeight * y.place(of: value) }

  /// Writes the picture; one that stands alone brings its own colours.
  func write(to markup: inout Markup, standsAlone: Bool = false) {
    let size = (SVG.place(Self.width), SVG.place(height))
    let names = "\(identifier)-title \(identifier)-desc"
    let content: (inout Markup) -> Void = { svg in
      svg.element("title", ["id": "\(identifier)-title"], text: title)
      svg.element("desc", ["id": "\(identifier)-desc"], text: description)
      if standsAlone {
        svg.element("style") { $0.writeVerbatim(Palette.variables + StyleSheet.plot) }
        svg.empty(
          "rect", ["class": "ground", "x": "-10", "y": "-6", "width": "100%", "height": "100%"])
      }
      writeFrame(to: &svg)
      writeSeries(to: &svg)
      writeMarks(to: &svg)
      writeLegend(to: &svg)
    }
    if standsAlone {
      markup.element(
        "svg",
        [
          "xmlns": "http://www.w3.org/2000/svg", "class": "plot", "role": "img",
          "width": "1000",
          "viewBox": "-10 -6 \(SVG.place(Self.width + 20)) "
            + SVG.place(height + 12), "aria-labelledby": names,
        ], content)
    } else {
      markup.element(
        "svg",
        [
          "class": "plot", "id": identifier, "role": "img",
          "viewBox": "0 0 \(size.0) \(size.1)", "aria-labelledby": names,
        ], content)
    }
  }

  /// What the picture shows, for those who cannot see it.
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

  /// The legend in rows that fit below the plot.
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

  /// About how wide an entry of the legend is.
  static func legendWidth(_ series: PlotSeries) -> Double { 44 + 6.2 * Double(series.label.count) }
}
