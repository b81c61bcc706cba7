// SPDX-License-Identifier: Apache-2.0

import Acceptance
import GaugeStudy
import JSONText
import Testing
import Units

@testable import Reporting

struct GaugeReportTests {
  @Test func `the sentence says how many classes, where the scatter is from, and what to do`() {
    let report = SampleStudy().make()
    let sentence = report.sentence
    #expect(sentence.contains("classes of these actuators (95 %: "), "\(sentence)")
    #expect(sentence.contains("of the tolerance"), "\(sentence)")
    #expect(sentence.contains("emounting is 9"), "\(sentence)")
    #expect(sentence.hasSuffix("look at the mount first."), "\(sentence)")
  }

  @Test func `the verdict goes by the tolerance, and without one by the study's variation`() {
    func verdict(_ tolerance: Double?) -> Verdict {
      SampleStudy(tolerance: tolerance).make().verdict
    }
    // Six times some 0.17 m/s2 is 1 m/s2.
    #expect(verdict(20) == .pass)
    #expect(verdict(5) == .marginal)
    #expect(verdict(2) == .fail)
    #expect(verdict(nil) == .marginal)
    #expect(SampleStudy(deviations: (0, 0.16, 0.05), tolerance: nil).make().verdict == .fail)
  }

  @Test func `actuators that cannot be told apart are said to be so`() {
    let report = SampleStudy(deviations: (0, 0.16, 0.05), tolerance: nil).make()
    #expect(
      report.sentence.hasPrefix("The bench cannot tell these actuators apart"), "\(report.sentence)"
    )
  }

  @Test func `nothing measured is no verdict`() {
    var report = SampleStudy(missing: Set(1...45)).make()
    #expect(report.verdict == .notMeasured)
    #expect(GaugeText.table(report).contains("not measured"))
    #expect(GaugePage(report).text.contains("Nothing was measured yet"))
    report = SampleStudy(missing: Set(2...45)).make()
    #expect(report.sentence.contains("nothing was repeated"), "\(report.sentence)")
  }

  @Test func `what is missing is told before any number`() throws {
    let report = SampleStudy(missing: [4, 5, 6, 9]).make()
    #expect(report.notes.first?.hasPrefix("13 of 15 mounts are done") == true, "\(report.notes)")
    let text = GaugeText.table(report)
    #expect(text.contains("note: 13 of 15 mounts are done"))
    let rows = try Element.all(in: GaugePage(report).text).filter { $0.name == "tr" }.map(\.text)
    #expect(rows.contains { $0.contains("lra-1") && $0.contains("3, 0, 2") }, "\(rows)")
  }

  @Test func `the table has components, their sum, the actuators and limits`() {
    let text = GaugeText.table(SampleStudy().make())
    for word in [
      "remount", "repeat", "gauge R&R", "actuators", "sd, m/s2", "of tolerance", "ndc",
      "repeatability limit, the mount untouched", "the same, mounted anew",
      "reproducibility limit, all of the measurement", "note: rig: one level alone",
      "note: day: one level alone",
    ] { #expect(text.contains(word), "\(word) in \(text)") }
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 }, "\(text)")
  }

  @Test func `equal reports give equal pages, with all pictures and no script`() throws {
    let page = GaugePage(SampleStudy(days: 2).make()).text
    Attachment.record(page, named: "gauge.html")
    #expect(page == GaugePage(SampleStudy(days: 2).make()).text)
    let elements = try Element.all(in: page)
    #expect(elements.count { $0.name == "svg" } == 2)
    #expect(!elements.contains { $0.name == "script" })
    let badge = try #require(elements.first { $0.attributes["class"]?.contains("large") == true })
    #expect(badge.text == "✕ not good enough")
    #expect(elements.contains { $0.name == "h2" && $0.text == "RMS acceleration of steps" })
    #expect(elements.contains { $0.text.hasPrefix("RMS acceleration (response.rms): ") })
  }

  @Test func `what a file or archive says stands on the page as text`() {
    let report = SampleStudy(actuators: ["<b>1", "a&2"]).make()
    let page = GaugePage(report).text
    #expect(!page.contains("<b>1"))
    #expect(page.contains("&lt;b&gt;1"))
  }

  @Test func `the JSON has what the table has`() throws {
    let report = SampleStudy().make()
    let json = try JSONValue(parsing: Array(report.json.text(indent: 1, sortedKeys: true).utf8))
    #expect(json["schema"]?.string == "haprig.gauge/1")
    let reading = try #require(json["readings"]?.elements?.first)
    let analysis = try #require(report.readings[0].analysis)
    #expect(reading["gauge"]?["value"]?.number == analysis.gauge.value)
    #expect(reading["components"]?.elements?.count == 3)
    #expect(reading["anova"]?.elements?.compactMap { $0["df"]?.number } == [4, 10, 30])
    let limit = try #require(reading["reproducibilityLimit"]?.number)
    #expect(abs(limit - 2.8 * analysis.gauge.value) < 1e-12)
  }

  @Test func `the CSV has a line for each value`() {
    let lines = GaugeCSV.text(SampleStudy().make()).split(separator: "\r\n")
    #expect(lines.count == 46)
    #expect(lines[1].hasPrefix("response.rms,steps,m/s2,lra-1,bench-1,2026-11-21,1,1,run-1,"))
  }
}
