import Acceptance

extension FigureDrawing {
  /// The identifier of an event's mark in a picture.
  static func identifier(ofEvent event: Int, in figure: String) -> String {
    "\(figure)-event-\(event)"
  }

  /// How many events have which grade, the worst first: `1 dropped, 2 bad, 9 good`.
  var tally: String {
    EventScore.Grade.byWeight.reversed().compactMap { grade in
      let count = scores.values.count { $0.grade == grade }
      return count > 0 ? "\(count) \(grade.rawValue)" : nil
    }.joined(separator: ", ")
  }

  /// Writes a mark for the grade of each event above the plots, and their legend.
  ///
  /// Where there is no room for all, the worst of a place is drawn; what is linked to always is.
  func writeEventMarks(to svg: inout Markup) {
    guard !scores.isEmpty, let top = panels.first?.top else { return }
    svg.element("g", ["class": "event-marks"]) { group in
      for (event, score) in marked {
        let x = clamped(x(event.span.lowerBound))
        let name = Self.identifier(ofEvent: event.index, in: identifier)
        let words = words(for: event)
        let shape = Self.mark(score.grade, x: x, y: top - 7)
        if linked.contains(event.index) {
          group.element("path", ["id": name, "class": shape.style, "d": shape.data]) {
            $0.element("title", text: words)
          }
        } else {
          group.element("path", ["class": shape.style, "d": shape.data]) {
            $0.element("title", text: words)
          }
        }
      }
      var x = Self.left + 6
      for grade in EventScore.Grade.byWeight {
        let count = scores.values.count { $0.grade == grade }
        guard count > 0 else { continue }
        let shape = Self.mark(grade, x: x, y: 24)
        group.empty("path", ["class": shape.style, "d": shape.data])
        let text = "\(count) \(grade.rawValue)"
        group.element("text", ["class": "legend", "x": SVG.place(x + 9), "y": "28"], text: text)
        x += Self.textWidth(text) + 32
      }
    }
    svg.breakLine()
  }

  /// The events with a mark: of each place the worst, and what is linked to.
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
      let place = Int(clamped(x(event.span.lowerBound)) / width)
      if let known = places[place], known.score.grade.weight >= score.grade.weight { continue }
      places[place] = (event, score)
    }
    return (kept + places.values).sorted { $0.event.index < $1.event.index }
  }

  /// The shape of a grade: each differs from all others without its colour.
  private static func mark(
    _ grade: EventScore.Grade, x: Double, y: Double
  ) -> (style: String, data: String) {
    let (x, y) = (SVG.place(x), SVG.place(y))
    return switch grade {
    case .good: ("mark good", "M\(x) \(y)m-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0z")
    case .marginal: ("mark marginal-mark", "M\(x) \(y)m0-4l4.2 7.4h-8.4z")
    case .bad: ("mark bad", "M\(x) \(y)m0-4.6l4.6 4.6-4.6 4.6-4.6-4.6z")
    case .dropped: ("mark dropped", "M\(x) \(y)m-3.5-3.5l7 7m0-7l-7 7")
    case .notMeasured: ("mark unmeasured", "M\(x) \(y)m-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0z")
    }
  }
}
