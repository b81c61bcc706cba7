// SPDX-License-Identifier: Apache-2.0

import Acceptance
import ChangeDetection
import GaugeStudy
package import JSONText
import Units

package enum LabText {
  private static let mostReadings = 60
  private static let mostFindings = 40

  /// Writes the comparison for a terminal.
  package static func table(
    _ report: LabReport, color: Bool = false, explaining: Bool = false
  ) -> String {
    let style = TerminalStyle(isColored: color)
    var lines = [
      "\(report.plan) on \(Count.of(report.rigs.count, "rig")), \(report.days.lowerBound) to "
        + "\(report.days.upperBound)",
      style.colored(
        report.sentence, report.rigs.contains { $0.offCount > 0 } ? .fail : .pass),
    ]
    for note in report.notes { lines += TerminalStyle.wrapped("note: \(note)", indent: "") }
    lines +=
      [""]
      + text(
        head: ["rig", "nights", "newest", "compared", "off", "unsteady", "actuators"],
        report.rigs.map { rig in
          [
            TerminalStyle.plain(rig.name), "\(rig.nights)", "\(rig.newest)", "\(rig.comparedCount)",
            "\(rig.offCount)", "\(rig.unsteadyCount)",
            TerminalStyle.plain(Count.list(rig.actuators, atMost: 3)),
          ]
        })
    lines += off(report)
    lines +=
      [""]
      + text(
        head: ["reading", "mean", "lowest", "highest", "one rig, sd", "any rig, sd", "95 %"],
        report.readings.prefix(mostReadings).map(row))
    if report.readings.count > mostReadings {
      lines.append(
        "and \(report.readings.count - mostReadings) more readings: choose with --reading")
    }
    if explaining { lines += TextReport.meanings(of: report.readings.compactMap(\.kind)) }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func text(head: [String], _ rows: [[String]]) -> [String] {
    TextTable(head: head, rows: rows).text.split(separator: "\n").map(String.init)
  }

  private static func off(_ report: LabReport) -> [String] {
    let (off, unsteady) = report.findings
    var lines: [String] = []
    if !off.isEmpty {
      lines += ["", "off:"]
      lines += off.prefix(mostFindings).flatMap { finding -> [String] in
        let unit = finding.reading.unit
        let (rig, distance) = (finding.rig, finding.rig.distance ?? 0)
        return TerminalStyle.wrapped(
          "\(rig.rig): \(finding.reading.title) \(finding.reading.level(rig.level)), "
            + "\(distance > 0 ? "+" : "")\(Shown.size(distance, unit)) beside the other rigs "
            + "(\(chance(rig.chance ?? 1)))", indent: "  ")
      }
      if off.count > mostFindings { lines.append("  and \(off.count - mostFindings) more") }
    }
    guard !unsteady.isEmpty else { return lines }
    lines += ["", "scatters more than the others:"]
    lines += unsteady.prefix(mostFindings).flatMap { finding in
      TerminalStyle.wrapped(
        "\(finding.rig.rig): \(finding.reading.title) "
          + "\(finding.reading.rough(finding.rig.scatter ?? 0)) from night to night "
          + "(\(chance(finding.rig.scatterChance ?? 1)))", indent: "  ")
    }
    return unsteady.count > mostFindings
      ? lines + ["  and \(unsteady.count - mostFindings) more"] : lines
  }

  /// A chance in words: `1 in 4000 by chance`.
  static func chance(_ chance: Double) -> String {
    chance < 1e-6
      ? "less than 1 in a million by chance"
      : "1 in \(EngineeringFormat.rough(1 / chance)) by chance"
  }

  private static func row(_ reading: LabReport.Reading) -> [String] {
    let rigs = reading.consistency.rigs.sorted { $0.level < $1.level }
    func named(_ rig: RigConsistency.Rig?) -> String {
      rig.map { "\(reading.level($0.level)) \(TerminalStyle.plain($0.rig))" } ?? "-"
    }
    let any = reading.reproducibility
    return [
      TerminalStyle.plain(reading.title), reading.level(reading.mean),
      named(rigs.first), named(rigs.last),
      reading.within.map { reading.rough($0.value) } ?? "-",
      any.map { reading.rough($0.value) } ?? "-",
      any.map { reading.ends($0).map { "\($0.low) to \($0.high)" } ?? "" } ?? "-",
    ]
  }
}

/// The comparison for programs, with the keys that docs/GAUGE.md lists.
extension LabReport: JSONConvertible {
  static let schema = "haprig.lab/1"

  package var json: JSONValue {
    .object(of: [
      "schema": Self.schema, "plan": plan,
      "days": ["\(days.lowerBound)", "\(days.upperBound)"], "sentence": sentence, "notes": notes,
      "rigs": rigs.map { rig in
        JSONValue.object(of: [
          "rig": rig.name, "actuators": rig.actuators, "nights": rig.nights,
          "newest": "\(rig.newest)", "compared": rig.comparedCount, "off": rig.offCount,
          "unsteady": rig.unsteadyCount,
        ])
      }, "readings": readings,
    ])
  }
}

extension LabReport.Reading: JSONConvertible {
  package var json: JSONValue {
    .object(of: [
      "reading": reading, "pattern": pattern.isEmpty ? nil : pattern, "unit": unit.rawValue,
      "sharedActuators": consistency.shared, "apart": consistency.apart,
      "rigs": consistency.rigs.map { rig in
        JSONValue.object(of: [
          "rig": rig.rig, "n": rig.count, "level": rig.level, "distance": rig.distance,
          "p": rig.chance, "isOff": isOff(rig), "scatter": rig.scatter,
          "scatterP": rig.scatterChance, "isUnsteady": isUnsteady(rig),
        ])
      },
      "withinRig": within, "anyRig": reproducibility,
      "repeatabilityLimit": within.map { GaugeReport.Reading.pair * $0.value },
      "reproducibilityLimit": reproducibility.map { GaugeReport.Reading.pair * $0.value },
      "components": analysis?.components,
    ])
  }
}
