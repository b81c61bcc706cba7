import Acceptance
import Units

extension FigureDrawing {
  /// Writes the time axis: lines through all panels, ticks below them.
  func writeTimeAxis(to svg: inout Markup) {
    svg.element("g", ["class": "time"]) { group in
      for tick in time.ticks {
        let x = SVG.place(x(tick))
        for placed in panels {
          group.empty(
            "path",
            ["class": "grid", "d": "M\(x) \(SVG.place(placed.top))v\(SVG.place(placed.height))"])
        }
        group.element(
          "text",
          ["class": "tick", "x": x, "y": SVG.place(bottom + 16), "text-anchor": "middle"],
          text: time.label(tick))
      }
      group.element(
        "text",
        [
          "class": "tick", "x": SVG.place((Self.left + Self.right) / 2),
          "y": SVG.place(bottom + 34), "text-anchor": "middle",
        ], text: "time, s")
    }
    svg.breakLine()
  }

  /// Writes a light band for the commanded length of each event, through all panels.
  func writeEventBands(to svg: inout Markup) {
    guard !figure.events.isEmpty, !panels.isEmpty else { return }
    svg.element("g", ["class": "events"]) { group in
      for event in figure.events {
        let from = clamped(x(event.span.lowerBound))
        // A transient has next to no length: it is drawn wide enough to be seen.
        let width = max(2, clamped(x(event.span.upperBound)) - from)
        for placed in panels {
          group.empty(
            "rect",
            [
              "class": "event", "x": SVG.place(from), "y": SVG.place(placed.top),
              "width": SVG.place(width), "height": SVG.place(placed.height),
            ])
        }
      }
    }
    svg.breakLine()
  }

  /// Writes a line with a mark on its top where the response of an event set in.
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
        let x = SVG.place(clamped(x(onset)))
        group.element(
          "path", ["class": "onset", "d": "M\(x) \(SVG.place(placed.top))v\(length)"]
        ) {
          $0.element("title", text: "onset of event \(index) at \(Shown.seconds(onset))")
        }
        group.empty(
          "path", ["class": "onset-mark", "d": "M\(x) \(SVG.place(placed.top + 7))l-4-7h8z"])
      }
    }
    svg.breakLine()
  }

  /// Writes the legend of events and onsets, and the numbers of the events as far as there is room.
  func writeEventNumbers(to svg: inout Markup) {
    guard !figure.events.isEmpty, let top = panels.first?.top else { return }
    svg.element("g", ["class": "event-numbers"]) { group in
      var free = -Double.infinity
      for event in figure.events {
        let label = "\(event.index)"
        let half = Self.textWidth(label) / 2
        let place = clamped(x(event.span.lowerBound))
        guard place - half > free else { continue }
        free = place + half + 4
        group.element(
          "text",
          [
            "class": "event-number", "x": SVG.place(place),
            "y": SVG.place(top - 4 - (scores.isEmpty ? 0 : Self.marksHeight)),
            "text-anchor": "middle",
          ]
        ) { text in
          text.write(label)
          text.element("title", text: words(for: event))
        }
      }
      let hasOnsets = figure.events.contains { $0.onset != nil }
      group.empty(
        "rect",
        [
          "class": "event swatch-event", "x": SVG.place(Self.left), "y": "3", "width": "14",
          "height": "10",
        ])
      group.element(
        "text", ["class": "legend", "x": SVG.place(Self.left + 20), "y": "12"],
        text: "commanded event, numbered in time")
      guard hasOnsets else { return }
      let x = Self.left + 250
      group.empty("path", ["class": "onset", "d": "M\(SVG.place(x)) 2v12"])
      group.empty("path", ["class": "onset-mark", "d": "M\(SVG.place(x)) 9l-4-7h8z"])
      group.element(
        "text", ["class": "legend", "x": SVG.place(x + 10), "y": "12"],
        text: "measured onset, electrical delay removed")
    }
  }

  func words(for event: TakeFigure.Event) -> String {
    let start = Shown.seconds(event.span.lowerBound)
    let onset = event.onset.map { "onset at \(Shown.seconds($0))" } ?? "onset unresolved"
    let score = scores[event.index].map { ", \($0.grade.rawValue): \($0.words)" } ?? ""
    return "event \(event.index), \(event.kind), commanded at \(start), \(onset)\(score)"
  }

  func clamped(_ x: Double) -> Double { min(max(x, Self.left), Self.right) }
}
