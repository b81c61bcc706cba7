// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONText
import Testing

/// The commands that read and write pattern files.
struct PatternCommandTests {
  /// Trailing comma, no version, a name in the wrong case, absolute control points.
  private static let untidy = """
    {
      "Pattern": [
        {"Event": {"Time": 0.0, "EventType": "HapticContinuous", "EventDuration": 0.5,
          "EventParameters": [{"ParameterID": "hapticintensity", "ParameterValue": 0.5},]}},
        {"ParameterCurve": {"ParameterID": "HapticIntensityControl", "Time": 0.3,
          "ParameterCurveControlPoints": [
            {"Time": 0.3, "ParameterValue": 0.0}, {"Time": 0.5, "ParameterValue": 1.0}]}}
      ]
    }

    """

  private func value(_ bench: Workbench, _ name: String) throws -> JSONValue {
    try JSONValue(parsing: [UInt8](try bench.bytes(name)))
  }

  @Test func `a bare fix mends in place and leaves what is felt`() throws {
    let bench = try Workbench()
    try bench.write(Self.untidy, to: "a.ahap")
    let ending = try bench.haprig("lint", "--fix", "a.ahap")
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(ending.errors.contains("[AHAP007]"), "\(ending.errors)")
    let text = String(decoding: try bench.bytes("a.ahap"), as: UTF8.self)
    #expect(text.contains("\"Version\": 1.0"))
    #expect(!text.contains("},]"))
    #expect(text.contains("hapticintensity"), "a name changes what is felt")
    #expect(text.contains("\"Time\": 0.3, \"ParameterValue\": 0.0"), "so does a control point")
    let again = try bench.haprig("lint", "--fix", "a.ahap")
    #expect(again.errors == "")
  }

  @Test func `fixes that change what is felt are named`() throws {
    let bench = try Workbench()
    try bench.write(Self.untidy, to: "a.ahap")
    let ending = try bench.haprig("lint", "--fix=rebase,case", "a.ahap")
    #expect(ending.code == 0, "\(ending.errors)")
    let text = String(decoding: try bench.bytes("a.ahap"), as: UTF8.self)
    #expect(text.contains("\"HapticIntensity\""))
    let curve = try value(bench, "a.ahap")["Pattern"]?.elements?[1]["ParameterCurve"]
    let points = curve?["ParameterCurveControlPoints"]?.elements
    #expect(points?.map { $0["Time"]?.number } == [0, 0.2])
    let unknown = try bench.haprig("lint", "--fix=spelling", "a.ahap")
    #expect(unknown.code == 2)
    #expect(unknown.errors.contains("rebase"), "\(unknown.errors)")
  }

  @Test func `a dry run writes nothing`() throws {
    let bench = try Workbench()
    try bench.write(Self.untidy, to: "a.ahap")
    let ending = try bench.haprig("lint", "--fix", "--dry-run", "a.ahap")
    #expect(ending.errors.contains("would mend"))
    #expect(String(decoding: try bench.bytes("a.ahap"), as: UTF8.self) == Self.untidy)
  }

  @Test func `findings as SARIF name rule, place and fix`() throws {
    let bench = try Workbench()
    try bench.write(Self.untidy, to: "a file.ahap")
    let ending = try bench.haprig("lint", "--sarif", "a file.ahap")
    #expect(ending.code == 0, "\(ending.errors)")
    let log = try JSONValue(parsing: [UInt8](ending.output.utf8))
    #expect(log["version"]?.string == "2.1.0")
    let run = try #require(log["runs"]?.elements?.first)
    let rules = try #require(run["tool"]?["driver"]?["rules"]?.elements)
    let results = try #require(run["results"]?.elements)
    #expect(!results.isEmpty)
    for result in results {
      let index = try #require(result["ruleIndex"]?.integer)
      #expect(rules[index]["id"] == result["ruleId"])
      let place = result["locations"]?.elements?.first?["physicalLocation"]
      #expect(place?["artifactLocation"]?["uri"]?.string == "a%20file.ahap")
      #expect((place?["region"]?["startLine"]?.integer ?? 0) >= 1)
    }
    let comma = try #require(results.first { $0["ruleId"]?.string == "AHAP007" })
    let change = comma["fixes"]?.elements?.first?["artifactChanges"]?.elements?.first
    let edit = change?["replacements"]?.elements?.first?["deletedRegion"]
    let offset = try #require(Self.untidy.range(of: "},]"))
    let expected = Self.untidy[..<offset.lowerBound].utf8.count + 1
    #expect(edit?["byteOffset"]?.integer == expected)
    #expect(edit?["byteLength"]?.integer == 1)
  }

  @Test func `advice is given only where it is asked for`() throws {
    let bench = try Workbench()
    let taps = (0..<4).map { index in
      """
      {"Event": {"Time": \(Double(index) * 0.06), "EventType": "HapticTransient",
        "EventParameters": [{"ParameterID": "HapticIntensity", "ParameterValue": \(index == 0 ? 0.2 : 0.9)},
        {"ParameterID": "HapticSharpness", "ParameterValue": 0.5}]}}
      """
    }
    try bench.write(
      "{\"Version\": 1.0, \"Pattern\": [\(taps.joined(separator: ",\n"))]}\n", to: "row.ahap")
    #expect(try bench.haprig("lint", "row.ahap").output == "1 file, 0 findings\n")
    let ending = try bench.haprig("lint", "--advice", "row.ahap")
    #expect(ending.code == 0)
    #expect(ending.output.contains("[AHAP10"), "\(ending.output)")
  }

  @Test func `format is canonical and keeps what a reader ignores`() throws {
    let bench = try Workbench()
    try bench.write(
      #"{"Pattern":[],"Mine":[1,12345678901234567890,1e2],"Version":1}"#, to: "a.ahap")
    let check = try bench.haprig("format", "--check", "a.ahap")
    #expect(check.code == 1)
    #expect(try bench.haprig("format", "a.ahap").code == 0)
    let text = String(decoding: try bench.bytes("a.ahap"), as: UTF8.self)
    #expect(text.contains("12345678901234567890") && text.contains("1e2"), "\(text)")
    #expect(text.hasPrefix("{\n  \"Version\": 1.0,\n"), "\(text)")
    #expect(try bench.haprig("format", "--check", "a.ahap").code == 0)
    let shown = try bench.haprig("format", "--stdout", "a.ahap")
    #expect(shown.output == text)
  }

  @Test func `a file that cannot be read is not touched by format`() throws {
    let bench = try Workbench()
    try bench.write("{", to: "a.ahap")
    let ending = try bench.haprig("format", "a.ahap")
    #expect(ending.code == 2)
    #expect(ending.errors.contains("a.ahap:1:2: "), "\(ending.errors)")
    #expect(try bench.bytes("a.ahap") == Data("{".utf8))
  }

  @Test func `an export for Apple splits what is long`() throws {
    let bench = try Workbench()
    let points = (0...40).map {
      "{\"Time\": \(Double($0)), \"ParameterValue\": \($0.isMultiple(of: 2) ? 0.5 : 1.0)}"
    }
    try bench.write(
      """
      {"Version": 1, "Pattern": [
        {"Event": {"Time": 0, "EventType": "HapticContinuous", "EventDuration": 70}},
        {"ParameterCurve": {"ParameterID": "HapticIntensityControl", "Time": 0,
          "ParameterCurveControlPoints": [\(points.joined(separator: ","))]}}]}
      """, to: "long.ahap")
    let refused = try bench.haprig("export", "long.ahap", "--out", "x.ahap")
    #expect(refused.code == 2)
    let ending = try bench.haprig("export", "--apple", "long.ahap", "--out", "phone.ahap")
    #expect(ending.code == 0, "\(ending.errors)")
    let entries = try #require(try value(bench, "phone.ahap")["Pattern"]?.elements)
    let durations = entries.compactMap { $0["Event"]?["EventDuration"]?.number }
    #expect(durations.reduce(0, +) == 70)
    #expect(durations.allSatisfy { $0 <= 30 })
    let counts = entries.compactMap {
      $0["ParameterCurve"]?["ParameterCurveControlPoints"]?.elements?.count
    }
    #expect(counts == [16, 16, 11])
    let cut = try bench.haprig(
      "export", "--apple", "--cut-long-events", "long.ahap", "--out", "cut.ahap")
    #expect(cut.code == 0, "\(cut.errors)")
    let short = try #require(try value(bench, "cut.ahap")["Pattern"]?.elements)
    #expect(short.compactMap { $0["Event"]?["EventDuration"]?.number } == [30])
  }

  @Test func `a clip goes to AHAP and back`() throws {
    let bench = try Workbench()
    try bench.write(
      """
      {"version": {"major": 1, "minor": 0, "patch": 0}, "metadata": {"author": "me"},
       "signals": {"continuous": {"envelopes": {
         "amplitude": [{"time": 0.0, "amplitude": 0.25},
           {"time": 0.5, "amplitude": 0.25, "emphasis": {"amplitude": 1.0, "frequency": 0.3}},
           {"time": 1.0, "amplitude": 0.25}],
         "frequency": [{"time": 0.0, "frequency": 0.49}, {"time": 1.0, "frequency": 0.49}]}}}}
      """, to: "clip.haptic")
    let there = try bench.haprig("convert", "clip.haptic", "clip.ahap")
    #expect(there.code == 0, "\(there.errors)")
    let back = try bench.haprig("convert", "clip.ahap", "again.haptic")
    #expect(back.code == 0, "\(back.errors)")
    let envelopes = try value(bench, "again.haptic")["signals"]?["continuous"]?["envelopes"]
    let points = try #require(envelopes?["amplitude"]?.elements)
    let emphasis = try #require(points.compactMap { $0["emphasis"] }.first)
    #expect(abs((emphasis["frequency"]?.number ?? 0) - 0.3) < 1e-9)
    #expect(abs((points[0]["amplitude"]?.number ?? 0) - 0.25) < 0.02)
    let split = try bench.haprig("convert", "--split", "clip.haptic", "two.ahap")
    #expect(split.code == 0, "\(split.errors)")
    #expect(split.output == "two.continuous.ahap\ntwo.transients.ahap\n")
  }

  @Test func `conversions that make no sense are refused`() throws {
    let bench = try Workbench()
    try bench.write(Patterns.tap, to: "tap.ahap")
    try bench.write("{}", to: "bad.haptic")
    for arguments in [
      ["tap.ahap", "tap.ahap"], ["tap.ahap", "tap.mp3"], ["tap.ahap"], ["bad.haptic", "x.ahap"],
      ["bad.haptic", "x.wav"], ["missing.ahap", "x.haptic"],
    ] {
      let ending = try bench.haprig(["convert"] + arguments)
      #expect(ending.code == 2, "\(arguments)")
      #expect(!ending.errors.isEmpty, "\(arguments)")
    }
    let wave = try bench.haprig("convert", "tap.ahap", "tap.wav")
    #expect(wave.code == 0 && wave.output.hasPrefix("tap.wav: 1 channel"), "\(wave.errors)")
  }

  @Test func `the intent is written in exact form`() throws {
    let bench = try Workbench()
    try bench.write(
      """
      {"Version": 1.0, "Pattern": [
        {"Event": {"Time": 0.5, "EventType": "HapticContinuous", "EventDuration": 1.0,
          "EventParameters": [{"ParameterID": "HapticIntensity", "ParameterValue": 0.5},
            {"ParameterID": "HapticSharpness", "ParameterValue": 0.25}]}},
        {"ParameterCurve": {"ParameterID": "HapticIntensityControl", "Time": 0.5,
          "ParameterCurveControlPoints": [{"Time": 0.0, "ParameterValue": 0.0},
            {"Time": 1.0, "ParameterValue": 1.0}]}}]}
      """, to: "ramp.ahap")
    let ending = try bench.haprig("render", "ramp.ahap", "--intent", "intent.json")
    #expect(ending.code == 0, "\(ending.errors)")
    let event = try #require(try value(bench, "intent.json")["events"]?.elements?.first)
    let segments = try #require(event["segments"]?.elements)
    let middle = try #require(
      segments.first { ($0["start"]?.number ?? 9) <= 1 && ($0["end"]?.number ?? 0) > 1 })
    let age = 1 - (middle["start"]?.number ?? 0)
    let terms = (middle["intensity"]?.elements ?? []).compactMap(\.number)
    try #require(terms.count == 3)
    #expect(abs(terms[0] + age * (terms[1] + age * terms[2]) - 0.25) < 1e-12)
    let sharpness = middle["sharpness"]?.elements?.compactMap(\.number)
    #expect(sharpness == [0.25, 0])
    #expect(try bench.haprig("render", "ramp.ahap").code == 2, "nothing to write is named")
  }

  @Test(arguments: [
    ["--mixing", "loud"], ["--ducking", "2"], ["--envelope-times", "5"],
    ["--transient-length", "0"], ["--intensity-law", "cubic"],
  ])
  func `laws that do not exist are refused`(arguments: [String]) throws {
    let bench = try Workbench()
    try bench.write(Patterns.tap, to: "tap.ahap")
    let ending = try bench.haprig(["render", "tap.ahap", "--out", "x.wav"] + arguments)
    #expect(ending.code == 2, "\(ending.errors)")
    #expect(bench.names(in: ".") == ["tap.ahap"])
  }
}
