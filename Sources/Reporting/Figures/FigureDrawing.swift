// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Units

/// A take as inline SVG: panels on one time axis, the events behind them, the onsets in front.
///
/// Colours come from the page's style sheet by class, so that a figure follows light and dark.
struct FigureDrawing {
  struct PlacedPanel {
    let panel: TakeFigure.Panel
    let scale: AxisScale
    let top: Double
    let height: Double

    var bottom: Double { top + height }

    func y(_ value: Double) -> Double {
      let range = scale.range
      return top + height * (range.upperBound - value) / (range.upperBound - range.lowerBound)
    }
  }

  static let width = 1000.0
  static let left = 66.0
  static let right = 988.0
  static let numbersHeight = 13.0
  static let marksHeight = 12.0
  private static let titleHeight = 30.0
  private static let spectrogramHeight = 96.0
  private static let footHeight = 42.0

  let figure: TakeFigure
  let identifier: String
  let panels: [PlacedPanel]
  private let time: AxisScale
  let scores: [Int: EventScore]
  /// The events whose marks can be linked to.
  let linked: Set<Int>

  init(
    _ figure: TakeFigure, identifier: String, scores: [Int: EventScore] = [:],
    linked: Set<Int> = []
  ) {
    self.figure = figure
    self.identifier = identifier
    self.scores = scores
    self.linked = linked
    // Above the plots stand the legend of the events, a row of their numbers, and one of their marks.
    var top = figure.events.isEmpty ? 0 : 16 + Self.numbersHeight
    if !scores.isEmpty { top += Self.marksHeight + 16 }
    panels = figure.panels.map { panel in
      let placed = PlacedPanel(
        panel: panel, scale: Self.scale(of: panel), top: top + Self.titleHeight,
        height: Self.height(of: panel))
      top = placed.bottom
      return placed
    }
    time = AxisScale(figure.span, count: 10)
  }

  private var panelsBottom: Double { panels.last?.bottom ?? 0 }

  private var spectrogramTop: Double { panelsBottom + Self.titleHeight }

  private var bottom: Double {
    figure.spectrogram == nil ? panelsBottom : spectrogramTop + Self.spectrogramHeight
  }

  func x(_ seconds: Double) -> Double {
    let length = figure.span.upperBound - figure.span.lowerBound
    guard length > 0 else { return Self.left }
    return Self.left + (Self.right - Self.left) * (seconds - figure.span.lowerBound) / length
  }

  func clampedX(_ seconds: Double) -> Double { min(max(x(seconds), Self.left), Self.right) }

  /// What the picture is of.
  var title: String { "\(figure.pattern), take \(figure.take)" }

  func write(to markup: inout Markup) {
    let (left, right) = (SVG.place(Self.left), SVG.place(Self.right))
    markup.element(
      "svg",
      [
        "class": "figure", "id": identifier, "role": "img",
        "viewBox": "0 0 \(SVG.place(Self.width)) \(SVG.place(bottom + Self.footHeight))",
        "aria-labelledby": "\(identifier)-title \(identifier)-desc",
        "data-time": "\(figure.span.lowerBound) \(figure.span.upperBound)",
        "data-x": "\(left) \(right)",
      ]
    ) { svg in
      svg.element("title", ["id": "\(identifier)-title"], text: title)
      svg.element("desc", ["id": "\(identifier)-desc"], text: description)
      writeTimeAxis(to: &svg)
      writeEventBands(to: &svg)
      for placed in panels { write(placed, to: &svg) }
      writeSpectrogram(to: &svg)
      writeOnsets(to: &svg)
      writeEventNumbers(to: &svg)
      writeEventMarks(to: &svg)
    }
  }

  static func height(of panel: TakeFigure.Panel) -> Double {
    switch panel.title {
    case "Envelope", "Response": 150
    case "Drive": 104
    default: 84
    }
  }

  static func scale(of panel: TakeFigure.Panel) -> AxisScale {
    let (low, high) = extremes(of: panel)
    let reach = panel.leastReach
    return .vertical(reach > 0 ? min(low, -reach) : low, max(high, reach), unit: panel.unit)
  }

  private static func extremes(of panel: TakeFigure.Panel) -> (Double, Double) {
    var (low, high) = (Double.infinity, -Double.infinity)
    for trace in panel.traces {
      for value in trace.lowest where value.isFinite { low = min(low, Double(value)) }
      for value in trace.highest where value.isFinite { high = max(high, Double(value)) }
    }
    return low <= high ? (low, high) : (0, 0)
  }

  var description: String {
    let panels = panels.map { placed in
      let (low, high) = Self.extremes(of: placed.panel)
      let names = placed.panel.traces.map(\.name).joined(separator: " and ")
      return "\(placed.panel.title) (\(names)) from "
        + "\(EngineeringFormat.text(low, placed.panel.unit)) to "
        + EngineeringFormat.text(high, placed.panel.unit)
    }
    let onsets = figure.events.count { $0.onset != nil }
    let tally = EventScore.Grade.byWeight.reversed().compactMap { grade in
      let count = scores.values.count { $0.grade == grade }
      return count > 0 ? "\(count) \(grade.rawValue)" : nil
    }.joined(separator: ", ")
    var text = "Time from \(Shown.seconds(figure.span.lowerBound)) to "
    text += "\(Shown.seconds(figure.span.upperBound)). "
    text += panels.isEmpty ? "No traces. " : panels.joined(separator: "; ") + ". "
    text += "\(Count.of(figure.events.count, "event")), onset found of \(onsets)."
    if !scores.isEmpty { text += " Events: \(tally)." }
    if let spectrogram = figure.spectrogram {
      text += " " + SpectrogramPicture(spectrogram: spectrogram).description
    }
    return text
  }

  private func writeTimeAxis(to svg: inout Markup) {
    svg.element("g", ["class": "time"]) { group in
      for tick in time.ticks {
        let (place, x) = (x(tick), SVG.place(x(tick)))
        for placed in panels {
          group.drawPath("grid", "M\(x) \(SVG.place(placed.top))v\(SVG.place(placed.height))")
        }
        group.drawText(time.label(tick), "tick", x: place, y: bottom + 16, anchor: .middle)
      }
      group.drawText(
        "time, s", "tick", x: (Self.left + Self.right) / 2, y: bottom + 34, anchor: .middle)
    }
    svg.breakLine()
  }

  private func write(_ placed: PlacedPanel, to svg: inout Markup) {
    let range = placed.scale.range
    svg.element(
      "g",
      [
        "class": "panel", "data-y": "\(SVG.place(placed.top)) \(SVG.place(placed.bottom))",
        "data-values": "\(range.lowerBound) \(range.upperBound)",
        "data-unit": Self.symbol(of: placed.panel.unit),
      ]
    ) { group in
      for tick in placed.scale.ticks {
        let y = placed.y(tick)
        let isZero = tick == 0 && range.lowerBound < 0
        group.drawPath(isZero ? "zero" : "grid", SVG.line(y: y, from: Self.left, to: Self.right))
        writeTick(placed.scale.label(tick), y: y, to: &group)
      }
      writeHeading(of: placed, to: &group)
      for trace in placed.panel.traces { write(trace, in: placed, to: &group) }
      group.drawRectangle(
        "frame", x: Self.left, y: placed.top, width: Self.right - Self.left, height: placed.height)
    }
    svg.breakLine()
  }

  private func writeTick(_ label: String, y: Double, to group: inout Markup) {
    group.drawText(label, "tick", x: Self.left - 8, y: y + 3.5, anchor: .end)
  }

  private func write(_ trace: TakeFigure.Trace, in placed: PlacedPanel, to group: inout Markup) {
    let count = Double(max(1, trace.lowest.count))
    let path = TracePath(
      trace,
      x: { Self.left + (Self.right - Self.left) * (Double($0) + 0.5) / count },
      y: placed.y)
    guard !path.data.isEmpty else { return }
    let shape = TracePath.isCurve(trace) ? "curve" : "band"
    group.drawPath("\(shape) \(Self.colour(of: trace))", path.data)
  }

  private func writeHeading(of placed: PlacedPanel, to group: inout Markup) {
    let isFirst = placed.top == panels.first?.top
    let numbers = isFirst && !figure.events.isEmpty ? Self.numbersHeight : 0
    let marks = isFirst && !scores.isEmpty ? Self.marksHeight : 0
    let baseline = placed.top - 7 - numbers - marks
    group.drawHeading(
      placed.panel.title, unit: Self.symbol(of: placed.panel.unit), x: Self.left, y: baseline)
    // One trace that is named by the heading needs no legend.
    let (title, traces) = (placed.panel.title.lowercased(), placed.panel.traces)
    guard traces.count > 1 || traces.contains(where: { $0.name.lowercased() != title }) else {
      return
    }
    var right = Self.right
    for trace in traces.reversed() {
      let swatch = right - Self.textWidth(trace.name) - 22
      group.drawText(trace.name, "legend", x: swatch + 22, y: baseline)
      group.drawPath(
        "swatch \(Self.colour(of: trace))", "M\(SVG.place(swatch)) \(SVG.place(baseline - 4))h16")
      right = swatch - 14
    }
  }

  private static let coloured: Set<String> = [
    "intensity", "sharpness", "drive", "response", "sound", "target", "tolerance", "measured",
    "take", "model", "rest", "A", "B", "C", "D", "E", "F",
  ]

  /// The class that colours a trace, by the first word of its name; names that this page does not know share one.
  static func colour(of trace: TakeFigure.Trace) -> String {
    let word = trace.name.prefix { $0.isLetter }
    return coloured.contains(String(word)) ? "trace-\(word)" : "trace-other"
  }

  static func symbol(of unit: MeasurementUnit) -> String {
    unit == .one || unit == .count ? "" : Shown.typeset(unit.rawValue)
  }

  static func textWidth(_ text: String) -> Double { 6.2 * Double(text.count) }

  private func writeSpectrogram(to svg: inout Markup) {
    guard let spectrogram = figure.spectrogram else { return }
    let picture = SpectrogramPicture(spectrogram: spectrogram)
    let (top, height, width) = (spectrogramTop, Self.spectrogramHeight, Self.right - Self.left)
    svg.element("g", ["class": "spectrum"]) { group in
      group.drawHeading("Spectrogram", unit: "Hz", x: Self.left, y: top - 7)
      group.drawText(picture.key, "legend", x: Self.right, y: top - 7, anchor: .end)
      let range = spectrogram.frequencies
      let scale = AxisScale(range, count: 3)
      for tick in scale.ticks {
        let share = (tick - range.lowerBound) / (range.upperBound - range.lowerBound)
        writeTick(scale.label(tick), y: top + (1 - share) * height, to: &group)
      }
      if let address = picture.dataAddress {
        group.empty(
          "image",
          [
            "x": SVG.place(Self.left), "y": SVG.place(top), "width": SVG.place(width),
            "height": SVG.place(height), "preserveAspectRatio": "none", "href": address,
          ])
      }
      group.drawRectangle("frame", x: Self.left, y: top, width: width, height: height)
    }
    svg.breakLine()
  }
}
