// SPDX-License-Identifier: Apache-2.0

import Acceptance
import ChangeDetection
import Units

package enum HistoryText {
  private static let width = TextReport.width
  private static let sparkWidth = 24
  private static let nameWidth = 32
  private static let leastSparkWidth = 6
  private static let mostSeries = 200
  private static let mostIncidents = 40
  private static let mostOthers = 12

  /// Writes every series, on lines of 100 columns at most: sparklines get what is left.
  ///
  /// After ± or in brackets stands one standard uncertainty; a baseline has the scatter of its nights. A trend
  /// is shown where its chance without a drift is below 1 %.
  ///
  /// `archive` is what a command has to name to find these nights, where it is not the usual place.
  package static func table(
    _ report: HistoryReport, color: Bool = false, archive: String? = nil, explaining: Bool = false
  ) -> String {
    guard let days = report.days else { return lines(report.sentences) }
    let style = TerminalStyle(isColored: color)
    var text: [String] = [
      "\(report.plan) on \(report.rig): \(Count.of(report.nightCount, "night")), "
        + "\(CalendarDay(number: days.lowerBound)) to \(CalendarDay(number: days.upperBound))"
    ]
    var groups: [(title: String, series: [HistoryReport.Series])] = []
    for series in report.series.prefix(mostSeries) {
      let title = title(of: series.key)
      if groups.last?.title == title {
        groups[groups.count - 1].series.append(series)
      } else {
        groups.append((title, [series]))
      }
    }
    for group in groups {
      text += [""] + rows(group.series, title: group.title, days: days)
    }
    if report.series.count > mostSeries {
      text.append("and \(report.series.count - mostSeries) more series: choose with --reading")
    }
    let meanings = explaining ? TextReport.meanings(of: report.series.compactMap(\.key.kind)) : []
    return lines(
      text + blocks(report, style, archive) + temperatures(report) + notes(report) + meanings)
  }

  /// What surely goes with the temperature, a line a series.
  private static func temperatures(_ report: HistoryReport) -> [String] {
    let rows = report.warmSeries.map { series, effect in
      "\(report.subject(of: series.key)): \(TemperatureText.slope(effect, series.nightly.unit)) "
        + "(\(TemperatureText.basis(effect)))"
    }
    guard !rows.isEmpty else { return [] }
    let more = rows.count - mostWarm
    return ["", "with the temperature, changes and drift taken off; nothing is corrected by it:"]
      + rows.prefix(mostWarm).flatMap { TerminalStyle.wrapped($0, indent: "  ") }
      + (more > 0 ? ["  and \(more) more"] : [])
  }

  private static let mostWarm = 20

  package static func summary(
    _ report: HistoryReport, color: Bool = false, archive: String? = nil, explaining: Bool = false
  ) -> String {
    let style = TerminalStyle(isColored: color)
    var text = report.sentences.flatMap { TerminalStyle.wrapped($0, indent: "") }
    text += blocks(report, style, archive)
    text += violations(report, style) + notes(report)
    if explaining { text += TextReport.meanings(of: kinds(in: report)) }
    return lines(text)
  }

  /// The readings that a summary names.
  private static func kinds(in report: HistoryReport) -> [ReadingKind] {
    let moved = report.incidents.flatMap(\.changes).map(\.alarm.key)
    let drifting = report.drifts.flatMap(\.lines).map(\.key)
    return (moved + drifting).compactMap(\.kind) + report.violations.map(\.reading.name.kind)
  }

  private static func violations(_ report: HistoryReport, _ style: TerminalStyle) -> [String] {
    guard !report.violations.isEmpty else { return [] }
    var text = ["", "limits, whatever the statistics say:"]
    for violation in report.violations.prefix(10) {
      let (reading, value) = (violation.reading, violation.text ?? "not measured")
      let words = [
        Shown.phrase(reading.name), violation.pattern.isEmpty ? nil : "of \(violation.pattern)",
        reading.take.map { "take \($0)" }, reading.event.map { "event \($0)" },
      ].compactMap(\.self).joined(separator: " ")
      let asked = violation.limit.isEmpty ? "" : ", asked is \(violation.limit)"
      let mark = style.colored("fail", reading.value == nil ? .notMeasured : .fail)
      text += TerminalStyle.wrapped(
        "\(words): \(value)\(asked) (\(violation.run))", behind: "  \(mark)  ", 8)
    }
    let more = report.violations.count - 10
    return more > 0 ? text + ["  and \(more) more"] : text
  }

  private static func notes(_ report: HistoryReport) -> [String] {
    report.notes.isEmpty
      ? [] : [""] + report.notes.flatMap { TerminalStyle.wrapped("note: \($0)", indent: "      ") }
  }

  private static func title(of key: SeriesKey) -> String {
    (key.pattern.isEmpty ? "run" : key.pattern) + (key.actuator.isEmpty ? "" : " (\(key.actuator))")
  }

  private static func rows(
    _ series: [HistoryReport.Series], title: String, days: ClosedRange<Int>
  ) -> [String] {
    var rows: [[String]] = [
      [TerminalStyle.plain(title, width: nameWidth), "newest night", "baseline", "trend a month"]
    ]
    for one in series {
      let (unit, bound) = (one.nightly.unit, Shown.bound(of: one.key.kind))
      let newest = one.nightly.nights.last.map { night in
        bound
          + Shown.size(
            night.value, unit, uncertainty: night.uncertainty > 0 ? night.uncertainty : nil)
      }
      rows.append([
        TerminalStyle.plain(Shown.name(ofSeries: one.key.reading), width: nameWidth), newest ?? "-",
        one.baseline.map { bound + Shown.size($0.level, unit) } ?? "-", trend(one),
      ])
    }
    // A sparkline that is too wide is drawn narrower: cut, it would lack the newest nights.
    let used = rows[0].indices.reduce(0) { sum, column in
      sum + 2 + (rows.map { $0[column].count }.max() ?? 0)
    }
    let sparkline = max(leastSparkWidth, min(sparkWidth, width - used))
    var table = TextTable(alignments: [.left, .right, .right, .right, .left])
    table.add(rows[0] + ["nights"])
    table.addRule()
    for (row, one) in zip(rows.dropFirst(), series) {
      table.add(row + [TextSparkline.text(one.nightly.nights, days: days, width: sparkline)])
    }
    return table.lines.map { TerminalStyle.plain($0) }
  }

  private static func trend(_ series: HistoryReport.Series) -> String {
    guard let trend = series.sureTrend else { return "-" }
    return (trend.perMonth > 0 ? "+" : "")
      + Shown.size(trend.perMonth, series.nightly.unit)
  }

  /// A block an incident, what asks for most first.
  private static func blocks(
    _ report: HistoryReport, _ style: TerminalStyle, _ archive: String?
  ) -> [String] {
    let (incidents, drifts) = (report.incidents, report.drifts)
    guard !incidents.isEmpty || !drifts.isEmpty else { return [] }
    var text = [""]
    text += incidents.prefix(mostIncidents).flatMap { lines(of: $0, in: report, style, archive) }
    let more = incidents.count - mostIncidents
    if more > 0 { text.append("  and \(Count.of(more, "more incident"))") }
    text += drifts.prefix(mostIncidents).flatMap { lines(of: $0, in: report, style) }
    let rest = drifts.count - mostIncidents
    if rest > 0 { text.append("  and \(Count.of(rest, "more drift"))") }
    return text
  }

  private static func lines(
    of drift: Drift, in report: HistoryReport, _ style: TerminalStyle
  ) -> [String] {
    let word = style.colored("drifts", drift.verdict, width: 11)
    let others = drift.others.map { report.subject(of: $0.key) }
    var text = TerminalStyle.wrapped(
      report.sentence(of: drift.lead), behind: "  \(word) ", 14)
    text += TerminalStyle.wrapped(report.basis(of: drift.lead), indent: "              ")
    guard !others.isEmpty else { return text }
    return text
      + TerminalStyle.wrapped(
        "with it: " + Count.list(others, atMost: mostOthers), indent: "              ")
  }

  private static func lines(
    of incident: HistoryReport.Incident, in report: HistoryReport, _ style: TerminalStyle,
    _ archive: String?
  ) -> [String] {
    let (change, shown) = (incident.lead, incident.standing.shown)
    let word = style.colored(shown.terminalWord, shown.colour, width: 11)
    var text =
      TerminalStyle.wrapped(report.sentence(of: change), behind: "  \(word) ", 14)
      + TerminalStyle.wrapped(incident.shownReason, indent: "              ")
    if !incident.others.isEmpty {
      text.append("              with it:")
      text += incident.others.prefix(mostOthers).flatMap { other in
        let (change, standing) = (other.change, other.change.standing)
        return TerminalStyle.wrapped(
          "\(report.subject(of: change)) \(HistoryReport.effect(of: change.point, change.unit)): "
            + HistoryReport.words(of: other.tie, change)
            + (standing == incident.standing ? "" : "; \(standing.shown.terminalWord)"),
          behind: "                ", 18)
      }
      let more = incident.others.count - mostOthers
      if more > 0 { text.append("                and \(more) more") }
    }
    for difference in change.differences.prefix(6) {
      text += TerminalStyle.wrapped(
        "\(HistoryReport.sentence(of: difference)) "
          + "(tells bad nights from good ones: \(percent(difference.separation)))",
        indent: "              ")
    }
    if [.raised, .rigMoved, .heldBack].contains(incident.standing) {
      let place = archive.map { "--archive \($0) " } ?? ""
      text += TerminalStyle.wrapped(
        "to accept it: haprig baseline accept \(place)--rig \(report.rig) --plan \(report.plan) "
          + "--incident \(CalendarDay(number: change.point.day)) --why ...",
        indent: "              ")
    }
    return text
  }

  private static func percent(_ share: Double) -> String {
    "\(EngineeringFormat.fixed(share * 100, 0)) %"
  }

  private static func lines(_ text: [String]) -> String { text.map { $0 + "\n" }.joined() }
}

/// A series as one line of block characters: a night, or the median of some, a character.
enum TextSparkline {
  private static let blocks = Array("▁▂▃▄▅▆▇█")

  static func text(_ nights: [Night], days: ClosedRange<Int>, width: Int) -> String {
    let columns = min(width, days.count)
    guard columns > 0 else { return "" }
    var values = [[Double]](repeating: [], count: columns)
    for night in nights where days.contains(night.day) {
      values[(night.day - days.lowerBound) * columns / days.count].append(night.value)
    }
    let middles = values.map { column -> Double? in
      let sorted = column.sorted()
      return sorted.isEmpty ? nil : sorted[sorted.count / 2]
    }
    let known = middles.compactMap(\.self)
    guard let lowest = known.min(), let highest = known.max() else {
      return "".padded(to: columns)
    }
    return String(
      middles.map { middle -> Character in
        guard let middle else { return " " }
        guard highest > lowest else { return blocks[0] }
        let share = (middle - lowest) / (highest - lowest)
        return blocks[min(blocks.count - 1, Int(share * Double(blocks.count)))]
      })
  }
}
