// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Units

/// How strong a take was to be and how strong it was felt, small: the envelopes of one pattern over its time.
struct EnvelopeStrip {
  private static let width = 320.0
  private static let left = 34.0
  private static let right = 314.0
  private static let top = 10.0
  private static let height = 78.0
  private static let bottom = top + height
  static let size = (width: width, height: bottom + 18)

  let identifier: String
  private let figure: TakeFigure
  private let panel: TakeFigure.Panel
  private let scale: AxisScale
  private let scores: [Int: EventScore]

  /// Reduces the traces to some columns; `nil` of a picture without envelopes.
  init?(_ figure: TakeFigure, identifier: String, columns: Int, scores: [Int: EventScore]) {
    guard var panel = figure.panels.first(where: { $0.title == "Envelope" }),
      figure.span.upperBound > figure.span.lowerBound
    else { return nil }
    panel.traces = panel.traces.map { ColumnReduction.reduce($0, to: columns) }
    (self.figure, self.panel, self.identifier, self.scores) = (figure, panel, identifier, scores)
    scale = FigureDrawing.scale(of: panel)
  }

  /// `place` is that of its upper left corner in a picture that it is a part of.
  func write(
    description: String, at place: (x: Double, y: Double)? = nil, to markup: inout Markup
  ) {
    let (width, height) = (SVG.place(Self.size.width), SVG.place(Self.size.height))
    markup.element(
      "svg",
      [
        "class": "figure strip", "role": "img", "x": place.map { SVG.place($0.x) },
        "y": place.map { SVG.place($0.y) }, "width": place.map { _ in width },
        "height": place.map { _ in height }, "viewBox": "0 0 \(width) \(height)",
        "aria-labelledby": "\(identifier)-title \(identifier)-desc",
      ]
    ) { svg in
      svg.element(
        "title", ["id": "\(identifier)-title"], text: "\(figure.pattern), wanted and felt")
      svg.element("desc", ["id": "\(identifier)-desc"], text: description)
      writeAxes(to: &svg)
      for trace in panel.traces { write(trace, to: &svg) }
      svg.drawRectangle(
        "frame", x: Self.left, y: Self.top, width: Self.right - Self.left, height: Self.height)
      writeMarks(to: &svg)
    }
  }

  private func x(_ seconds: Double) -> Double {
    let (start, end) = (figure.span.lowerBound, figure.span.upperBound)
    let share = min(max((seconds - start) / (end - start), 0), 1)
    return Self.left + (Self.right - Self.left) * share
  }

  private func y(_ value: Double) -> Double {
    let range = scale.range
    return Self.top + Self.height * (range.upperBound - value)
      / (range.upperBound - range.lowerBound)
  }

  private func writeAxes(to svg: inout Markup) {
    let time = AxisScale(figure.span, count: 4)
    for tick in time.ticks {
      svg.drawPath("grid", SVG.line(x: x(tick), from: Self.top, to: Self.bottom))
      // What would stand over the edge of the picture is left out.
      guard x(tick) < Self.right - 8 else { continue }
      svg.drawText(time.label(tick), x: x(tick), y: Self.bottom + 13, anchor: .middle)
    }
    svg.drawText("s", x: Self.right, y: Self.bottom + 13, anchor: .end)
    for tick in scale.ticks {
      svg.drawPath("grid", SVG.line(y: y(tick), from: Self.left, to: Self.right))
      svg.drawText(scale.label(tick), x: Self.left - 5, y: y(tick) + 3.5, anchor: .end)
    }
  }

  private func write(_ trace: TakeFigure.Trace, to svg: inout Markup) {
    let count = Double(max(1, trace.lowest.count))
    let path = TracePath(
      trace, x: { Self.left + (Self.right - Self.left) * (Double($0) + 0.5) / count }, y: y)
    guard !path.data.isEmpty else { return }
    let shape = TracePath.isCurve(trace) ? "curve" : "band"
    svg.drawPath("\(shape) \(FigureDrawing.colour(of: trace))", path.data)
  }

  /// Marks the events that are off: those that are good are many, and need no mark here.
  private func writeMarks(to svg: inout Markup) {
    for event in figure.events {
      guard let score = scores[event.index], [.marginal, .bad, .dropped].contains(score.grade)
      else { continue }
      let mark = FigureDrawing.mark(score.grade, x: x(event.span.lowerBound), y: Self.top)
      svg.drawPath(mark.style, mark.data)
    }
  }
}
