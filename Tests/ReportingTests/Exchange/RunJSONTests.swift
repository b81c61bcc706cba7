// SPDX-License-Identifier: Apache-2.0

import Acceptance
import JSONText
import Testing

@testable import Reporting

@Suite struct RunJSONTests {
  @Test func `an uncertainty that is not finite is no member`() throws {
    var record = SampleRecord().make()
    record.run.calibration = "lra-1, sha256 00"
    record.readings = [
      Reading(
        .sharpnessError, pattern: SampleRecord.names[0], take: 1, event: 0, value: 0.5,
        uncertainty: 0.1),
      Reading(
        .intensityError, pattern: SampleRecord.names[0], take: 1, event: 0, value: 8,
        uncertainty: 0.1),
    ]
    func keys() throws -> [String] {
      let worst = try #require(RunJSON.summary(of: record)["worst"]?.elements?.first)
      return try #require(worst["sharpness"]?.members).map(\.key)
    }
    #expect(try keys() == ["value", "uncertainty", "unit"])
    record.readings[0].uncertainty = .infinity
    #expect(try keys() == ["value", "unit"])
  }
}
