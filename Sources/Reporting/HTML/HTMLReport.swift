package import Acceptance
import Actuators
import Units

/// A run as one page that opens without a network: the result first, then all that it rests on.
package enum HTMLReport {
  /// The page, with figures of its takes in any order and what zoomable charts are drawn by, if anything.
  ///
  /// The page holds its style sheet, its pictures and its scripts, and asks for nothing else: its policy
  /// forbids it. It is whole without scripts; with them pictures are drawn when they come into view, and
  /// with the chart library they can be zoomed. Figures of patterns that the record does not have are left
  /// out. Equal arguments give equal bytes. Linear in readings and columns.
  package static func text(
    record: RunRecord, figures: [TakeFigure], charts: ChartLibrary? = nil
  ) -> String {
    HTMLPage(record: record, figures: figures, charts: charts).text
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

  func figures(of pattern: String) -> [TakeFigure] { figures[pattern] ?? [] }

  func readings(of pattern: String?) -> [Reading] { readings[pattern] ?? [] }

  var text: String {
    Markup.page(
      title: "\(record.verdict.rawValue): \(record.plan.name) on \(record.rig.name)",
      generator: record.run.software, style: StyleSheet.page + StyleSheet.chart + StyleSheet.plot,
      skip: (target: "result", text: "Skip to the result"), hasScripts: true
    ) { body in
      writeHeader(to: &body)
      body.element("main") { main in
        writeResult(to: &main)
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

  /// Writes what was run on what, how rig, timing and feel came out, and what made them so.
  private func writeHeader(to body: inout Markup) {
    body.writePageHeader(
      eyebrow: "haprig run \(record.header.folder)", of: record.plan.name, on: record.rig.name,
      verdict: summary.shownVerdict, word: record.verdict.rawValue, sentence: summary.sentence,
      facts: headFacts.filter { !$0.value.isEmpty }
    ) { header in
      header.element("ul", ["class": "verdicts", "aria-label": "Verdicts"]) { list in
        for aspect in summary.verdicts {
          list.element("li") { item in
            item.writeBadge(
              aspect.verdict.verdict, as: aspect.verdict.word, of: aspect.title,
              title: "\(aspect.title): \(aspect.reason)")
            item.element("p", text: aspect.reason)
          }
        }
      }
      guard let interruption = summary.interruption else { return }
      header.element("p", ["class": "alert", "role": "note"]) { alert in
        alert.element("strong", text: record.run.status.rawValue)
        alert.write(" \(interruption)")
      }
    }
  }

  private var headFacts: [HeadFact] {
    let (run, plan, actuator) = (record.run, record.plan, record.actuator)
    let rate = EngineeringFormat.text(record.rig.rate, .hertz)
    let level = EngineeringFormat.text(run.referenceLevel, .decibel)
    let plays = "each pattern \(Count.of(plan.repeats, "time"))"
    let laws = [run.laws["intensity"], run.laws["sharpness"]].compactMap(\.self)
    return [
      ("Rig", record.rig.name, "\(record.rig.device), \(rate)"),
      ("Actuator", actuator.id, "\(actuator.model), \(actuator.kind.rawValue)"),
      ("Plan", plan.name, "\(plays), \(Count.of(plan.limits.count, "limit"))"),
      (
        "Date", record.header.date,
        "\(record.header.host), took \(Shown.seconds(record.header.duration))"
      ),
      (
        "Calibration", String(run.calibration.prefix { $0 != "," }),
        "intensity 1 is \(level) above threshold"
      ),
      ("Laws", laws.joined(separator: ", "), "intensity, sharpness"),
      ("Software", run.software, "seed \(run.seed)"),
    ]
  }
}
