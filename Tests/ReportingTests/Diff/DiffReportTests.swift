// SPDX-License-Identifier: Apache-2.0

import Acceptance
import ChangeDetection
import Foundation
import JSONText
import Testing
import Units

@testable import Reporting

/// What is said of sides beside each other: words, order, JSON by its schema, and a page.
struct DiffReportTests {
  private static func difference(
    _ kind: ReadingKind, _ first: [Double], _ second: [Double], pattern: String = "tap",
    isControl: Bool = false
  ) -> DiffReport.Difference {
    let (one, other) = (RepeatedValue(first), RepeatedValue(second))
    return DiffReport.Difference(
      .init(name: ReadingName(kind, isControl: isControl), pattern: pattern, event: 0), from: one,
      to: other, difference: MeanDifference(from: one, to: other))
  }

  private static func side(_ label: String, _ id: String) -> DiffReport.Side {
    DiffReport.Side(label: label, runs: [.init(id, SampleRecord(names: ["tap"]).make())])
  }

  /// Two sides with a reading of every kind of finding, and pictures.
  static func sample() -> DiffReport {
    let low = [1.0, 1.01, 0.99, 1.005]
    let high = low.map { $0 + 0.5 }
    let trace = TakeFigure.Trace(name: "A", lowest: [0, -1, .nan], highest: [0, 1, .nan])
    var other = trace
    other.name = "B"
    let overlay = DiffReport.Overlay(
      pattern: "tap",
      takes: [
        .init(side: 0, run: "r1", number: 1, electrical: 8.3e-3, drift: 12, transport: 4e-4),
        .init(side: 1, run: "r2", number: 1, electrical: nil, drift: 0, transport: nil),
      ], isWithoutTransport: false,
      figure: TakeFigure(
        pattern: "tap", take: 1, span: -0.1...1,
        panels: [.init(title: "Response", unit: .metrePerSecondSquared, traces: [trace, other])],
        events: [.init(index: 0, kind: "HapticTransient", span: 0...0, onset: nil)]),
      residuals: [.init(side: 1, response: -31.5, noise: -60, level: 0.2, drive: -.infinity)])
    return DiffReport(
      sides: [side("A", "r1"), side("B", "r2")],
      pairs: [
        .init(
          side: 1, notes: ["the plans differ: one and <two>"], common: ["rig (bench)"],
          apart: ["profile"],
          environment: EnvironmentDifference.between(
            good: [["kernel": "6.1"]], bad: [["kernel": "6.2"]]),
          differences: [
            difference(.noiseFloor, low, low), difference(.envelopeCorrelation, low, high),
            difference(.responsePeak, low, high), difference(.latencyOnset, [1], [2]),
            difference(.latencyTransport, low, high),
            difference(.temperature, low, high, pattern: ""),
          ], onlyFirst: [.init(name: ReadingName(.drift), pattern: "tap")])
      ], overlays: [overlay], absences: ["no waveforms of another pattern"])
  }

  @Test func `what asks for most comes first, and each finding has its word`() {
    let report = Self.sample()
    let all = report.pairs[0].differences
    #expect(
      all.map(\.word) == [
        "worse", "changed", "changed", "better", "within chance", "cannot be told",
      ])
    #expect(report.isWorse && report.verdict == .fail)
    #expect(
      report.sentence
        == "A and B: 4 of 6 readings differ by more than chance, 1 for the worse, 1 for the better, "
        + "2 changed.")
  }

  @Test func `weather and what is better ask for nothing, a control that moved does`() {
    func isWorse(_ difference: DiffReport.Difference) -> Bool {
      DiffReport(
        sides: [Self.side("A", "1"), Self.side("B", "2")],
        pairs: [
          .init(
            side: 1, notes: [], common: [], apart: [], environment: [], differences: [difference])
        ]
      ).isWorse
    }
    let (low, high) = ([1.0, 1.01, 0.99], [2.0, 2.01, 1.99])
    #expect(!isWorse(Self.difference(.temperature, low, high)))
    #expect(!isWorse(Self.difference(.latencyOnset, high, low)))
    #expect(isWorse(Self.difference(.latencyOnset, low, high)))
    #expect(isWorse(Self.difference(.latencyOnset, high, low, isControl: true)))
    #expect(isWorse(Self.difference(.intensityError, [0.1, 0.11, 0.09], [-0.5, -0.51, -0.49])))
  }

  @Test func `the table shows what differs, and counts the rest`() {
    let text = DiffText.table(Self.sample())
    let lines = text.split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= 100 }, "\(text)")
    #expect(text.contains("\n  delay to motion\n    event 0 ") && text.contains("+500.0 ± "))
    #expect(!text.contains("noise at rest"))
    #expect(text.contains("not shown: 1 within chance, 1 cannot be told"))
    #expect(text.contains("environment: kernel from 6.1 to 6.2"))
    #expect(text.contains("measured on the first side only: clock drift of tap"))
    let explained = DiffText.table(Self.sample(), explaining: true)
    #expect(explained.contains("\n  delay to motion (latency.transport): "))
    let all = DiffText.table(Self.sample(), showsAll: true)
    #expect(all.contains("noise at rest") && !all.contains("not shown"))
  }

  @Test func `the page is balanced, stands alone and hides no markup of a name`() throws {
    let report = Self.sample()
    let page = DiffPage(report).text
    let elements = try Element.all(in: page)
    #expect(elements.contains { $0.attributes["id"] == "pattern-1-title" })
    #expect(page.contains("one and &lt;two&gt;") && !page.contains("<two>"))
    #expect(!page.contains("http://") || !page.contains("src=\"http"))
    #expect(elements.contains { $0.attributes["id"] == "result" })
    #expect(page.contains(">delay to motion, event 0</a><span class=\"detail\">latency.transport<"))
    #expect(elements.contains { $0.attributes["id"] == "means-latency.transport" })
  }

  private static let schema = #filePath.replacing(
    "Tests/ReportingTests/Diff/DiffReportTests.swift", with: "docs/schema/diff.schema.json")

  private static let hasValidator =
    Python.isAvailable && (try? Python.run("import jsonschema; print(1)", input: "")) == "1\n"

  @Test(.enabled(if: hasValidator, "python3-jsonschema is not installed"))
  func `the JSON holds by its schema`() throws {
    let script = """
      import json, sys
      import jsonschema
      schema = json.load(open('\(Self.schema)'))
      jsonschema.Draft202012Validator.check_schema(schema)
      validator = jsonschema.Draft202012Validator(schema)
      for error in validator.iter_errors(json.load(sys.stdin)):
          print('/'.join(map(str, error.absolute_path)), error.message[:200])
      """
    #expect(try Python.run(script, input: Self.sample().jsonText) == "")
  }

  @Test func `the schema knows every word`() throws {
    let schema = try JSONDocument(Array(Data(contentsOf: URL(filePath: Self.schema)))).root.value
    let properties = schema["$defs"]?["difference"]?["properties"]
    func words(_ name: String) -> [String]? {
      properties?[name]?["enum"]?.elements?.compactMap(\.string)
    }
    #expect(words("finding") == DiffReport.Finding.allCases.map(\.rawValue))
    #expect(words("course") == DiffReport.Course.allCases.map(\.rawValue))
    #expect(schema["properties"]?["schema"]?["const"]?.string == DiffReport.schema)
  }
}
