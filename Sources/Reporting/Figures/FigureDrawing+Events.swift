// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Units

extension FigureDrawing {
  /// Writes a light band for the commanded length of each event, through all panels.
  func writeEventBands(to svg: inout Markup) {
    guard !figure.events.isEmpty, !panels.isEmpty else { return }
    svg.element("g", ["class": "events"]) { group in
      for event in figure.events {
        let from = clampedX(event.span.lowerBound)
        // A transient has next to no length: it is drawn wide enough to be seen.
        let width = max(2, clampedX(event.span.upperBound) - from)
        for placed in panels {
          group.drawRectangle("event", x: from, y: placed.top, width: width, height: placed.height)
        }
      }
    }
    svg.breakLine()
  }

  func writeOnsets(to svg: inout Markup) {
    let onsets = figure.events.compactMap { event in event.onset.map { (event.index, $0) } }
    guard !onsets.isEmpty else { return }
    let placed = panels.first { $0.panel.title == "Response" } ?? panels.last
    guard let placed else { return }
    // So many lines would hide the response: what is left of them leads to the triangle.
    let isDense = Double(onsets.count) > (Self.right - Self.left) / 14
    let length = SVG.place(isDense ? 7 : placed.height)
    svg.element("g", ["class": "onsets"]) { group in
      for (index, onset) in onsets {
        let x = SVG.place(clampedX(onset))
        group.drawPath(
          "onset", "M\(x) \(SVG.place(placed.top))v\(length)",
          title: "onset of event \(index) at \(Shown.seconds(onset))")
        group.drawPath("onset-mark", "M\(x) \(SVG.place(placed.top + 7))l-4-7h8z")
      }
    }
    svg.breakLine()
  }

  func writeEventNumbers(to svg: inout Markup) {
    guard !figure.events.isEmpty, let top = panels.first?.top else { return }
    svg.element("g", ["class": "event-numbers"]) { group in
      var free = -Double.infinity
      for event in figure.events {
        let label = "\(event.index)"
        let half = Self.textWidth(label) / 2
        let place = clampedX(event.span.lowerBound)
        guard place - half > free else { continue }
        free = place + half + 4
        group.drawText(
          "event-number", x: place, y: top - 4 - (scores.isEmpty ? 0 : Self.marksHeight),
          anchor: .middle
        ) { text in
          text.write(label)
          text.element("title", text: words(for: event))
        }
      }
      group.drawRectangle("event swatch-event", x: Self.left, y: 3, width: 14, height: 10)
      group.drawText("commanded event, numbered in time", "legend", x: Self.left + 20, y: 12)
      guard figure.events.contains(where: { $0.onset != nil }) else { return }
      let x = Self.left + 250
      group.drawPath("onset", "M\(SVG.place(x)) 2v12")
      group.drawPath("onset-mark", "M\(SVG.place(x)) 9l-4-7h8z")
      group.drawText("measured onset, electrical delay removed", "legend", x: x + 10, y: 12)
    }
  }

  private func words(for event: TakeFigure.Event) -> String {
    let start = Shown.seconds(event.span.lowerBound)
    let onset = event.onset.map { "onset at \(Shown.seconds($0))" } ?? "onset unresolved"
    let score = scores[event.index].map { ", \($0.grade.rawValue): \($0.words)" } ?? ""
    return "event \(event.index), \(event.kind), commanded at \(start), \(onset)\(score)"
  }

  static func identifier(ofEvent event: Int, in figure: String) -> String {
    "\(figure)-event-\(event)"
  }

  /// Writes a mark for the grade of each event above the plots, and their legend.
  ///
  /// Where there is no room for all, the worst of a place is drawn; what is linked to always is.
  func writeEventMarks(to svg: inout Markup) {
    guard !scores.isEmpty, let top = panels.first?.top else { return }
    svg.element("g", ["class": "event-marks"]) { group in
      for (event, score) in marked {
        let shape = Self.mark(score.grade, x: clampedX(event.span.lowerBound), y: top - 7)
        let name = Self.identifier(ofEvent: event.index, in: identifier)
        group.drawPath(
          shape.style, shape.data, identifier: linked.contains(event.index) ? name : nil,
          title: words(for: event))
      }
      var x = Self.left + 6
      for grade in EventScore.Grade.byWeight {
        let count = scores.values.count { $0.grade == grade }
        guard count > 0 else { continue }
        let shape = Self.mark(grade, x: x, y: 24)
        group.drawPath(shape.style, shape.data)
        let text = "\(count) \(grade.rawValue)"
        group.drawText(text, "legend", x: x + 9, y: 28)
        x += Self.textWidth(text) + 32
      }
    }
    svg.breakLine()
  }

  private var marked: [(event: TakeFigure.Event, score: EventScore)] {
    let width = 7.0
    var places: [Int: (event: TakeFigure.Event, score: EventScore)] = [:]
    var kept: [(event: TakeFigure.Event, score: EventScore)] = []
    for event in figure.events {
      guard let score = scores[event.index] else { continue }
      if linked.contains(event.index) {
        kept.append((event, score))
        continue
      }
      let place = Int(clampedX(event.span.lowerBound) / width)
      if let known = places[place], known.score.grade.weight >= score.grade.weight { continue }
      places[place] = (event, score)
    }
    return (kept + places.values).sorted { $0.event.index < $1.event.index }
  }

  /// The shape of a grade: each differs from all others without its colour.
  static func mark(
    _ grade: EventScore.Grade, x: Double, y: Double
  ) -> (style: String, data: String) {
    let start = "M\(SVG.place(x)) \(SVG.place(y))"
    return switch grade {
    case .good: ("mark good", start + "m-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0z")
    case .marginal: ("mark marginal-mark", start + "m0-4l4.2 7.4h-8.4z")
    case .bad: ("mark bad", start + "m0-4.6l4.6 4.6-4.6 4.6-4.6-4.6z")
    case .dropped: ("mark dropped", start + "m-3.5-3.5l7 7m0-7l-7 7")
    case .notMeasured: ("mark unmeasured", start + "m-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0z")
    }
  }
}
