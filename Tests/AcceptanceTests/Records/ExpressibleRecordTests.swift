// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Devices
import JSONText
import Testing

/// What a drive can express, in the record and out of it.
@Suite struct ExpressibleRecordTests {
  @Test(arguments: [
    ExpressibleDrive.Frequencies.fixed(175.3), .grid([0.1, 1 / 3, 440]), .range(40...626.1),
  ])
  func `what is written is read back to the last bit`(
    frequencies: ExpressibleDrive.Frequencies
  ) throws {
    var record = RunRecordJSONTests.smallest
    record.patterns[0].takes[0].device = .init(
      frames: 1, driveFrames: 1,
      expressible: ExpressibleDrive(
        frequencies: frequencies, amplitudes: (0...127).map { Double($0) / 127 },
        updateInterval: 0.1 / 7))
    #expect(try RunRecord(parsing: Array(record.text.utf8)) == record)
  }

  @Test(arguments: [
    ("{}", ""), ("[]", ""),
    (#"{"frequencies": {}, "amplitudes": [0, 1], "updateInterval": 1}"#, ".frequencies"),
    (
      #"{"frequencies": {"fixed": 0}, "amplitudes": [0, 1], "updateInterval": 1}"#,
      ".frequencies.fixed"
    ), (#"{"frequencies": {"fixed": 9}, "amplitudes": [0], "updateInterval": 1}"#, ".amplitudes"),
    (
      #"{"frequencies": {"fixed": 9}, "amplitudes": [0, 1, 1], "updateInterval": 1}"#,
      ".amplitudes"
    ),
    (
      #"{"frequencies": {"fixed": 9}, "amplitudes": [0.1, 1], "updateInterval": 1}"#,
      ".amplitudes"
    ),
    (
      #"{"frequencies": {"fixed": 9}, "amplitudes": [0, "1"], "updateInterval": 1}"#,
      ".amplitudes[1]"
    ),
    (
      #"{"frequencies": {"fixed": 9}, "amplitudes": [0, 1], "updateInterval": 0}"#,
      ".updateInterval"
    ),
    (
      #"{"frequencies": {"grid": []}, "amplitudes": [0, 1], "updateInterval": 1}"#,
      ".frequencies.grid"
    ),
    (
      #"{"frequencies": {"grid": [2, 1]}, "amplitudes": [0, 1], "updateInterval": 1}"#,
      ".frequencies.grid"
    ),
    (
      #"{"frequencies": {"lowest": 2, "highest": 1}, "amplitudes": [0, 1], "updateInterval": 1}"#,
      ".frequencies.highest"
    ),
    (
      #"{"frequencies": {"lowest": 0, "highest": 1}, "amplitudes": [0, 1], "updateInterval": 1}"#,
      ".frequencies.lowest"
    ),
  ])
  func `what is none is told by its place`(text: String, path: String) throws {
    let device =
      #"{"frames": 9, "driveFrames": 8, "driveEvents": [], "captureEvents": [], "expressible": \#(text)}"#
    let record = RunRecordJSONTests.smallest.text.replacing(
      "\"patternFrame\": 4800", with: "\"device\": \(device), \"patternFrame\": 4800")
    let error = #expect(throws: RunRecordError.self) {
      try RunRecord(parsing: Array(record.utf8))
    }
    #expect(error?.path == "patterns[0].takes[0].device.expressible\(path)")
  }
}
