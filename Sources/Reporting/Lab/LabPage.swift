// SPDX-License-Identifier: Apache-2.0

import Acceptance
import ChangeDetection
import GaugeStudy
import Units

package struct LabPage {
  typealias Cell = PageTable.Cell

  private let report: LabReport
  /// How many readings are drawn, those that are off first.
  private static let mostPictures = 24

  package init(_ report: LabReport) { self.report = report }

  /// The HTML document, without scripts: equal reports give equal bytes.
  package var text: String {
    let rigs = Count.of(report.rigs.count, "rig")
    let isOff = report.rigs.contains { $0.offCount > 0 }
    let word = isOff ? "off" : "agree"
    return Markup.page(
      title: "\(report.plan) on \(rigs)", generator: "haprig",
      style: StyleSheet.page + StyleSheet.chart + StyleSheet.plot,
      skip: (target: "rigs", text: "Skip to the rigs")
    ) { body in
      body.writePageHeader(
        eyebrow: "haprig history: one plan on all rigs", of: report.plan, on: rigs,
        verdict: isOff ? .fail : .pass, word: word, sentence: report.sentence, facts: facts)
      body.element("main") { main in
        main.writeSection("rigs", "Rigs") { section in
          section.writeList("diagnostics", report.notes)
          section.writeTable(
            "How much of what each rig measured is off", hidesCaption: true,
            ["Rig", "Nights#", "Newest", "Compared#", "Off#", "Unsteady#", "Actuators~"],
            report.rigs.map { rig in
              [
                Cell(rig.name), Cell("\(rig.nights)"), Cell("\(rig.newest)"),
                Cell("\(rig.comparedCount)"), count(rig.offCount), count(rig.unsteadyCount),
                Cell(Count.list(rig.actuators, atMost: 6)),
              ]
            })
        }
        writeFindings(to: &main)
        writePictures(to: &main)
        writeReadings(to: &main)
        main.writeWords(of: Set(report.readings.compactMap(\.kind)))
      }
    }
  }

  private var facts: [HeadFact] {
    [
      ("Rigs", "\(report.rigs.count)", Count.list(report.rigs.map(\.name).sorted(), atMost: 4)),
      (
        "Days", "\(report.days.upperBound.number - report.days.lowerBound.number + 1)",
        "\(report.days.lowerBound) to \(report.days.upperBound)"
      ),
      ("Readings", "\(report.readings.count)", "compared rig by rig"),
    ]
  }

  private func count(_ count: Int) -> Cell {
    Cell("\(count)", value: Double(count), style: count > 0 ? "fail" : nil)
  }

  private func text(_ value: Double, _ unit: MeasurementUnit) -> String {
    Shown.typeset(Shown.size(value, unit))
  }

  private func writeFindings(to main: inout Markup) {
    let (off, unsteady) = report.findings
    guard !off.isEmpty || !unsteady.isEmpty else { return }
    main.writeSection("off", "What is off") { section in
      section.writeTable(
        "Levels and scatter that are off, the least likely first", hidesCaption: true,
        ["Rig", "Reading~", "Here#", "Beside the other rigs#", "By chance#"],
        off.map { finding in
          let unit = finding.reading.unit
          let distance = finding.rig.distance ?? 0
          return [
            Cell(finding.rig.rig), Cell(finding.reading.title),
            Cell(
              Shown.typeset(finding.reading.level(finding.rig.level)), value: finding.rig.level),
            Cell((distance > 0 ? "+" : "") + text(distance, unit), value: distance),
            Cell(LabText.chance(finding.rig.chance ?? 1), value: finding.rig.chance),
          ]
        }
          + unsteady.map { finding in
            [
              Cell(finding.rig.rig), Cell(finding.reading.title),
              Cell(
                Shown.typeset(finding.reading.rough(finding.rig.scatter ?? 0)),
                value: finding.rig.scatter,
                detail: "scatter from night to night"), Cell("more"),
              Cell(
                LabText.chance(finding.rig.scatterChance ?? 1), value: finding.rig.scatterChance),
            ]
          })
    }
  }

  private func writeReadings(to main: inout Markup) {
    let names = report.rigs.map(\.name).sorted()
    main.writeSection("readings", "Every reading") { section in
      section.writeTable(
        "Levels by rig", hidesCaption: true,
        ["Reading~", "One rig, sd#", "Any rig, sd#"] + names.map { "\($0)#" },
        report.readings.map { reading in
          let levels = Dictionary(
            uniqueKeysWithValues: reading.consistency.rigs.map { ($0.rig, $0) })
          return [
            Cell(
              Shown.name(ofSeries: reading.reading), meaning: reading.kind,
              detail: reading.pattern, reading.reading),
            spread(reading.within, of: reading),
            spread(reading.reproducibility, of: reading),
          ]
            + names.map { name in
              levels[name].map { rig in
                Cell(
                  Shown.typeset(reading.level(rig.level)), value: rig.level,
                  style: reading.isOff(rig) || reading.isUnsteady(rig) ? "fail" : nil)
              } ?? Cell("–", style: "absent")
            }
        })
      section.writeNote(
        "One rig: the standard deviation from night to night. Any rig: that of one actuator's measurements on "
          + "whichever rig (reproducibility). How the numbers are made stands in docs/GAUGE.md.")
    }
  }

  private func spread(_ bounded: Bounded?, of reading: LabReport.Reading) -> Cell {
    bounded.map {
      let ends = reading.ends($0).map { ends in
        "\(Shown.typeset(ends.low)) to \(Shown.typeset(ends.high))"
      }
      return Cell(Shown.typeset(reading.rough($0.value)), value: $0.value, detail: ends ?? "")
    } ?? Cell("–", style: "absent")
  }

  private func writePictures(to main: inout Markup) {
    let off = report.readings.filter { reading in
      reading.consistency.rigs.contains { reading.isOff($0) || reading.isUnsteady($0) }
    }
    let shown = (off.isEmpty ? report.readings : off).prefix(Self.mostPictures)
    guard !shown.isEmpty else { return }
    main.writeSection("pictures", off.isEmpty ? "Rigs side by side" : "Readings that are off") {
      section in
      section.writePictures(shown.enumerated().map { picture(of: $1, $0 + 1) })
    }
  }

  /// The level of each rig, and two standard deviations of its nights to either side.
  private func picture(of reading: LabReport.Reading, _ number: Int) -> Plot {
    let rigs = reading.consistency.rigs
    let scale = SeriesScale(reading.unit, of: rigs.map(\.level))
    let bars = rigs.enumerated().map { index, rig in
      let (reach, level) = (2 * scale.factor * (rig.scatter ?? 0), scale.factor * rig.level)
      let isOff = reading.isOff(rig) || reading.isUnsteady(rig)
      return PlotSeries(
        label: "", x: [Double(index + 1), Double(index + 1)],
        y: [level - reach, level + reach], colour: PlotSeries.hue(isOff ? 1 : 0))
    }
    let points = rigs.enumerated().map { index, rig in
      PlotSeries(
        label: "", x: [Double(index + 1)], y: [scale.factor * rig.level],
        colour: PlotSeries.hue(reading.isOff(rig) || reading.isUnsteady(rig) ? 1 : 0), dash: nil,
        marker: .square)
    }
    return Plot(
      title: reading.title.capitalised, identifier: "lab-\(number)",
      x: PlotAxis(
        "rig; the line reaches two standard deviations of a night", names: rigs.map(\.rig)),
      y: PlotAxis(
        scale.symbol.isEmpty ? "level" : "level, \(scale.symbol)",
        of: (bars + points).flatMap(\.y), room: 0.05), series: bars + points)
  }
}
