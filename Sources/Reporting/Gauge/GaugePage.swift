// SPDX-License-Identifier: Apache-2.0

import Acceptance
import GaugeStudy
import Units

package struct GaugePage {
  typealias Cell = PageTable.Cell

  private let report: GaugeReport

  package init(_ report: GaugeReport) { self.report = report }

  /// The HTML document, without scripts: equal reports give equal bytes.
  package var text: String {
    let study = report.study
    let rigs = Count.list(study.rigs, atMost: 4)
    return Markup.page(
      title: "\(word): gauge study \(study.name) on \(rigs)", generator: "haprig",
      style: StyleSheet.page + StyleSheet.chart + StyleSheet.plot,
      skip: (target: "reading-1", text: "Skip to the readings")
    ) { body in
      body.writePageHeader(
        eyebrow: "haprig gauge: repeatability and reproducibility", of: study.name, on: rigs,
        verdict: report.verdict, word: word, sentence: report.sentence, facts: facts)
      body.element("main") { main in
        for (index, reading) in report.readings.enumerated() {
          main.writeSection("reading-\(index + 1)", reading.title.capitalised) { section in
            write(reading, number: index + 1, to: &section)
          }
        }
        writeDesign(to: &main)
      }
    }
  }

  private var word: String { report.verdict.gaugeWord }

  private var facts: [HeadFact] {
    let study = report.study
    return [
      (
        "Actuators", "\(study.actuators.count)", Count.list(study.actuators, atMost: 6)
      ),
      (
        "Mounts", "\(report.doneMounts) of \(study.mountCount)",
        "\(study.mounts) a day and actuator, \(Count.of(study.days, "day"))"
      ),
      ("Runs", "\(report.runs)", "\(Count.of(study.repeats, "repeat")) a mount"),
      ("Rigs", "\(study.rigs.count)", Count.list(study.rigs, atMost: 4)),
    ]
  }

  private func write(_ reading: GaugeReport.Reading, number: Int, to section: inout Markup) {
    section.element("p", ["class": "outcome"]) { line in
      line.writeBadge(reading.verdict, as: reading.word)
      line.write(" \(reading.sentence)")
    }
    section.writeMeaning(of: reading.name.kind, named: reading.name.description)
    guard let analysis = reading.analysis else { return }
    section.writePictures([
      values(of: reading, analysis, number), scatter(of: reading, analysis, number),
    ])
    let hasTolerance = reading.tolerance != nil
    section.writeTable(
      "Where the scatter comes from", hidesCaption: true,
      [
        "Source", "\(Shown.typeset(reading.titled("sd")))#", "95 %#", "Of the variance#",
        "Of the study#",
      ]
        + (hasTolerance ? ["Of the tolerance#"] : []),
      reading.lines.map { line in
        let (value, interval) = reading.shown(line.deviation)
        return [
          Cell(line.name), Cell(value, value: line.deviation.value), Cell(interval),
          share(line.variance), share(line.study),
        ] + (hasTolerance ? [share(line.tolerance)] : [])
      })
    section.writeColumns([
      (title: "Limits", facts: limits(of: reading)),
      (title: "Judged by", facts: judged(reading, analysis)),
    ])
    section.writeList("diagnostics", reading.notes)
    section.writeDetails("Analysis of variance") { write(analysis.rows, of: reading, to: &$0) }
  }

  private func share(_ share: Double?) -> Cell {
    share.map { Cell(Shown.percent($0, decimals: 1), value: $0) } ?? Cell("–", style: "absent")
  }

  private func limits(of reading: GaugeReport.Reading) -> [(term: String, value: String)] {
    reading.limits.map {
      ($0.words, Shown.typeset(reading.short($0.value)))
    }
  }

  private func judged(
    _ reading: GaugeReport.Reading, _ analysis: GaugeAnalysis
  ) -> [(term: String, value: String)] {
    func percent(_ bounded: Bounded) -> String {
      "\(Shown.percent(bounded.value, decimals: 1)) (\(Shown.percent(bounded.low, decimals: 1)) to "
        + "\(Shown.percent(bounded.high, decimals: 1)))"
    }
    let facts: [(term: String, value: String)?] = [
      (
        "Mean",
        Shown.typeset(Shown.size(analysis.mean, reading.unit)) + " of "
          + Count.of(analysis.observations.count, "run")
      ),
      analysis.studyVariation.map { ("Gauge, of the study's variation", percent($0)) },
      reading.toleranceRatio.map { ("Gauge, of the tolerance", percent($0)) },
      analysis.classes.map { ("Classes, ndc", $0.rough) },
    ]
    return facts.compactMap(\.self)
  }

  private func write(
    _ rows: [GaugeAnalysis.Row], of reading: GaugeReport.Reading, to details: inout Markup
  ) {
    let isBare = [.one, .count].contains(reading.unit)
    let unit = isBare ? "" : ", (\(reading.unit.rawValue))²"
    details.writeTable(
      "Sums of squares, one after the other",
      ["Source", "df#", "SS\(unit)#", "MS\(unit)#", "F#", "df below#", "p#"],
      rows.map { row in
        [
          Cell(row.source.rawValue), Cell("\(row.freedom)"), Cell(Shown.number(row.squares)),
          Cell(row.freedom > 0 ? Shown.number(row.meanSquare) : "–"),
          Cell(row.ratio.map(Shown.number) ?? "–"),
          Cell(row.ratioFreedom.map { EngineeringFormat.rough($0) } ?? "–"),
          Cell(row.probability.map(chance) ?? "–"),
        ]
      })
  }

  private func chance(_ probability: Double) -> String {
    probability < 1e-4 ? "< 0.0001" : EngineeringFormat.rough(probability)
  }

  /// Every value over its actuator, mounts side by side.
  private func values(
    of reading: GaugeReport.Reading, _ analysis: GaugeAnalysis, _ number: Int
  ) -> Plot {
    let names = report.study.actuators.filter { name in
      analysis.observations.contains { $0.actuator == name }
    }
    let all = analysis.observations.map(\.value)
    // What lies far from 0 is shown about its mean: ticks have room for a few digits.
    let span = (all.max() ?? 0) - (all.min() ?? 0)
    let middle = abs(analysis.mean) > 100 * span ? analysis.mean : 0
    let places = places(of: analysis.observations, names)
    let days = Dictionary(grouping: analysis.observations.indices) { index in
      [analysis.observations[index].rig, analysis.observations[index].day]
    }.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    let series = days.enumerated().map { index, day in
      let own = day.value.map { analysis.observations[$0] }
      return PlotSeries(
        label: days.count > 8 ? "" : days.count == 1 ? "a run" : "\(day.key[0]), \(day.key[1])",
        x: day.value.map { places[$0] },
        y: own.map { ($0.value - middle) * reading.scale }, colour: PlotSeries.hue(index),
        dash: nil,
        marker: PlotSeries.marker(index), isFilled: false)
    }
    return Plot(
      title: "Every run, by actuator and mount", identifier: "values-\(number)",
      x: PlotAxis("actuator; mounts side by side", names: names),
      y: PlotAxis(
        Shown.typeset(
          reading.titled(reading.name.title + (middle == 0 ? "" : " less its mean"))),
        of: all.map { ($0 - middle) * reading.scale }, room: 0.05),
      series: series)
  }

  /// Where each value stands: in its actuator's column, by rig, day and mount.
  private func places(of all: [Observation], _ names: [String]) -> [Double] {
    struct Mount: Hashable {
      var rig: String
      var day: String
      var mount: String

      /// Mounts are numbered: the second stands before the tenth.
      var order: (String, String, Int, String) { (rig, day, mount.utf8.count, mount) }
    }
    func mount(_ one: Observation) -> Mount {
      Mount(rig: one.rig, day: one.day, mount: one.mount)
    }
    let ranks = Dictionary(grouping: all, by: \.actuator).mapValues { own in
      let mounts = Set(own.map(mount)).sorted { $0.order < $1.order }
      return Dictionary(uniqueKeysWithValues: zip(mounts, mounts.indices))
    }
    let columns = Dictionary(uniqueKeysWithValues: zip(names, 1...))
    return all.map { one in
      let own = ranks[one.actuator] ?? [:]
      let rank = Double(own[mount(one)] ?? 0) + 0.5
      return Double(columns[one.actuator] ?? 1) - 0.4 + 0.8 * rank / Double(own.count)
    }
  }

  /// The standard deviation of each source with its interval.
  private func scatter(
    of reading: GaugeReport.Reading, _ analysis: GaugeAnalysis, _ number: Int
  ) -> Plot {
    let scale = reading.scale
    let shown =
      analysis.components.map { ($0.source.short, $0.deviation) }
      + [("gauge", analysis.gauge)]
    let bars = shown.enumerated().map { index, bar in
      PlotSeries(
        label: "", x: [Double(index + 1), Double(index + 1)],
        y: [bar.1.low * scale, bar.1.high * scale], colour: PlotSeries.hue(index))
    }
    let points = shown.enumerated().map { index, bar in
      PlotSeries(
        label: "", x: [Double(index + 1)], y: [bar.1.value * scale], colour: PlotSeries.hue(index),
        dash: nil, marker: .square)
    }
    // With two or three levels an interval reaches far: it is cut where others would vanish.
    let top = 2.5 * max(analysis.total, shown.map(\.1.value).max() ?? 0) * scale
    return Plot(
      title: "Where it scatters", identifier: "scatter-\(number)",
      x: PlotAxis(
        "source; the line covers the true value in 95 of 100 studies", names: shown.map(\.0)),
      y: PlotAxis(
        Shown.typeset(reading.titled("standard deviation")),
        of: [0, top > 0 ? min(top, 1.1 * (shown.map(\.1.high).max() ?? 0) * scale) : 1]),
      series: bars + points)
  }

  /// What was done, and what is missing of it.
  private func writeDesign(to main: inout Markup) {
    main.writeSection("design", "What was done") { section in
      section.writeList("diagnostics", report.notes)
      let study = report.study
      section.writeTable(
        "Complete repeats of each mount, by day", hidesCaption: true,
        ["Actuator", "Rig", "Mounts~", "Missing#"],
        report.cells.map { cell in
          let days = cell.days.map { day in
            "\(day.day): "
              + (day.mounts.isEmpty ? "none" : day.mounts.map(String.init).joined(separator: ", "))
          }
          return [
            Cell(cell.actuator), Cell(cell.rig),
            Cell(days.isEmpty ? "none yet" : days.joined(separator: "; ")),
            Cell("\(max(0, study.days * study.mounts - cell.done(of: study)))"),
          ]
        })
      section.writeNote(
        "Numbers are complete repeats. The order of the mounts was drawn from the seed "
          + "\(study.seed). What the words mean and how the numbers are made stands in "
          + "docs/GAUGE.md.")
    }
  }
}

extension Source {
  /// As little room as a picture has.
  fileprivate var short: String {
    switch self {
    case .actuatorByRig: "act. x rig"
    case .actuatorByDay: "act. x day"
    default: rawValue
    }
  }
}
