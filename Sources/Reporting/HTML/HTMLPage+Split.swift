// SPDX-License-Identifier: Apache-2.0

import Acceptance

/// The pages of a run of many patterns: one for the run, and one for each pattern.
extension HTMLPage {
  /// Up to how many patterns stand on the run's own page.
  ///
  /// A page of 1,000 had 74 MB and a million elements.
  static let mostTogether = 100

  var isSplit: Bool { record.patterns.count > Self.mostTogether }

  /// Where a pattern's page lies from the run's, by the pattern's number from 1.
  static func file(ofPattern number: Int) -> String {
    "\(HTMLReport.folder)/pattern-\(number).html"
  }

  /// What stands before a link's mark to lead from the run's page to where a pattern is.
  func address(ofPattern name: String) -> String {
    guard isSplit, let index = record.patterns.firstIndex(where: { $0.name == name }) else {
      return ""
    }
    return Self.file(ofPattern: index + 1)
  }

  /// The page that says what readings mean, from where those of a pattern are.
  var meanings: String { isSplit ? "../report.html" : "" }

  /// The page of one pattern, which shows what the run's page of a small run shows in a section.
  func text(of pattern: RunRecord.Pattern, number: Int) -> String {
    let summary = summary.patterns[number - 1]
    let identifier = "pattern-\(number)"
    let hasCharts = charts != nil && !figures(of: pattern.name).isEmpty
    return Markup.page(
      title: "\(pattern.name): \(record.plan.name) on \(record.rig.name)",
      generator: record.run.software, style: StyleSheet.page + StyleSheet.chart + StyleSheet.plot,
      skip: (target: identifier, text: "Skip to the pattern"), hasScripts: true,
      hasScriptBeside: hasCharts
    ) { body in
      body.writePageHeader(
        eyebrow: "haprig run \(record.header.folder), pattern \(number) of "
          + "\(record.patterns.count)",
        of: pattern.name, on: record.rig.name, verdict: pattern.verdict,
        word: pattern.verdict?.rawValue ?? "not judged", sentence: PatternSentence.text(summary),
        facts: [
          ("File", pattern.file, Shown.seconds(pattern.duration)),
          ("Events", "\(pattern.events)", ""), ("Takes", "\(pattern.takes.count)", ""),
          ("Plan", record.plan.name, record.header.date),
        ])
      body.element("main") { main in
        writeWays(from: number, to: &main)
        main.element(
          "section", ["class": "pattern", "id": identifier, "aria-label": pattern.name]
        ) { section in
          if let warning = summary.reach?.warning { section.writeWarning(warning) }
          writeFigures(of: pattern, identifier: identifier, to: &section)
          writeTables(of: pattern, to: &section)
          writeFiles(of: [pattern], in: "..", to: &section)
        }
        writeWays(from: number, to: &main)
      }
      body.writeScripts(nil, file: hasCharts ? "charts.js" : nil)
    }
  }

  /// Writes the ways to the run's page and to the patterns before and after.
  private func writeWays(from number: Int, to main: inout Markup) {
    main.element("nav", ["class": "tools", "aria-label": "Pages of the run"]) { ways in
      ways.element("a", ["href": "../report.html#result"], text: "All patterns of the run")
      for (word, other) in [("Before", number - 1), ("After", number + 1)]
      where (1...record.patterns.count).contains(other) {
        ways.element(
          "a", ["href": "pattern-\(other).html"],
          text: "\(word): \(record.patterns[other - 1].name)")
      }
    }
    main.breakLine()
  }
}
