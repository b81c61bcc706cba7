// SPDX-License-Identifier: Apache-2.0

import Acceptance
import ChangeDetection
import JSONText
import Testing
import Units

@testable import Reporting

struct HistoryTextTests {
  @Test func `no line is wider than a terminal, and every number has its unit`() {
    let text = HistoryText.table(SampleHistory().make())
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.allSatisfy { $0.count <= 100 }, "\(text)")
    #expect(lines.first == "nightly on simulated-lra: 40 nights, 2026-10-04 to 2026-11-12")
    #expect(lines.contains { $0.hasPrefix("felt start ") && $0.contains(" ms ") }, "\(text)")
    #expect(lines.contains { $0.hasPrefix("swell (lra-1)") })
    #expect(lines.contains { $0.hasPrefix("underruns and overruns ") && $0.contains("▁▁▁") })
    #expect(
      lines.contains(
        "  worse       felt start of tap went from 10.5 ms to 11.7 ms (+1.200 ± 0.040 ms) on 2026-11-04"
      ),
      "\(text)")
    #expect(text.contains("note: one run could not be read"))
  }

  @Test func `who asks gets the names that plans use, of what is told`() {
    let report = SampleHistory().make()
    let text = HistoryText.table(report, explaining: true)
    #expect(text.hasPrefix(HistoryText.table(report)))
    #expect(text.contains("\n  level error (intensity.error): "))
    let summary = HistoryText.summary(report, explaining: true)
    #expect(summary.contains("\n  felt start (latency.onset): "))
    #expect(!summary.contains("intensity.error"))
  }

  @Test func `a size without an uncertainty has no step that is finer than is of use`() {
    #expect(Shown.size(-6.9971, .decibel) == "-7 dB")
    #expect(Shown.size(-6.9871, .decibel) == "-6.99 dB")
    #expect(Shown.size(0.004, .decibel) == "below 0.01 dB")
    #expect(Shown.size(8.30812345e-3, .second) == "8.308 ms")
    #expect(Shown.size(12.00004, .partsPerMillion) == "12 ppm")
  }

  @Test func `the summary lists changes with what else differed, and limits apart`() {
    var reading = Reading(
      .latencyOnset, pattern: "tap", take: 2, event: 0, value: 0.02, uncertainty: 0.001)
    reading.limit = "at most 15 ms"
    let broken = HistoryReport.Violation(run: "night-39", reading: reading)
    let text = HistoryText.summary(SampleHistory(violations: [broken]).make())
    #expect(
      text.hasPrefix("Regression: 1 incident for the worse in 40 nights of nightly on"))
    #expect(
      text.contains(
        "              kernel from 6.1.0-25 to 6.1.0-26 (tells bad nights from good ones: 100 %)"))
    #expect(text.contains("limits, whatever the statistics say:\n"))
    #expect(
      text.contains(
        "  fail  felt start of tap take 2 event 0: 20.0 ± 1.0 ms, asked is at most 15 ms (night-39)"
      ))
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 }, "\(text)")
  }

  @Test func `long sentences go on in the next line, and no word is lost`() throws {
    var report = SampleHistory().make()
    let place = try #require(report.series.firstIndex { !$0.changes.isEmpty })
    let long = "continuous-with-curves-and-a-long-name"
    report.series[place].changes[0].alarm.key.pattern = long
    var reading = Reading(
      .latencyOnset, pattern: long, take: 12, event: 31, value: 0.02, uncertainty: 0.001)
    reading.limit = "at most 15 ms, marginal at 12 ms"
    report.violations = [
      HistoryReport.Violation(run: "20261122-030100-simulated-lra-nightly", reading: reading)
    ]
    for colored in [false, true] {
      let text = HistoryText.summary(report, color: colored)
        .replacing(/\u{1B}\[[0-9]+m/, with: "")
      #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 }, "\(text)")
      let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(
        words.contains("of \(long) went from 10.5 ms to 11.7 ms (+1.200 ± 0.040 ms) on 2026-11-04"))
      #expect(
        words.contains("marginal at 12 ms (20261122-030100-simulated-lra-nightly)"), "\(text)")
      #expect(!text.contains("…"))
    }
  }

  @Test func `a sparkline between wide columns is narrower and still ends with the newest night`()
    throws
  {
    var report = SampleHistory().make()
    let place = try #require(report.series.firstIndex { $0.nightly.key.reading == "latency.onset" })
    var series = report.series[place]
    let key = SeriesKey(
      rig: "simulated-lra", actuator: "lra-1", pattern: "tap", reading: "control.latency.transport")
    series.nightly = NightlySeries(
      key: key, unit: .second,
      nights: (0..<40).map { index in
        Night(
          day: SampleHistory.firstDay + index, value: index == 39 ? 0.5 : 0.1234567,
          uncertainty: 1.234e-9, count: 5, run: "night-\(index)")
      })
    series.trend = Trend(of: series.nightly)
    series.changes = []
    report.series = [series]
    let text = HistoryText.table(report)
    let row = try #require(
      text.split(separator: "\n").first { $0.hasPrefix("control: delay to motion") })
    #expect(row.count <= 100 && row.hasSuffix("█"), "\(row)")
  }

  @Test func `colour changes no word`() {
    let report = SampleHistory().make()
    let coloured = HistoryText.summary(report, color: true)
    #expect(coloured.contains("\u{1B}[31mworse\u{1B}[0m"))
    #expect(coloured.replacing(/\u{1B}\[[0-9]+m/, with: "") == HistoryText.summary(report))
  }

  @Test func `a name cannot steer a terminal`() {
    var report = SampleHistory().make()
    report.series[3].nightly = NightlySeries(
      key: SeriesKey(rig: "r", pattern: "tap\u{1B}[2J", reading: "x"), unit: .second,
      nights: report.series[3].nightly.nights)
    report.notes = ["\u{1B}[2J"]
    #expect(!HistoryText.table(report).contains("\u{1B}"))
  }

  @Test func `a sparkline has a character a day, blanks where no night was, and an order`() {
    let nights = [(0, 1.0), (1, 2.0), (3, 8.0)].map { Night(day: $0.0, value: $0.1) }
    #expect(TextSparkline.text(nights, days: 0...3, width: 24) == "▁▂ █")
    #expect(TextSparkline.text(nights, days: 0...3, width: 2) == "▁█")
    #expect(TextSparkline.text([], days: 0...2, width: 24) == "   ")
    let flat = (0..<3).map { Night(day: $0, value: 5) }
    #expect(TextSparkline.text(flat, days: 0...2, width: 24) == "▁▁▁")
    let year = (0..<365).map { Night(day: $0, value: Double($0)) }
    let line = TextSparkline.text(year, days: 0...364, width: 24)
    #expect(line.count == 24 && line == String(line.sorted()))
  }

  @Test func `the JSON has every part under its key`() throws {
    let report = SampleHistory().make()
    let json = try JSONValue(parsing: Array(report.jsonText.utf8))
    #expect(json["schema"]?.string == "haprig.history/1")
    #expect(json["from"]?.string == "2026-10-04" && json["to"]?.string == "2026-11-12")
    #expect(json["outcome"]?.string == "regression")
    #expect(json["sentences"]?.elements?.compactMap(\.string) == report.sentences)
    let series = try #require(json["series"]?.elements)
    #expect(series.count == 4)
    let latency = try #require(series.last)
    #expect(latency["reading"]?.string == "latency.onset" && latency["unit"]?.string == "s")
    #expect(latency["nights"]?.elements?.count == 40)
    #expect(latency["limit"]?.string == "at most 20 ms, marginal at 15 ms")
    #expect(latency["verdict"]?.string == "pass")
    #expect(latency["baseline"]?["nights"]?.integer == 40)
    let change = try #require(json["changes"]?.elements?.first)
    #expect(
      change["day"]?.string == "2026-11-04" && change["lastDayBefore"]?.string == "2026-11-03")
    #expect(change["state"]?.string == "confirmed" && change["standing"]?.string == "raised")
    #expect(change["runBefore"]?.string == "night-30" && change["runAfter"]?.string == "night-31")
    #expect(change["environment"]?.elements?.first?["bad"]?.elements?.first?.string == "6.1.0-26")
    let decision = try #require(json["decisions"]?.elements?.first)
    #expect(decision["kind"]?.string == "accepted" && decision["who"]?.string == "ada")
    #expect(decision["pattern"] == nil && decision["reading"]?.string == "intensity.error")
    #expect(json["runs"]?.elements?.count == 40)
    #expect(report.jsonText == SampleHistory().make().jsonText)
  }

  @Test func `metrics name the outcome, the changes and their sizes`() {
    let text = OpenMetricsReport.text(history: SampleHistory().make())
    let plan = "rig=\"simulated-lra\",plan=\"nightly\""
    for line in [
      "haprig_history_outcome{\(plan),outcome=\"regression\"} 1.0",
      "haprig_history_outcome{\(plan),outcome=\"steady\"} 0.0",
      "haprig_history_nights{\(plan)} 40.0",
      "haprig_history_newest_night_timestamp_seconds{\(plan)} 1794441600.0",
      "haprig_history_changes{\(plan),standing=\"raised\"} 1.0",
      "haprig_history_changes{\(plan),standing=\"heldBack\"} 0.0",
      "haprig_history_violations{\(plan)} 0.0",
    ] {
      #expect(text.split(separator: "\n").contains(Substring(line)), "\(line)\n\(text)")
    }
    #expect(
      text.contains(
        "haprig_history_change_sigmas{\(plan),actuator=\"lra-1\",pattern=\"tap\","
          + "reading=\"latency.onset\",standing=\"raised\"} 29.99"), "\(text)")
    let empty = HistoryReport(rig: "r", plan: "p", days: nil, series: [], runs: [])
    #expect(OpenMetricsReport.text(history: empty).hasSuffix("# EOF\n"))
  }
}
