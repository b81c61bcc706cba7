// SPDX-License-Identifier: Apache-2.0

import Bench
package import Calibration
private import Glibc
import JSONText
import Reporting
import RunArchive

/// What checks found of a profile's actuator, kept beside the profile: `ID.checks.jsonl`, a line a check, the newest
/// last.
package struct CheckLog: Sendable {
  /// One check that came to its end.
  package struct Entry: Sendable, Equatable {
    /// When, in UTC.
    package let date: String
    package let rig: String
    /// The run that the profile came from: of another calibration of the same actuator this tells nothing.
    package let calibration: String
    package let program: String
    package let outcome: CalibrationCheck.Outcome
  }

  /// The file.
  package let path: String

  static let schema = "haprig.check/1"
  /// So many checks are kept, the newest.
  static let most = 500
  private static let largest = 4 << 20

  /// The checks of the profile in a file that ends in `.json`.
  package init(profile: String) { path = profile.dropLast(5) + ".checks.jsonl" }

  /// What was kept, the oldest first; a line that a later version wrote, or nobody, is passed over.
  package func entries() throws -> [Entry] { try lines().compactMap(Self.entry) }

  /// Adds a check; the file is replaced as a whole, or stays as it was.
  func add(_ entry: Entry) throws {
    let lines = try lines().suffix(Self.most - 1) + [Self.text(of: entry)]
    try AtomicFile.write(lines.map { $0 + "\n" }.joined(), to: path)
  }

  private func lines() throws -> [String] {
    guard access(path, F_OK) == 0 else { return [] }
    let bytes = try RegularFile(path: path).bytes(limit: Self.largest)
    return bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
  }

  private static func text(of entry: Entry) -> String {
    let head = JSONValue.object(of: [
      "schema": schema, "date": entry.date, "rig": entry.rig, "calibration": entry.calibration,
      "program": entry.program,
    ])
    let findings = CheckTable(outcome: entry.outcome).json
    return JSONValue.object((head.members ?? []) + (findings.members ?? [])).text(indent: nil)
  }

  private static func entry(_ line: String) -> Entry? {
    guard let json = try? JSONValue(parsing: Array(line.utf8)), json["schema"]?.string == schema,
      let date = json["date"]?.string, let rig = json["rig"]?.string,
      let calibration = json["calibration"]?.string, let program = json["program"]?.string,
      let findings = json["findings"]?.elements
    else { return nil }
    let known = findings.compactMap(finding)
    guard known.count == findings.count else { return nil }
    return Entry(
      date: date, rig: rig, calibration: calibration, program: program,
      outcome: CalibrationCheck.Outcome(findings: known))
  }

  private static func finding(_ json: JSONValue) -> CalibrationCheck.Finding? {
    guard let name = json["name"]?.string, let unit = json["unit"]?.string,
      let expected = quantity(json["expected"]), let found = quantity(json["found"]),
      let sigmas = json["sigmas"]?.number,
      let verdict = json["verdict"]?.string.flatMap(CalibrationCheck.Verdict.init)
    else { return nil }
    return CalibrationCheck.Finding(
      name: name, unit: unit, expected: expected.value, expectedUncertainty: expected.uncertainty,
      found: found.value, foundUncertainty: found.uncertainty, sigmas: sigmas, verdict: verdict,
      drive: json["drive"]?.number, daily: json["daily"]?.number ?? 0)
  }

  private static func quantity(_ json: JSONValue?) -> (value: Double, uncertainty: Double)? {
    guard let value = json?["value"]?.number, let uncertainty = json?["uncertainty"]?.number
    else { return nil }
    return (value, uncertainty)
  }
}
