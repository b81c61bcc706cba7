// SPDX-License-Identifier: Apache-2.0

import Calibration
import JSONText
import Profiles
import Reporting
import Workflows

/// Profiles, and what checks of their actuators found since.
final class ProfileShelf: Sendable {
  private let profiles = FileShelf<CalibrationProfile>()
  private let checks = FileShelf<[CheckLog.Entry]>()

  /// The profile in a file; `nil` for what is none.
  func profile(in file: String) -> CalibrationProfile? {
    try? profiles.value(of: file) { try LoadedProfile(file: $0).profile }
  }

  /// The last check of a profile's actuator since it was calibrated; `nil` where there was none.
  func lastCheck(of profile: CalibrationProfile, in file: String) -> CheckLog.Entry? {
    let log = CheckLog(profile: file)
    let all = try? checks.value(of: log.path) { _ in try log.entries() }
    return all?.last { $0.calibration == profile.source.run }
  }
}

extension CheckLog.Entry {
  /// What came of it, in short.
  var json: JSONValue {
    .object(of: ["date": date, "sigmas": outcome.sigmas, "drifted": outcome.hasDrifted])
  }

  /// Each number then and now, as a row of the table of drifts.
  func drift(of actuator: String) -> [JSONValue] {
    outcome.findings.map { finding in
      JSONValue.object(of: [
        "actuator": actuator, "date": date, "reading": finding.name, "unit": finding.unit,
        "drive": finding.drive, "before": finding.expected, "after": finding.found,
        "uncertainty": finding.uncertainty,
        "sigmas": finding.isForTheBetter ? -abs(finding.sigmas) : abs(finding.sigmas),
        "drifted": finding.verdict == .drifted,
      ])
    }
  }
}
