package import Calibration
package import JSONText
import Units

/// A check of an actuator against its profile, as text and as JSON.
package struct CheckTable {
  private let outcome: CalibrationCheck.Outcome

  package init(outcome: CalibrationCheck.Outcome) { self.outcome = outcome }

  package var text: String {
    let table = TextTable(
      head: ["", "profile", "now", "sigmas", ""],
      rows: outcome.findings.map { finding in
        [
          finding.name
            + (finding.drive.map { " at \(EngineeringFormat.text($0, .volt))" } ?? ""),
          finding.shown(finding.expected, uncertainty: finding.expectedUncertainty),
          finding.shown(finding.found, uncertainty: finding.foundUncertainty),
          EngineeringFormat.fixed(finding.sigmas, 1),
          finding.verdict.rawValue,
        ]
      })
    return table.text + daily + outcome.summary + "\n"
  }

  /// What the sigmas count that stands in no column.
  private var daily: String {
    let shares = outcome.findings.filter { $0.daily > 0 }.map {
      "\($0.name) \(EngineeringFormat.significant(100 * $0.daily)) %"
    }
    guard !shares.isEmpty else { return "" }
    return "  ± is one standard deviation of the measurements; the sigmas also count what an "
      + "undisturbed actuator does from day to day: \(shares.joined(separator: ", "))\n"
  }

  package var json: JSONValue {
    [
      "hasDrifted": .bool(outcome.hasDrifted), "summary": .string(outcome.summary),
      "findings": .array(
        outcome.findings.map { finding in
          [
            "name": .string(finding.name), "unit": .string(finding.unit),
            "drive": finding.drive.map(JSONValue.number) ?? .null,
            "expected": Self.value(finding.expected, finding.expectedUncertainty),
            "found": Self.value(finding.found, finding.foundUncertainty),
            "daily": .number(finding.daily), "sigmas": .number(finding.sigmas),
            "verdict": .string(finding.verdict.rawValue),
          ]
        }),
    ]
  }

  private static func value(_ value: Double, _ uncertainty: Double) -> JSONValue {
    ["value": .number(value), "uncertainty": .number(uncertainty)]
  }
}
