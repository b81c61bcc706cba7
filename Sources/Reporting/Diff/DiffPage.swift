// SPDX-License-Identifier: Apache-2.0

import Acceptance
import ChangeDetection
import Units

package struct DiffPage {
  typealias Cell = PageTable.Cell

  /// Rows that stand open; what is left is folded.
  private static let openRows = 25
  private static let columns = (chart: 2400, still: 900)

  private let report: DiffReport
  private let charts: ChartLibrary?

  package init(_ report: DiffReport, charts: ChartLibrary? = nil) {
    self.report = report
    self.charts = charts
  }

  /// The HTML document: equal reports and charts give equal bytes.
  package var text: String {
    let first = report.sides[0]
    let others = report.sides.dropFirst().map(\.title).joined(separator: ", ")
    return Markup.page(
      title: "\(report.word): \(first.title) beside \(others)", generator: "haprig",
      style: StyleSheet.page + StyleSheet.chart + StyleSheet.plot,
      skip: (target: "result", text: "Skip to the result"), hasScripts: true
    ) { body in
      body.writePageHeader(
        eyebrow: "haprig diff: runs beside each other", of: subject, on: place,
        verdict: report.verdict, word: report.word, sentence: report.sentence, facts: facts)
      body.element("main") { main in
        writeResult(to: &main)
        for (number, overlay) in report.overlays.enumerated() {
          write(overlay, number: number + 1, to: &main)
        }
        writeProfiles(to: &main)
        for pair in report.pairs { writeAll(of: pair, to: &main) }
        main.writeWords(of: Set(report.all.map(\.key.name.kind)))
      }
      body.writeScripts(charts)
    }
  }

  private var subject: String {
    let plans = report.sides.compactMap { $0.runs.last?.record.plan }.uniqued()
    return plans.joined(separator: " and ")
  }

  private var place: String {
    let rigs = report.sides.compactMap { $0.runs.last?.record.rig }.uniqued()
    return rigs.joined(separator: " and ")
  }

  private var facts: [HeadFact] {
    report.sides.map { side in
      let record = side.runs.last?.record
      return (
        side.label, side.title,
        [side.account, record?.began, record?.profile].compactMap(\.self).joined(separator: " · ")
      )
    }
  }

  private func writeResult(to main: inout Markup) {
    main.writeSection("result", "What differs") { section in
      for pair in report.pairs {
        // Of one pair the head has said it.
        if report.pairs.count > 1 {
          section.element("h3", text: report.names(of: pair))
          section.element("p", ["class": "outcome"], text: report.sentence(of: pair) + ".")
        }
        for note in pair.notes { section.writeWarning(note) }
        section.writeTally(
          [(.beyond, "more than chance"), (.within, "within chance"), (.untold, "cannot be told")]
            .map { (finding: DiffReport.Finding, word) in
              (pair.differences.count { $0.finding == finding }, word)
            })
        let beyond = pair.differences.filter { $0.finding == .beyond }
        writeTable(
          "Readings that differ by more than chance", Array(beyond.prefix(Self.openRows)), pair,
          to: &section)
        if beyond.count > Self.openRows {
          section.writeNote(
            "and \(beyond.count - Self.openRows) more, in the table of all readings below")
        }
        section.writeColumns([
          (
            title: "Common to both",
            facts: [("Cancels in the difference", pair.common.joined(separator: "; "))]
              .filter { !$0.1.isEmpty }
          ),
          (
            title: "Not common",
            facts: [("Counts in the difference", pair.apart.joined(separator: "; "))]
              .filter { !$0.1.isEmpty }
          ),
        ])
        writeEnvironment(of: pair, to: &section)
      }
      section.writeNote(report.method, isWide: true)
      section.writeList("diagnostics", report.absences)
    }
  }

  private func writeEnvironment(of pair: DiffReport.Pair, to section: inout Markup) {
    guard !pair.environment.isEmpty else {
      return section.writeNote("Nothing that the records tell of the environment differs.")
    }
    section.writeTable(
      "What differs in the environment",
      ["What", "\(report.sides[0].label)~", "\(report.sides[pair.side].label)~"],
      pair.environment.map { difference in
        [
          Cell(difference.key), Cell(Count.list(difference.good, atMost: 4)),
          Cell(Count.list(difference.bad, atMost: 4)),
        ]
      })
  }

  private func writeTable(
    _ caption: String, _ differences: [DiffReport.Difference], _ pair: DiffReport.Pair,
    to section: inout Markup
  ) {
    guard !differences.isEmpty else { return }
    // The name in plans and the way to the meaning stand once in a table: in each row they would make it long.
    var named: Set<ReadingName> = []
    section.writeTable(
      caption, label: caption, hidesCaption: true, hasLines: true,
      [
        "Reading", "Pattern", "\(report.sides[0].label)#", "\(report.sides[pair.side].label)#",
        "Difference#", "n#", "Chance#", "Found",
      ],
      differences.map { difference in
        let found = difference.finding == .beyond
        let name = difference.key.name
        let isFirst = named.insert(name).inserted
        return [
          Cell(
            difference.key.short, meaning: isFirst ? name.kind : nil,
            detail: isFirst ? name.description : ""),
          Cell(difference.key.pattern),
          Cell(Shown.typeset(difference.shown(difference.first)), value: difference.first.mean),
          Cell(Shown.typeset(difference.shown(difference.second)), value: difference.second.mean),
          Cell(Shown.typeset(difference.shownDifference), value: difference.difference?.value),
          Cell(difference.shownCount),
          Cell(difference.shownChance, value: difference.difference?.chance),
          found ? Cell(difference.course?.verdict, as: difference.word) : Cell(difference.word),
        ]
      })
    // One sentence stands for many rows.
    for note in differences.compactMap(\.note).uniqued() {
      section.writeNote(
        note.isEmpty ? "" : Shown.plain(note).capitalised + ".", isWide: true)
    }
  }

  private func write(
    _ overlay: DiffReport.Overlay, number: Int, to main: inout Markup
  ) {
    main.writeSection("pattern-\(number)", overlay.pattern) { section in
      section.writeNote(overlay.alignment(report.sides), isWide: true)
      section.writeTable(
        "What the takes differ by", hidesCaption: true,
        ["Take", "Left over#", "Noise alone#", "Level#", "Drive#"],
        overlay.residuals.map { residual in
          [
            Cell("\(report.sides[residual.side].label) less \(report.sides[0].label)"),
            Cell(DiffReport.Overlay.Residual.decibels(residual.response), value: residual.response),
            Cell(DiffReport.Overlay.Residual.decibels(residual.noise), value: residual.noise),
            Cell(DiffReport.Overlay.Residual.decibels(residual.level), value: residual.level),
            Cell(DiffReport.Overlay.Residual.decibels(residual.drive), value: residual.drive),
          ]
        })
      let drawing = FigureDrawing(
        ColumnReduction.reduce(overlay.figure, to: Self.columns.still),
        identifier: "pattern-\(number)-figure-1")
      section.writeTake(
        drawing,
        label: "\(overlay.pattern), \(report.sides.map(\.label).joined(separator: " and "))",
        chart: charts.map { _ in TakeChart(figure: overlay.figure, columns: Self.columns.chart) })
      if number == 1 {
        section.writeNote(
          "Envelopes and responses lie in 20 to 1000 Hz. What is left over is the effective value of the "
            + "difference over that of \(report.sides[0].label); noise alone is the same before the pattern "
            + "begins.", isWide: true)
      }
    }
  }

  private func writeProfiles(to main: inout Markup) {
    let plots = DiffPlots(report: report).all
    guard !plots.isEmpty else { return }
    main.writeSection("profiles", "Profiles and actuators") { section in
      section.writePictures(plots)
    }
  }

  private func writeAll(of pair: DiffReport.Pair, to main: inout Markup) {
    let names = report.names(of: pair)
    main.writeSection("readings-\(pair.side)", "All readings of \(names)") { section in
      section.writeDetails("\(Count.of(pair.differences.count, "reading"))") { details in
        writeTable("All readings of \(names)", pair.differences, pair, to: &details)
      }
      for (side, keys) in [
        (report.sides[0].label, pair.onlyFirst), (report.sides[pair.side].label, pair.onlySecond),
      ] where !keys.isEmpty {
        section.writeDetails("\(Count.of(keys.count, "reading")) measured of \(side) only") {
          $0.writeList("diagnostics", keys.map(\.long))
        }
      }
    }
  }
}
