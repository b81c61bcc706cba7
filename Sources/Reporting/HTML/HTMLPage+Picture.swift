// SPDX-License-Identifier: Apache-2.0

package import Acceptance

extension HTMLReport {
  /// The file of a run's picture, beside its page.
  package static let pictureFile = "picture.svg"

  /// What a run's patterns were to be and how they were felt, as a picture file: the overview of the page, for what
  /// shows no page, such as a chat or the list of a CI's results.
  ///
  /// Nil where no take has an envelope to draw. Equal arguments give equal bytes.
  package static func picture(record: RunRecord, figures: [TakeFigure]) -> String? {
    HTMLPage(record: record, figures: figures, charts: nil).picture
  }
}

extension HTMLPage {
  private static let margin = 24.0
  private static let gap = (x: 18.0, y: 34.0)
  private static let head = 122.0

  var picture: String? {
    let cells = picturedStrips
    guard !cells.isEmpty else { return nil }
    let size = EnvelopeStrip.size
    let columns = min(cells.count, 3)
    let rows = (cells.count + columns - 1) / columns
    let step = (x: size.width + Self.gap.x, y: size.height + Self.gap.y)
    // The head is written over three strips, however few there are.
    let width = 2 * Self.margin + 3 * step.x - Self.gap.x
    let height = Self.head + Double(rows) * step.y + Self.margin
    var picture = Markup()
    picture.element(
      "svg",
      [
        "xmlns": "http://www.w3.org/2000/svg", "width": SVG.place(width),
        "height": SVG.place(height), "viewBox": "0 0 \(SVG.place(width)) \(SVG.place(height))",
        "role": "img", "aria-labelledby": "picture-title",
      ]
    ) { svg in
      svg.element("title", ["id": "picture-title"], text: "\(pictureTitle): \(summary.sentence)")
      svg.element("style") { $0.writeVerbatim(Palette.inPlace(Self.pictureStyle)) }
      svg.drawRectangle("ground", x: 0, y: 0, width: width, height: height)
      svg.drawText(
        TerminalStyle.plain(pictureTitle, width: 76), "heading", x: Self.margin, y: 36)
      svg.drawText(
        record.verdict.rawValue, Markup.style(of: summary.shownVerdict), x: width - Self.margin,
        y: 36, anchor: .end)
      for (line, text) in legend(shown: cells.count).enumerated() {
        svg.drawText(text, x: Self.margin, y: 58 + 16 * Double(line))
      }
      for (place, cell) in cells.enumerated() {
        let left = Self.margin + Double(place % columns) * step.x
        let top = Self.head + Double(place / columns) * step.y
        let row = summary.patterns[cell.number - 1]
        svg.drawText(
          TerminalStyle.plain(row.pattern.name, width: 34), "name", x: left, y: top + 10)
        if let verdict = row.pattern.verdict {
          svg.drawText(
            verdict.rawValue, Markup.style(of: verdict), x: left + size.width, y: top + 10,
            anchor: .end)
        }
        cell.strip.write(
          description: PatternSentence.text(row), at: (left, top + 12), to: &svg)
        svg.breakLine()
      }
    }
    picture.breakLine()
    return picture.text
  }

  private func legend(shown: Int) -> [String] {
    let count = record.patterns.count
    return TerminalStyle.wrapped(overviewNote, indent: "", width: 160)
      + (shown < count ? ["\(shown) of \(count) patterns, those that failed first."] : [])
  }

  private var pictureTitle: String { "\(record.plan.name) on \(record.rig.name)" }

  /// The page's signs and colours; fonts are named by kind, since a picture brings none.
  private static let pictureStyle = """
    text { font: 11px sans-serif; fill: var(--muted); }
    .heading { font-size: 20px; font-weight: 650; fill: var(--ink); }
    .name { font-size: 13px; font-weight: 600; fill: var(--ink); }
    .pass, .marginal, .missing, .fail, .unjudged { font-size: 13px; font-weight: 600; }
    .pass { fill: var(--pass); } .marginal { fill: var(--marginal); }
    .missing { fill: var(--missing); } .fail { fill: var(--fail); }
    path, .frame { fill: none; }
    .ground { fill: var(--surface); }
    .grid { stroke: var(--grid); } .frame { stroke: var(--rule); }
    .curve { stroke: var(--drive); stroke-width: 1.5; stroke-linejoin: round; }
    .band { stroke: var(--response); stroke-width: 0.9; fill: var(--response); fill-opacity: 0.45; }
    .trace-target { stroke: var(--intensity); stroke-dasharray: 6 3; }
    .trace-measured { stroke: var(--response); }
    .trace-tolerance { stroke: none; fill: var(--intensity); fill-opacity: 0.2; }
    .mark { stroke: var(--surface); stroke-width: 1; }
    .marginal-mark { fill: var(--marginal); } .bad { fill: var(--fail); }
    .dropped { stroke: var(--fail); stroke-width: 2.4; }

    """
}
