// SPDX-License-Identifier: Apache-2.0

import Acceptance
import ChangeDetection
import Units

package enum DiffText {
  /// Rows of one pair at most; a page and the JSON have all of them.
  private static let mostRows = 40

  /// Writes the comparison for a terminal, on lines of 100 columns where names are not too long.
  ///
  /// What differs comes first, the rest is counted; all of it where that is asked for.
  package static func table(
    _ report: DiffReport, showsAll: Bool = false, color: Bool = false, explaining: Bool = false
  ) -> String {
    let style = TerminalStyle(isColored: color)
    var lines: [String] = []
    for side in report.sides {
      lines += TerminalStyle.wrapped(
        "\(side.title): \(side.account)", behind: "\(side.label)  ", 3)
    }
    for pair in report.pairs {
      lines.append("")
      for note in pair.notes { lines += TerminalStyle.wrapped("note: \(note)", indent: "") }
      lines += TerminalStyle.wrapped(report.sentence(of: pair), indent: "")
      lines += self.lines(about: pair)
      lines += rows(of: pair, report, showsAll: showsAll, style)
    }
    if report.pairs.contains(where: { !$0.differences.isEmpty }) {
      lines += [""] + TerminalStyle.wrapped(report.method, indent: "")
    }
    lines += overlays(report)
    if explaining {
      let kinds = report.all.filter { showsAll || $0.finding == .beyond }.map(\.key.name.kind)
      lines += TextReport.meanings(of: kinds)
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func lines(about pair: DiffReport.Pair) -> [String] {
    var lines: [String] = []
    func add(_ title: String, _ words: [String], atMost most: Int = 12) {
      guard !words.isEmpty else { return }
      let more = words.count > most ? " and \(words.count - most) more" : ""
      lines += TerminalStyle.wrapped(
        "\(title): \(words.prefix(most).joined(separator: "; "))\(more)", indent: "  ")
    }
    add("common, so it cancels", pair.common)
    add("not common, so it counts", pair.apart)
    add("environment", pair.environment.map(HistoryReport.sentence))
    add("measured on the first side only", pair.onlyFirst.map(\.long), atMost: 6)
    add("measured on the second side only", pair.onlySecond.map(\.long), atMost: 6)
    return lines
  }

  private static func rows(
    of pair: DiffReport.Pair, _ report: DiffReport, showsAll: Bool, _ style: TerminalStyle
  ) -> [String] {
    let wanted = showsAll ? pair.differences : pair.differences.filter { $0.finding == .beyond }
    let shown = showsAll ? wanted[...] : wanted.prefix(mostRows)
    var lines: [String] = []
    if !shown.isEmpty {
      var table = TextTable(
        alignments: [.left, .right, .right, .right, .right, .right, .left], style: style)
      table.add([
        "", report.sides[0].label, report.sides[pair.side].label, "difference", "n", "chance", "",
      ])
      for (place, group) in shown.grouped(by: \.key.place) {
        table.add(heading: TerminalStyle.plain(place))
        for (name, differences) in group.grouped(by: \.key.name) {
          // Events and channels stand below the name of what was read of them.
          if differences.contains(where: { !$0.key.part.isEmpty }) {
            table.add(heading: "  " + name.title)
          }
          for difference in differences {
            let part = difference.key.part
            table.add(
              [
                TerminalStyle.plain(part.isEmpty ? "  \(name.title)" : "    \(part)"),
                difference.shown(difference.first), difference.shown(difference.second),
                difference.shownDifference, difference.shownCount, difference.shownChance,
                difference.word,
              ], coloured: (6, difference.course?.verdict))
          }
        }
      }
      lines += [""] + table.lines
    }
    if shown.count < wanted.count {
      lines.append("and \(wanted.count - shown.count) more (--all, --json and --html have them)")
    }
    let notes = shown.compactMap(\.note).uniqued()
    for note in notes.prefix(4) {
      lines += TerminalStyle.wrapped("note: \(Shown.plain(note))", indent: "")
    }
    let rest = [DiffReport.Finding.within, .untold].compactMap { finding in
      let count = pair.differences.count { $0.finding == finding }
      return count > 0 ? "\(count) \(finding.rawValue)" : nil
    }
    if !showsAll, !rest.isEmpty { lines.append("not shown: \(rest.joined(separator: ", "))") }
    return lines
  }

  private static func overlays(_ report: DiffReport) -> [String] {
    var lines: [String] = []
    let rows = report.overlays.flatMap { overlay in
      overlay.residuals.map { residual in
        [
          overlay.pattern,
          "\(report.sides[residual.side].label) - \(report.sides[0].label)",
          DiffReport.Overlay.Residual.decibels(residual.response),
          DiffReport.Overlay.Residual.decibels(residual.noise),
          DiffReport.Overlay.Residual.decibels(residual.level),
          DiffReport.Overlay.Residual.decibels(residual.drive),
        ].map { TerminalStyle.plain($0) }
      }
    }
    if !rows.isEmpty {
      lines += [""]
      lines +=
        TextTable(
          head: ["waveforms", "", "residual", "noise alone", "level", "drive"], rows: rows
        ).lines
    }
    for absence in report.absences {
      lines += TerminalStyle.wrapped("note: \(absence)", indent: "")
    }
    return lines
  }
}
