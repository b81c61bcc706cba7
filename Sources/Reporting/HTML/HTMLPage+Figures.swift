import Acceptance

extension HTMLPage {
  /// Writes the picture of a take: still for readers without scripts and for paper, and the data of the chart.
  ///
  /// Where scripts run, what stands in `noscript` is text that costs nothing until the picture comes into
  /// view.
  func write(_ figure: TakeFigure, _ identifier: String, to section: inout Markup) {
    let scores = summary.events.events(of: figure.pattern, take: figure.take)
    let drawing = FigureDrawing(
      ColumnReduction.reduce(figure, to: columns.still), identifier: identifier, scores: scores,
      linked: Set(
        summary.events.worst(of: figure.pattern).filter { $0.take == figure.take }.map(\.event)))
    let label = "\(figure.pattern), take \(figure.take)"
    section.element(
      "figure",
      [
        "class": "take", "data-label": label, "data-desc": drawing.description,
        "data-name": identifier,
      ]
    ) { box in
      box.element("noscript") { still in
        still.writeScroller("Picture of \(label)") { drawing.write(to: &$0) }
      }
      guard charts != nil else { return }
      box.element("script", ["type": "application/json"]) {
        $0.writeVerbatim(TakeChart(figure: figure, columns: columns.chart, scores: scores).text)
      }
    }
    section.breakLine()
  }
}
