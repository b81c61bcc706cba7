public import Acceptance

/// A run as one page that opens without a network: the result first, then all that it rests on.
public enum HTMLReport {
  /// Writes the page.
  ///
  /// The page holds its style sheet, its pictures and its scripts, and asks for nothing else: its policy
  /// forbids it. It is whole without scripts; with them pictures are drawn when they come into view, and
  /// with the chart library they can be zoomed. Equal arguments give equal bytes. Linear in readings and
  /// columns.
  ///
  /// - Parameters:
  ///   - record: The run.
  ///   - figures: The pictures of its takes in any order; those of patterns that the record does
  ///     not have are left out.
  ///   - charts: What zoomable charts are drawn by; `nil` for still pictures.
  /// - Returns: The HTML document.
  public static func text(
    record: RunRecord, figures: [TakeFigure], charts: ChartLibrary? = nil
  ) -> String {
    let page = HTMLPage(record: record, figures: figures, charts: charts)
    var markup = Markup()
    page.write(to: &markup)
    return markup.text
  }
}

/// A report in the making: the record, and what several of its parts need of it.
struct HTMLPage {
  let record: RunRecord
  let summary: RunSummary
  let charts: ChartLibrary?
  /// Columns of a trace on the page: fewer where there are many pictures.
  let columns: (chart: Int, still: Int)
  private let figures: [String: [TakeFigure]]
  private let readings: [String?: [Reading]]

  init(record: RunRecord, figures: [TakeFigure], charts: ChartLibrary?) {
    self.record = record
    self.charts = charts
    summary = RunSummary(record)
    let names = Set(record.patterns.map(\.name))
    let shown = figures.filter { names.contains($0.pattern) }
    columns = shown.count <= 40 ? (2400, 900) : (600, 300)
    self.figures = Dictionary(grouping: shown, by: \.pattern)
      .mapValues { $0.sorted { $0.take < $1.take } }
    readings = Dictionary(grouping: record.readings, by: \.shownPattern)
  }

  /// The figures of a pattern in the order of its takes.
  func figures(of pattern: String) -> [TakeFigure] { figures[pattern] ?? [] }

  /// The first picture of the run that tells what the actuator answers to an impulse.
  var firstImpulse: (figure: TakeFigure, response: TakeFigure.ImpulseResponse)? {
    for pattern in record.patterns {
      for figure in figures(of: pattern.name) {
        if let impulse = figure.impulse { return (figure, impulse) }
      }
    }
    return nil
  }

  /// The readings of a pattern, or those of the run, in the order of the record.
  func readings(of pattern: String?) -> [Reading] { readings[pattern] ?? [] }

  func write(to markup: inout Markup) {
    markup.writePage(
      title: "\(record.verdict.rawValue): \(record.plan.name) on \(record.rig.name)",
      generator: record.run.software,
      style: StyleSheet.page + StyleSheet.chart + StyleSheet.plot,
      skip: (target: "result", text: "Skip to the result"), hasScripts: true
    ) { body in
      writeHeader(to: &body)
      body.element("main") { main in
        writeSummary(to: &main)
        for (index, pattern) in record.patterns.enumerated() {
          write(pattern, number: index + 1, to: &main)
        }
        writeTiming(to: &main)
        writeRunReadings(to: &main)
        writeProvenance(to: &main)
      }
      body.breakLine()
      if let charts {
        body.element("script", ["id": ChartLibrary.identifier]) { $0.writeVerbatim(charts.script) }
        body.breakLine()
      }
      body.element("script") { $0.writeVerbatim(PageScript.text) }
    }
  }
}
