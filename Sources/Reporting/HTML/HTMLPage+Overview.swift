// SPDX-License-Identifier: Apache-2.0

import Acceptance

extension HTMLPage {
  /// How many patterns the overview shows on a screen; paper, on which nothing can be unfolded, has all.
  private static let shownAtOnce = 24

  /// Writes what was wanted and what was felt of every pattern, side by side: no other picture shows a whole run at
  /// one glance, and this one needs no word of the trade.
  func writeOverview(to section: inout Markup) {
    let drawn = drawn
    let shown = shown(of: drawn)
    // What has a page of its own has its picture there: no more are made than are shown.
    let strips = strips(of: isSplit ? drawn.filter(shown.contains) : drawn)
    guard !strips.isEmpty else { return }
    section.element("h3", text: "Wanted and felt")
    section.element("div", ["class": "overview"]) { grid in
      for (number, strip) in strips {
        let row = summary.patterns[number - 1]
        grid.element("figure", ["class": shown.contains(number) ? nil : "paper"]) { figure in
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
    guard shown.count < drawn.count else { return }
    section.writeNote(
      "\(shown.count) of \(drawn.count) patterns, those that failed before all; "
        + (isSplit ? "each has a page of its own." : "paper shows all."))
  }

  /// The pictures of the overview that stand on a screen, with the numbers of their patterns.
  var picturedStrips: [(number: Int, strip: EnvelopeStrip)] {
    let drawn = drawn
    return strips(of: drawn.filter(shown(of: drawn).contains))
  }

  /// The numbers of the patterns of which there is a picture.
  private var drawn: [Int] {
    record.patterns.indices.filter { !figures(of: record.patterns[$0].name).isEmpty }.map { $0 + 1 }
  }

  private func strips(of numbers: [Int]) -> [(number: Int, strip: EnvelopeStrip)] {
    let columns = record.patterns.count <= 40 ? 160 : 60
    return numbers.compactMap { number in
      let pattern = record.patterns[number - 1]
      guard let figure = figures(of: pattern.name).first else { return nil }
      let strip = EnvelopeStrip(
        figure, identifier: "overview-\(number)", columns: columns,
        scores: summary.events.events(of: pattern.name, take: figure.take))
      return strip.map { (number, $0) }
    }
  }

  /// Which of some patterns stand on a screen: those that failed, then the first.
  private func shown(of numbers: [Int]) -> Set<Int> {
    let failed = numbers.filter { record.patterns[$0 - 1].verdict == .fail }
    return Set((failed + numbers).uniqued().prefix(Self.shownAtOnce))
  }

  /// What the pictures show, in words.
  var overviewNote: String {
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
