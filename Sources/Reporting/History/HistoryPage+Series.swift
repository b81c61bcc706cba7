// SPDX-License-Identifier: Apache-2.0

import Acceptance
import ChangeDetection
import Units

extension HistoryPage {
  /// Up to so many unchanged series are shown unfolded.
  private static let mostOpen = 12

  func identifier(of key: SeriesKey) -> String? { identifiers[key] }

  /// Writes those that changed, the most urgent and the farthest moved first, and the others folded, by pattern and
  /// aspect.
  func writeSeries(to main: inout Markup) {
    main.writeSection("series", "All series") { section in
      guard !report.series.isEmpty else {
        return section.element("p", text: "There is no series.")
      }
      section.writeNote(
        """
        A sparkline shows the median of each night over its band of one standard uncertainty; dashed the \
        baseline, dotted a limit of the plan where it is near, a mark with a triangle a change, the dot \
        the newest night.
        """)
      let drifting = Dictionary(drifts.flatMap(\.lines).map { ($0.key, $0) }) { first, _ in first }
      let changed = report.series.filter { !$0.told.isEmpty || drifting[$0.key] != nil }
      let others = report.series.filter { $0.told.isEmpty && drifting[$0.key] == nil }
      if !changed.isEmpty {
        section.element(
          "h3", text: "\(Count.of(changed.count, "series", "series")) changed, the most first")
        let leads = Set(incidents.map(\.lead.alarm.key) + drifts.map(\.lead.key))
        let ranked = changed.map {
          (interest: interest(in: $0, leads, drifting[$0.key]), series: $0)
        }
        .sorted { one, other in
          one.interest == other.interest
            ? one.series.key < other.series.key : one.interest < other.interest
        }
        write(
          "Series that changed", [("", ranked.map(\.series))], namesPatterns: true, to: &section)
        if !others.isEmpty {
          section.element("h3", text: "\(Count.of(others.count, "series", "series")) unchanged")
        }
      }
      for (name, group) in others.grouped(by: { Self.group(of: $0.key) }) {
        let title = "\(name): \(Count.of(group.count, "series", "series"))"
        section.writeDetails(title, style: "steady", isOpen: others.count <= Self.mostOpen) {
          write("Series of \(name)", Self.parts(of: group), namesPatterns: false, to: &$0)
        }
      }
    }
  }

  /// What asks for most first; among equals what names an incident or a drift, then what moved by most of its
  /// standard uncertainties.
  private func interest(
    in series: HistoryReport.Series, _ leads: Set<SeriesKey>, _ drift: Drift.Line?
  ) -> (Int, Int, Double) {
    // After what a control held back, before what is not sure yet.
    let drifting = drift.map { _ in 2 * Alarm.Standing.heldBack.rank + 1 }
    let urgencies = series.told.map { 2 * $0.standing.rank } + [drifting].compactMap(\.self)
    let sigmas =
      series.told.map(\.alarm.sigmas)
      + [drift].compactMap(\.self).map { abs($0.trend.perMonth) / $0.trend.uncertainty }
    return (
      urgencies.min() ?? .max, leads.contains(series.key) ? 0 : 1, -(sigmas.max() ?? 0)
    )
  }

  private static func group(of key: SeriesKey) -> String {
    if key.isControl { return "the control" }
    return key.pattern.isEmpty ? "the whole run" : key.pattern
  }

  /// The series of a group by what they are about.
  private static func parts(
    of group: [HistoryReport.Series]
  ) -> [(title: String, series: [HistoryReport.Series])] {
    let parts = group.grouped { series in
      series.key.isControl ? .rig : series.key.kind?.aspect
    }
    let aspects = Aspect.allCases.map(Optional.some) + [nil]
    return aspects.compactMap { aspect in
      parts.first { $0.key == aspect }.map { (aspect?.title ?? "Other", $0.members) }
    }
  }

  private static let columns = [
    "Reading", "Nights", "Newest#", "Baseline#", "Trend a month#", "Limit~", "Changes",
  ]

  private func write(
    _ caption: String, _ parts: [(title: String, series: [HistoryReport.Series])],
    namesPatterns: Bool, to parent: inout Markup
  ) {
    let table = PageTable(
      caption: caption, hidesCaption: true, style: "series",
      columns: Self.columns.map { PageTable.Column(marked: $0) })
    table.write(to: &parent) { body in
      for part in parts {
        body.element("tbody") { rows in
          if parts.count > 1 {
            rows.element("tr", ["class": "aspect"]) { row in
              row.element(
                "th", ["scope": "rowgroup", "colspan": "\(Self.columns.count)"], text: part.title)
            }
          }
          for series in part.series {
            table.write(
              cells(of: series, namesPattern: namesPatterns), identifier(of: series.key), to: &rows)
            rows.breakLine()
          }
        }
      }
    }
  }

  private func cells(of series: HistoryReport.Series, namesPattern: Bool) -> [Cell] {
    let (key, unit) = (series.key, series.nightly.unit)
    let isElsewhere = key.isControl || report.actuator(of: key) != nil
    let bound = Shown.bound(of: key.kind)
    let baseline = series.baseline.map { baseline in
      let decision = baseline.decision.map { "\($0.run == nil ? "accepted" : "pinned"): \($0.why)" }
      return Cell(
        bound + size(baseline.level, unit, uncertainty: baseline.spread), detail: decision ?? "")
    }
    return [
      Cell(
        Shown.name(ofSeries: key.reading), meaning: key.kind,
        detail: namesPattern || isElsewhere ? key.pattern : "", report.actuator(of: key) ?? "",
        key.reading),
      Cell(style: "spark") { Sparkline(series).write(to: &$0) },
      Cell { cell in
        if let last = series.nightly.nights.last {
          cell.write(bound + size(last.value, unit, uncertainty: last.uncertainty))
        }
        if let verdict = series.verdict {
          cell.write(" ")
          cell.writeBadge(verdict)
        }
      },
      baseline ?? Cell(""), Cell(trend(of: series)), Cell(series.limit?.text ?? ""),
      Cell { cell in
        for change in series.told {
          cell.element("span", ["class": "change"]) { item in
            item.writeBadge(change.standing.shown.verdict, as: change.standing.shown.word)
            let effect = Shown.typeset(HistoryReport.effect(of: change.point, unit))
            item.writeDetail("\(CalendarDay(number: change.point.day)), \(effect)")
          }
        }
        for drift in drifts where drift.lines.contains(where: { $0.key == key }) {
          cell.element("span", ["class": "change"]) { $0.writeBadge(drift.verdict, as: "drifts") }
        }
      },
    ]
  }

  private func trend(of series: HistoryReport.Series) -> String {
    series.sureTrend.map {
      signed($0.perMonth, series.nightly.unit, uncertainty: $0.uncertainty)
    } ?? ""
  }
}
