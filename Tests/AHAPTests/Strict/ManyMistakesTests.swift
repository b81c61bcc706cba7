// SPDX-License-Identifier: Apache-2.0

import AHAP
import JSONText
import Testing

/// All mistakes of a file are told at once, each of them once.
struct ManyMistakesTests {
  private func told(_ entries: String) throws -> [String] {
    let text = "{\"Version\": 1.0, \"Pattern\": [\n\(entries)\n]}"
    return try AHAPReader.read(Array(text.utf8), options: AHAPOptions(mode: .strict))
      .judged(in: .apple).diagnostics.map {
        "\($0.position.line) \($0.code.rawValue) \($0.severity)" + ($0.fix.map { " \($0)" } ?? "")
      }
  }

  @Test func `seven mistakes are seven findings, with the severities of Apple's reader`() throws {
    let entries = """
      {"Event": {"Time": 0, "EventTyp": "HapticTransient", "EventParameters": []}},
      {"Event": {"Time": -1, "EventType": "HapticTransient"}},
      {"Event": {"Time": 0.1, "EventType": "HapticTransiet"}},
      {"Event": {"Time": 0.2, "EventType": "HapticContinuous"}},
      {"Parameter": {"ParameterID": "HapticIntensityControl", "Time": 0}},
      7,
      {"ParameterCurve": {"ParameterID": "HapticIntensityControl", "Time": 0.25}}
      """
    let found = [
      "2 AHAP021 error EventType", "3 AHAP025 error", "4 AHAP023 error HapticTransient",
      "5 AHAP021 error", "6 AHAP030 error", "7 AHAP019 error", "8 AHAP030 error",
    ]
    #expect(try told(entries) == found)
  }

  @Test func `several mistakes of one event are all told`() throws {
    let event = """
      {"Event": {"Time": "0", "EventType": "HapticContinuous", "EventDuration": -1,
        "EventParameters": [{"ParameterID": "HapticIntensity"},
          {"ParameterID": "HapticSharpness", "ParameterValue": 7}]}}
      """
    #expect(
      try told(event) == [
        "2 AHAP022 error", "2 AHAP026 error", "3 AHAP030 error", "4 AHAP035 warning 1",
      ])
  }

  @Test(arguments: [
    // The default of a parameter whose name is misspelled, and of one that has no value.
    (
      #"{"Event": {"Time": 0, "EventType": "HapticTransient", "EventParameters": [{"ParameterID": "HapticIntensty", "ParameterValue": 1}, {"ParameterID": "HapticSharpness", "ParameterValue": 1}]}}"#,
      ["2 AHAP033 warning HapticIntensity"]
    ),
    (
      #"{"Event": {"Time": 0, "EventType": "HapticTransient", "EventParameters": [{"ParameterID": "HapticIntensity", "ParameterVal": 1}, {"ParameterID": "HapticSharpness", "ParameterValue": 1}]}}"#,
      ["2 AHAP030 error ParameterValue"]
    ),
    // A time whose key is misspelled, and the parameters likewise.
    (
      #"{"Event": {"Tim": 0, "EventType": "HapticTransient", "EventParameter": []}}"#,
      ["2 AHAP016 warning Time", "2 AHAP016 warning EventParameters"]
    ),
    // A curve whose points are all left out is not empty; without its event the pattern is not either.
    (
      #"{"ParameterCurve": {"ParameterID": "HapticIntensityControl", "ParameterCurveControlPoints": [{"Tim": 0, "ParameterValue": 1}]}}, {"Evnt": {}}"#,
      ["2 AHAP030 error Time", "2 AHAP016 warning Event"]
    ),
  ])
  func `what follows from a mistake is no finding of its own`(
    entries: String, found: [String]
  ) throws {
    #expect(try told(entries) == found)
  }

  @Test func `a missing Pattern is told at the key that was meant`() throws {
    let fault = try #require(throws: AHAPError.self) {
      _ = try AHAPReader.read(Array("{\"Version\": 1.0, \"Patern\": []}".utf8))
    }
    #expect(fault.code == .patternMissing && fault.diagnostic.fix == "Pattern")
    #expect(fault.position.description == "1:18")
  }

  @Test func `a file of endless mistakes has a bounded number of findings`() throws {
    let event = #"{"Event": {"Time": -1, "EventTyp": "HapticTransient", "Tim": 0}}"#
    let entries = Array(repeating: event, count: 2000).joined(separator: ",\n")
    let document = try AHAPReader.read(
      Array("{\"Version\": 1.0, \"Pattern\": [\(entries)]}".utf8),
      options: AHAPOptions(mode: .strict, diagnosticsPerCode: 100))
    #expect(document.diagnostics.count == 300)
    #expect(document.omittedDiagnostics == 5700)
  }
}
