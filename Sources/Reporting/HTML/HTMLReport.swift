public import Acceptance

/// A run as one page that opens without a network: the result first, then all that it rests on.
public enum HTMLReport {
  /// Writes the page.
  ///
  /// The page holds its style sheet and its pictures; nothing on it needs a script. Equal records
  /// and figures give equal bytes. Linear in readings and columns.
  ///
  /// - Parameters:
  ///   - record: The run.
  ///   - figures: The pictures of its takes in any order; those of patterns that the record does
  ///     not have are left out.
  /// - Returns: The HTML document.
  public static func text(record: RunRecord, figures: [TakeFigure]) -> String {
    let page = HTMLPage(record: record, figures: figures)
    var markup = Markup()
    page.write(to: &markup)
    return markup.text
  }
}

/// A report in the making: the record, and what several of its parts need of it.
struct HTMLPage {
  let record: RunRecord
  let summary: RunSummary
  private let figures: [String: [TakeFigure]]
  private let readings: [String?: [Reading]]

  init(record: RunRecord, figures: [TakeFigure]) {
    self.record = record
    summary = RunSummary(record)
    self.figures = Dictionary(grouping: figures, by: \.pattern)
    readings = Dictionary(grouping: record.readings, by: \.shownPattern)
  }

  /// The figures of a pattern in the order of its takes.
  func figures(of pattern: String) -> [TakeFigure] {
    (figures[pattern] ?? []).sorted { $0.take < $1.take }
  }

  /// The readings of a pattern, or those of the run, in the order of the record.
  func readings(of pattern: String?) -> [Reading] { readings[pattern] ?? [] }

  func write(to markup: inout Markup) {
    markup.writePage(
      title: "\(record.verdict.rawValue): \(record.plan.name) on \(record.rig.name)",
      generator: record.run.software, style: Self.styleSheet,
      skip: (target: "result", text: "Skip to the result")
    ) { body in
      writeHeader(to: &body)
      body.element("main") { main in
        writeSummary(to: &main)
        for (index, pattern) in record.patterns.enumerated() {
          write(pattern, number: index + 1, to: &main)
        }
        writeRunReadings(to: &main)
        writeProvenance(to: &main)
      }
      body.breakLine()
      body.element("script") { $0.writeVerbatim(Self.cursorScript) }
    }
  }
}

extension Markup {
  /// Writes what a wide table stands in, so that it scrolls by itself on a narrow page.
  mutating func writeScroller(_ label: String, _ content: (inout Markup) -> Void) {
    element("div", ["class": "scroll", "role": "region", "tabindex": "0", "aria-label": label]) {
      content(&$0)
    }
    breakLine()
  }
}
