// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Actuators

extension HTMLPage {
  /// The page of a run that was not measured here: its readings, and where they come from.
  func text(of imported: RunRecord.Imported) -> String {
    Markup.page(
      title: "imported: \(record.plan.name) on \(record.rig.name)",
      generator: record.run.software, style: StyleSheet.page,
      skip: (target: "readings", text: "Skip to the readings")
    ) { body in
      body.writePageHeader(
        eyebrow: "imported run \(record.header.folder)", of: record.plan.name, on: record.rig.name,
        verdict: nil, word: "imported",
        sentence:
          "\(Count.of(record.readings.count, "reading")) of \(record.header.date), brought in from "
          + "\(Count.list(imported.sources.map(\.file), atMost: 3)): not measured by haprig, and "
          + "not judged.",
        facts: [
          ("Rig", record.rig.name, ""), ("Actuator", record.actuator.id, ""),
          ("Plan", record.plan.name, ""), ("Measured", record.header.date, ""),
          ("Imported", imported.date, "by \(imported.who), \(record.run.software)"),
        ].filter { !$0.1.isEmpty })
      body.element("main") { main in
        main.writeSection("readings", "Readings") { section in
          for (pattern, readings) in record.readings.grouped(by: \.pattern) {
            section.writeReadings(
              pattern.map { "Readings of \($0)" } ?? "Readings of the run", readings,
              summary.scatter)
          }
        }
        main.writeSection("provenance", "Where they come from") { section in
          section.writeTable(
            "Tables", label: "Tables that the run was made of", ["File", "Rows", "SHA-256"],
            imported.sources.map { source in
              [
                PageTable.Cell(source.file), PageTable.Cell(Self.text(of: source.rows)),
                PageTable.Cell(source.sha256, style: "hash"),
              ]
            })
          writeEnvironment(to: &section)
          writeGlossary(to: &section)
        }
      }
      body.breakLine()
    }
  }

  private static func text(of rows: [ClosedRange<Int>]) -> String {
    Count.list(
      rows.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" },
      atMost: 20)
  }
}
