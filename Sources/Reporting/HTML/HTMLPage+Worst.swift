import Acceptance

extension HTMLPage {
  /// Writes the events that are farthest off, each with a link to its place on the time axis.
  func writeWorst(_ scores: [EventScore], title: String, to section: inout Markup) {
    guard !scores.isEmpty else { return }
    section.element("h3", text: title)
    section.element("ul", ["class": "reasons"]) { list in
      for score in scores {
        list.element("li") { item in
          item.writeBadge(score.grade.verdict, word: score.grade.rawValue)
          let take = score.take > 1 ? ", take \(score.take)" : ""
          item.element(
            "a", ["class": "subject", "href": "#\(place(of: score))"],
            text: "\(score.pattern)\(take), \(score.name)")
          item.element("span", ["class": "detail"], text: score.words)
        }
      }
    }
  }

  /// The identifier of an event's mark in its picture; of its pattern where the page has no such picture.
  func place(of score: EventScore) -> String {
    let number = record.patterns.firstIndex { $0.name == score.pattern } ?? 0
    let pattern = "pattern-\(number + 1)"
    let figures = shownFigures(of: score.pattern)
    guard
      let index = figures.firstIndex(where: { figure in
        figure.take == score.take && figure.events.contains { $0.index == score.event }
      })
    else { return pattern }
    return FigureDrawing.identifier(
      ofEvent: score.event, in: Self.name(ofFigure: index, pattern))
  }
}
