// SPDX-License-Identifier: Apache-2.0

import Acceptance

extension HTMLPage {
  /// How many patterns the overview shows on a screen; paper, on which nothing can be unfolded, has all.
  private static let shownAtOnce = 24

  /// Writes what was wanted and what was felt of every pattern, side by side: no other picture shows a whole run at
  /// one glance, and this one needs no word of the trade.
  func writeOverview(to section: inout Markup) {
    let strips = strips
    guard !strips.isEmpty else { return }
    let shown = shownPlaces(of: strips.map(\.number))
    section.element("h3", text: "Wanted and felt")
    section.element("div", ["class": "overview"]) { grid in
      for (place, (number, strip)) in strips.enumerated() where !isSplit || shown.contains(place) {
        let row = summary.patterns[number - 1]
        grid.element("figure", ["class": shown.contains(place) ? nil : "paper"]) { figure in
          strip.write(description: PatternSentence.text(row), to: &figure)
          figure.element("figcaption") { caption in
            let place = isSplit ? Self.file(ofPattern: number) : "#pattern-\(number)"
            caption.element("a", ["href": place], text: row.pattern.name)
            if let verdict = row.pattern.verdict { caption.writeBadge(verdict) }
          }
        }
        grid.breakLine()
      }
    }
    section.writeNote(overviewNote, isWide: true)
    guard shown.count < strips.count else { return }
    section.writeNote(
      "\(shown.count) of \(strips.count) patterns, those that failed before all; "
        + (isSplit ? "each has a page of its own." : "paper shows all."))
  }

  private var strips: [(number: Int, strip: EnvelopeStrip)] {
    let columns = record.patterns.count <= 40 ? 160 : 60
    return record.patterns.enumerated().compactMap { index, pattern in
      guard let figure = figures(of: pattern.name).first else { return nil }
      let strip = EnvelopeStrip(
        figure, identifier: "overview-\(index + 1)", columns: columns,
        scores: summary.events.events(of: pattern.name, take: figure.take))
      return strip.map { (index + 1, $0) }
    }
  }

  /// Which of some patterns stand on a screen: those that failed, then the first.
  private func shownPlaces(of numbers: [Int]) -> Set<Int> {
    let failed = numbers.indices.filter { record.patterns[numbers[$0] - 1].verdict == .fail }
    return Set((failed + Array(numbers.indices)).uniqued().prefix(Self.shownAtOnce))
  }

  private var overviewNote: String {
    let moved =
      record.hasProfile
      ? ""
      : ", moved by the mean level error, since without a profile nobody knows how loud it should be"
    return """
      How strong each pattern was, in m/s² over seconds, in its first take. Dashed: what it asks for\(moved); the \
      band around it is what people do not tell apart. Solid: what the sensor felt. Signs on the upper edge mark \
      events that are off: a triangle by up to two noticeable steps, a diamond by more, a cross where nothing came.
      """
  }
}
