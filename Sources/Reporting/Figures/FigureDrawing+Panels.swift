import Acceptance
import Units

extension FigureDrawing {
  /// Writes a panel: frame, grid, ticks, heading with the legend, traces.
  func write(_ placed: PlacedPanel, to svg: inout Markup) {
    let range = placed.scale.range
    svg.element(
      "g",
      [
        "class": "panel",
        "data-y": "\(SVG.place(placed.top)) \(SVG.place(placed.top + placed.height))",
        "data-values": "\(range.lowerBound) \(range.upperBound)",
        "data-unit": Self.symbol(of: placed.panel.unit),
      ]
    ) { group in
      for tick in placed.scale.ticks {
        let y = SVG.place(placed.y(tick))
        let isZero = tick == 0 && range.lowerBound < 0
        group.empty(
          "path",
          [
            "class": isZero ? "zero" : "grid",
            "d": "M\(SVG.place(Self.left)) \(y)H\(SVG.place(Self.right))",
          ])
        group.element(
          "text",
          [
            "class": "tick", "x": SVG.place(Self.left - 8),
            "y": SVG.place(placed.y(tick) + 3.5), "text-anchor": "end",
          ], text: placed.scale.label(tick))
      }
      writeHeading(of: placed, to: &group)
      for trace in placed.panel.traces { write(trace, in: placed, to: &group) }
      group.empty(
        "rect",
        [
          "class": "frame", "x": SVG.place(Self.left), "y": SVG.place(placed.top),
          "width": SVG.place(Self.right - Self.left), "height": SVG.place(placed.height),
        ])
    }
    svg.breakLine()
  }

  private func write(
    _ trace: TakeFigure.Trace, in placed: PlacedPanel, to group: inout Markup
  ) {
    let count = Double(max(1, trace.lowest.count))
    let path = TracePath(
      trace,
      x: { Self.left + (Self.right - Self.left) * (Double($0) + 0.5) / count },
      y: placed.y)
    guard !path.data.isEmpty else { return }
    let shape = TracePath.isCurve(trace) ? "curve" : "band"
    group.empty("path", ["class": "\(shape) \(Self.colour(of: trace))", "d": path.data])
  }

  private func writeHeading(of placed: PlacedPanel, to group: inout Markup) {
    let isFirst = placed.top == panels.first?.top
    let numbers = isFirst && !figure.events.isEmpty ? Self.numbersHeight : 0
    let marks = isFirst && !scores.isEmpty ? Self.marksHeight : 0
    let baseline = placed.top - 7 - numbers - marks
    group.element(
      "text", ["class": "heading", "x": SVG.place(Self.left), "y": SVG.place(baseline)]
    ) { text in
      text.write(placed.panel.title)
      let unit = Self.symbol(of: placed.panel.unit)
      if !unit.isEmpty { text.element("tspan", ["class": "unit", "dx": "6"], text: unit) }
    }
    // One trace that is named by the heading needs no legend.
    let traces = placed.panel.traces
    guard traces.count > 1 || traces.contains(where: { !$0.names(placed.panel) }) else { return }
    var right = Self.right
    for trace in traces.reversed() {
      let swatch = right - Self.textWidth(trace.name) - 22
      group.element(
        "text",
        ["class": "legend", "x": SVG.place(swatch + 22), "y": SVG.place(baseline)],
        text: trace.name)
      group.empty(
        "path",
        [
          "class": "swatch \(Self.colour(of: trace))",
          "d": "M\(SVG.place(swatch)) \(SVG.place(baseline - 4))h16",
        ])
      right = swatch - 14
    }
  }

  private static let coloured: Set<String> = [
    "intensity", "sharpness", "drive", "response", "sound", "target", "tolerance", "measured",
    "take",
    "model", "rest",
  ]

  /// The class that colours a trace, by the first word of its name; names that this page does not know share one.
  static func colour(of trace: TakeFigure.Trace) -> String {
    let word = trace.name.prefix { $0.isLetter }
    return coloured.contains(String(word)) ? "trace-\(word)" : "trace-other"
  }

  /// The unit as the axis names it; nothing for a bare number.
  static func symbol(of unit: MeasurementUnit) -> String {
    unit == .one || unit == .count ? "" : Shown.typeset(unit.rawValue)
  }

  /// About how wide a text in the drawing's small type is.
  static func textWidth(_ text: String) -> Double { 6.2 * Double(text.count) }
}

extension TakeFigure.Trace {
  /// Whether the panel's heading says what this trace is.
  fileprivate func names(_ panel: TakeFigure.Panel) -> Bool {
    panel.title.lowercased() == name.lowercased()
  }
}
