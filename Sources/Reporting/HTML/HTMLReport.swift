// SPDX-License-Identifier: Apache-2.0

package import Acceptance
import Actuators
import Perception
import Units

package enum HTMLReport {
  /// The page, which holds its style sheet, pictures and scripts and asks for nothing else, and is whole
  /// without scripts.
  ///
  /// Figures may come in any order; those of patterns that the record does not have are left out. Equal
  /// arguments give equal bytes. Linear in readings and columns.
  package static func text(
    record: RunRecord, figures: [TakeFigure], charts: ChartLibrary? = nil
  ) -> String {
    let page = HTMLPage(record: record, figures: figures, charts: charts)
    return record.imported.map(page.text) ?? page.text
  }

  /// The folder of the pages of a large run's patterns, beside its own.
  package static let folder = "report"

  /// The script that the charts of those pages are drawn by, where they have any.
  package static let chartsFile = folder + "/charts.js"

  /// The files of a report: the run's page, and for a run of many patterns a page for each of them.
  ///
  /// A pattern's page shows its pictures and readings. No page needs another; those of patterns ask for the
  /// script of their charts and do without it.
  package static func pages(
    record: RunRecord, figures: [TakeFigure], charts: ChartLibrary? = nil
  ) -> [(name: String, text: String)] {
    let page = HTMLPage(record: record, figures: figures, charts: charts)
    let main = (name: "report.html", text: record.imported.map(page.text) ?? page.text)
    guard page.isSplit, record.imported == nil else { return [main] }
    let patterns = record.patterns.enumerated().map { index, pattern in
      (
        name: HTMLPage.file(ofPattern: index + 1),
        text: page.text(of: pattern, number: index + 1)
      )
    }
    return [main] + patterns + (charts.map { [(name: chartsFile, text: $0.script)] } ?? [])
  }

  /// A pattern's page with the script of its charts in it, for a sandbox that can ask for no file beside the page.
  ///
  /// A page that asks for none stays as it is.
  package static func page(_ page: [UInt8], holding charts: ChartLibrary) -> [UInt8] {
    let tag = Array("<script src=\"charts.js\"></script>".utf8)
    // Near the end, after the pictures.
    guard let place = page.indices.last(where: { page[$0...].starts(with: tag) }) else {
      return page
    }
    return page[..<place] + Array("<script>".utf8) + Array(charts.script.utf8)
      + Array("</script>".utf8) + page[(place + tag.count)...]
  }
}

struct HTMLPage {
  typealias Cell = PageTable.Cell

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
        if !isSplit {
          for (index, pattern) in record.patterns.enumerated() {
            write(pattern, number: index + 1, to: &main)
          }
        }
        writeTiming(to: &main)
        writeRunReadings(to: &main)
        writeProvenance(to: &main)
      }
      body.writeScripts(isSplit ? nil : charts)
    }
  }

  private func writeHeader(to body: inout Markup) {
    body.writePageHeader(
      eyebrow: "haprig run \(record.header.folder)", of: record.plan.name, on: record.rig.name,
      verdict: summary.shownVerdict, word: record.verdict.rawValue, sentence: summary.sentence,
      facts: headFacts.filter { !$0.value.isEmpty },
      terms: [
        "Profile": .profile, "Intensity 1 is": .referenceLevel,
        "Sharpness 0 to 1 is": .sharpnessLaw,
      ]
    ) { header in
      header.element(
        "ul", ["class": "verdicts", "aria-label": "Verdicts"], each: summary.verdicts
      ) { list, aspect in
        list.element("li") { item in
          item.writeBadge(
            aspect.verdict.verdict, as: aspect.verdict.word, of: aspect.title,
            title: "\(aspect.title): \(aspect.reason)")
          item.element("p", text: aspect.reason)
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
    let law = run.laws["sharpness"].flatMap(SharpnessLaw.named)
    let ends = law.map { law in [0, 1].map { Shown.number(law.frequency(of: $0)) } }
    return [
      ("Rig", record.rig.name, "\(record.rig.device), \(rate)"),
      ("Actuator", actuator.id, "\(actuator.model), \(actuator.kind.words)"),
      ("Plan", plan.name, "\(plays), \(Count.of(plan.limits.count, "limit"))"),
      (
        "Date", record.header.date,
        "\(record.header.host), took \(Shown.seconds(record.header.duration))"
      ),
      (
        "Profile", record.hasProfile ? String(run.calibration.prefix { $0 != "," }) : "none",
        record.hasProfile ? "from the actuator's calibration" : "uncalibrated"
      ),
      (
        "Intensity 1 is", "\(level) above the threshold of feeling",
        run.laws["intensity"].map { "law \($0)" } ?? ""
      ),
      (
        "Sharpness 0 to 1 is",
        ends.map { "\($0[0]) to \($0[1]) Hz" } ?? run.laws["sharpness"] ?? "",
        run.laws["sharpness"].map { "law \($0)" } ?? ""
      ),
      ("Software", run.software, "seed \(run.seed)"),
    ]
  }
}

extension HTMLPage {
  func writeResult(to main: inout Markup) {
    main.writeSection("result", "Result") { section in
      writeFirstFailure(to: &section)
      writeOverview(to: &section)
      for warning in ActuatorReach.warnings(summary.patterns) { section.writeWarning(warning) }
      writeWorst(summary.events.worst(), to: &section)
      section.element("h3", text: "All patterns")
      if isSplit {
        section.writeNote(
          """
          Each pattern has a page of its own with its pictures and readings, in the folder \
          \(HTMLReport.folder) beside this page: open it by its name. Print it by itself, too.
          """)
      }
      writePatterns(to: &section)
      writeReasons(to: &section)
      section.element("h3", text: "All readings")
      let counts = [Verdict.pass, .marginal, .fail, .notMeasured].map { verdict in
        (record.readings.count { $0.verdict == verdict }, verdict.rawValue)
      }
      section.writeTally(
        counts + [(record.readings.count { $0.verdict == nil }, "without a limit")])
      section.writeNote(Self.summaryNote)
      for (note, patterns) in PatternSummary.incompleteHarmonies(summary.patterns) {
        section.writeNote("* Harmony index of \(patterns.joined(separator: ", ")): \(note).")
      }
    }
  }

  /// Writes what failed first as the takes were played; of what was read of a pattern or the run as a whole,
  /// what stands first.
  private func writeFirstFailure(to section: inout Markup) {
    guard let (reading, place) = firstFailure else { return }
    section.element("p", ["class": "failure"]) { text in
      text.element("strong", text: "Failed first: ")
      text.write(RunSummary.subject(of: reading))
      let value = Shown.value(of: reading, summary.scatter).map(Shown.typeset) ?? ""
      text.write(", \(value)")
      if let limit = reading.limit { text.write("; asked: \(limit)") }
      if let place { text.write(". Take \(place) of \(summary.takeCount) as played.") }
    }
  }

  private var firstFailure: (reading: Reading, place: Int?)? {
    var places: [String: [Int: Int]] = [:]
    for pattern in record.patterns {
      for take in pattern.takes { places[pattern.name, default: [:]][take.number] = take.place }
    }
    let failed = record.readings.filter { $0.verdict == .fail && $0.value != nil }.map { reading in
      (reading: reading, place: reading.take.flatMap { places[reading.pattern ?? ""]?[$0] })
    }
    return failed.min { ($0.place ?? .max) < ($1.place ?? .max) }
  }

  /// Writes links to events; those of the pattern that they stand beside need no page before them.
  func writeWorst(
    _ scores: [EventScore], isBeside: Bool = false, to section: inout Markup
  ) {
    section.writeFindings(
      "Worst events",
      scores.map { score in
        let take = score.take > 1 ? ", take \(score.take)" : ""
        return FindingLine(
          verdict: score.grade.verdict, word: score.grade.rawValue,
          subject: "\(score.pattern)\(take), \(score.name)",
          link: (isBeside ? "" : address(ofPattern: score.pattern)) + "#\(place(of: score))",
          detail: score.words)
      })
  }

  /// The identifier of an event's mark in its picture; of its pattern where the page has no such picture.
  private func place(of score: EventScore) -> String {
    let number = record.patterns.firstIndex { $0.name == score.pattern } ?? 0
    let pattern = "pattern-\(number + 1)"
    let index = shownFigures(of: score.pattern).firstIndex { figure in
      figure.take == score.take && figure.events.contains { $0.index == score.event }
    }
    guard let index else { return pattern }
    return FigureDrawing.identifier(ofEvent: score.event, in: Self.name(ofFigure: index, pattern))
  }

  private struct Column {
    let title: String
    /// The reading whose meaning its head leads to, where it is a single one's.
    var kind: ReadingKind?
    var scale = 1.0
    let headline: @Sendable (PatternSummary) -> Headline?
  }

  private static let harmony = "Harmony index"
  private static let columns = [
    Column(title: "Latency, ms", kind: .latencyTransport, scale: 1e3) { $0.latency },
    Column(title: "Sync, ms", kind: .syncAudioHaptic, scale: 1e3) { $0.sync },
    Column(title: "Level error, dB", kind: .intensityError) {
      $0.isCalibrated ? $0.intensityError : nil
    },
    Column(title: "Contrast error, dB", kind: .intensityContrast) { $0.contrast },
    Column(title: "Sharpness error, octave", kind: .sharpnessError) { $0.sharpnessError },
    Column(title: "Out of reach, %", kind: .gamutOutside, scale: 100) { $0.reach?.outside },
    Column(title: "Held at peak, ms", kind: .profileLimited, scale: 1e3) { $0.reach?.heldTime },
    Column(title: harmony, kind: .harmony) { $0.harmony },
  ]

  private func writePatterns(to section: inout Markup) {
    let rows = summary.patterns
    let columns = Self.columns.filter { column in rows.contains { column.headline($0) != nil } }
    let hasScores = rows.contains { $0.scored != nil }
    let known = Set(record.readings.map(\.name.kind))
    func head(_ title: String, _ kind: ReadingKind?) -> PageTable.Column {
      var column = PageTable.Column(marked: title)
      column.meaning = kind.flatMap { kind in
        known.contains(kind)
          ? ("#" + Self.identifier(ofMeaning: kind), kind.explanation) : nil
      }
      return column
    }
    let heads =
      [head("Pattern", nil), head("Verdict", nil)]
      + (hasScores ? [head("Events scored#", .eventsScored)] : [])
      + columns.map { head("\($0.title)#", $0.kind) }
    let table = PageTable(
      caption: "Summary of all patterns", hidesCaption: true, style: "summary", columns: heads)
    table.write(to: &section) { box in
      for (index, summary) in rows.enumerated() {
        var cells = [
          Cell(
            summary.pattern.name,
            link: isSplit ? Self.file(ofPattern: index + 1) : "#pattern-\(index + 1)"),
          Self.cell(summary.pattern.verdict),
        ]
        if hasScores { cells.append(Self.cell(summary.scored)) }
        cells += columns.map { Self.cell($0, summary) }
        box.element("tbody") { body in
          table.write(cells, to: &body)
          body.element("tr", ["class": "outcome"]) { row in
            row.element("td", ["colspan": "\(heads.count)"]) {
              $0.element("div", text: PatternSentence.text(summary))
            }
          }
        }
        box.breakLine()
      }
    }
  }

  private static func cell(_ verdict: Verdict?) -> Cell {
    verdict.map { Cell($0) } ?? Cell { $0.writeAbsence("not judged") }
  }

  private static func cell(_ scored: PatternSummary.Scored?) -> Cell {
    scored.map { Cell($0.short) } ?? Cell { $0.writeAbsence("–") }
  }

  private static func cell(_ column: Column, _ summary: PatternSummary) -> Cell {
    guard let headline = column.headline(summary) else {
      return Cell { $0.writeAbsence("–", title: "no such reading") }
    }
    guard let value = headline.value else {
      return Cell { $0.writeAbsence("not measured") }
    }
    let text = EngineeringFormat.text(
      value * column.scale, .one, uncertainty: headline.uncertainty.map { $0 * column.scale },
      finest: headline.unit.finest * column.scale)
    guard column.title == harmony else { return Cell(text) }
    let spread = headline.differencesUncertainty.map {
      "± \(Shown.points($0)) by differences"
    }
    return Cell(headline.note != nil ? text + " *" : text, detail: spread ?? "")
  }

  private static let summaryNote = """
    Latency (how long after the command the response starts, the electrical delay removed) and the harmony \
    index (1 to 100 points) are means of the takes, sync is the value farthest from zero, level, contrast and \
    sharpness errors are root mean squares over events; contrast is what is left of the level errors once \
    their mean is taken off. Out of reach is the share of the intent that the actuator does not reach under \
    its profile. ± is one standard uncertainty, no less than the same reading scatters over the takes; what published \
    just noticeable differences leave open of an index stands apart, for it is the same in every run. \
    What was not measured says why in its row, and spoils the verdict only where a limit requires it; a \
    reading without a limit is shown and not judged.
    """

  private func writeReasons(to section: inout Markup) {
    let shown = 20
    section.writeFindings(
      "What to look at",
      summary.reasons.prefix(shown).map { reason in
        FindingLine(
          verdict: reason.verdict, word: reason.verdict.rawValue, subject: reason.subject,
          detail: reason.detail)
      })
    if summary.reasons.count > shown {
      section.writeNote("and \(summary.reasons.count - shown) more, marked in the tables below")
    }
  }
}
