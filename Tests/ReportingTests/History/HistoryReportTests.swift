// SPDX-License-Identifier: Apache-2.0

import Acceptance
import JSONText
import Reporting
import Testing

@testable import ChangeDetection

struct HistoryReportTests {
  @Test func `the heaviest of what holds is the outcome`() {
    #expect(SampleHistory().make().outcome == .regression)
    #expect(SampleHistory(standing: .heldBack).make().outcome == .rigMoved)
    #expect(SampleHistory(standing: .unconfirmed).make().outcome == .unconfirmed)
    #expect(SampleHistory(standing: .improved).make().outcome == .steady)
    #expect(SampleHistory(standing: nil).make().outcome == .steady)
    let empty = HistoryReport(rig: "r", plan: "p", days: nil, series: [], runs: [])
    #expect(empty.outcome == .empty)
    #expect(empty.sentences == ["There is no complete run of p on r."])
  }

  @Test func `a limit that is broken is not hidden by quiet statistics`() {
    var reading = Reading(.xruns, value: 2)
    reading.limit = "at most 0"
    let broken = HistoryReport.Violation(run: "night-39", reading: reading)
    let quiet = SampleHistory(standing: .unconfirmed, violations: [broken]).make()
    #expect(quiet.outcome == .outsideLimits)
    #expect(
      quiet.sentences.contains(
        "Outside the plan's limits on the newest night: underruns and overruns."))
    #expect(SampleHistory(violations: [broken]).make().outcome == .regression)
  }

  @Test func `a control that moved long ago says nothing of tonight`() {
    var report = SampleHistory(standing: .rigMoved).make()
    #expect(report.outcome == .rigMoved)
    report.days = SampleHistory.firstDay...(SampleHistory.lastDay + 30)
    #expect(report.outcome == .steady)
  }

  @Test func `the sentences name what changed first, how far, since when and what else changed`() {
    let sentences = SampleHistory().make().sentences
    #expect(
      sentences == [
        "Regression: 1 incident for the worse in 40 nights of nightly on simulated-lra, "
          + "2026-10-04 to 2026-11-12.",
        "First: felt start of tap went from 10.5 ms to 11.7 ms (+1.200 ± 0.040 ms) on 2026-11-04.",
        "With it changed kernel from 6.1.0-25 to 6.1.0-26.",
      ])
  }

  @Test func `the table of what follows from what has every reading, and no other`() {
    #expect(
      Set(ReadingOrigin.table.map(\.reading)) == Set(ReadingKind.allCases.map(\.rawValue)))
  }

  @Test func `no regression is not said above nights that are suspected`() {
    var report = SampleHistory(standing: .unconfirmed).make()
    report.series[3].changes[0].alarm.standing = .suspected
    report.series[3].changes[0].alarm.reason = "not run again yet"
    report.series[3].changes[0].alarm.nightsToConfirm = 2
    report.series[3].suspected = report.series[3].changes.removeFirst()
    #expect(report.outcome == .unconfirmed)
    #expect(
      report.sentences == [
        "Suspected since 2026-11-04: felt start of tap +1.200 ± 0.040 ms (10.5 ms to 11.7 ms); "
          + "not run again yet, 2 more nights to confirm. Nothing is confirmed yet: 40 nights of "
          + "nightly on simulated-lra, 2026-10-04 to 2026-11-12."
      ])
    var reading = Reading(.xruns, value: 2)
    reading.limit = "at most 0"
    report.violations = [HistoryReport.Violation(run: "night-39", reading: reading)]
    #expect(report.outcome == .outsideLimits)
    #expect(report.sentences.first?.hasPrefix("Outside the plan's limits: 40 nights") == true)
    #expect(report.sentences.last?.hasPrefix("Suspected since 2026-11-04") == true)
  }

  @Test func `a weak change is a weak suspicion, in words, for programs and for metrics`() {
    var report = SampleHistory(standing: .unconfirmed).make()
    report.series[3].changes[0].alarm.point.state = .weak
    report.series[3].changes[0].alarm.reason = "seen on the last nights, and not sure yet"
    report.series[3].changes[0].alarm.nightsToConfirm = 3
    let words =
      "Weakly suspected since 2026-11-04: felt start of tap +1.200 ± 0.040 ms (10.5 ms to "
      + "11.7 ms); 3 more nights to confirm."
    let span = "40 nights of nightly on simulated-lra, 2026-10-04 to 2026-11-12."
    #expect(report.sentences == ["\(words) Nothing is confirmed yet: \(span)"])
    let text = HistoryText.summary(report).split(whereSeparator: \.isWhitespace)
      .joined(separator: " ")
    #expect(text.hasPrefix("\(words) Nothing is confirmed yet: \(span) unconfirmed felt start"))
    #expect(text.contains("seen on the last nights, and not sure yet, 3 more nights to confirm"))
    #expect(
      HistoryPage(report).text.contains("; 3 more nights to confirm. Nothing is confirmed yet"))
    let metrics = OpenMetricsReport.text(history: report)
    #expect(
      metrics.contains(
        "haprig_history_nights_to_confirm{rig=\"simulated-lra\",plan=\"nightly\",actuator=\"lra-1\","
          + "pattern=\"tap\",reading=\"latency.onset\",standing=\"unconfirmed\"} 3.0\n"),
      "\(metrics)")
    #expect(report.json["incidents"]?.elements?.first?["nightsToConfirm"]?.integer == 3)
    #expect(report.json["changes"]?.elements?.first?["nightsToConfirm"]?.integer == 3)
    report.series[3].changes[0].alarm.nightsToConfirm = nil
    #expect(report.sentences[0].contains("; a month of such nights would not confirm it. Nothing"))
  }

  @Test func `no regression does not lead nights that broke a limit while a change is weak`() {
    var report = SampleHistory(standing: .unconfirmed).make()
    report.series[3].changes[0].alarm.point.state = .weak
    var reading = Reading(.xruns, value: 2)
    reading.limit = "at most 0"
    report.violations = [HistoryReport.Violation(run: "night-39", reading: reading)]
    #expect(report.sentences.first?.hasPrefix("Outside the plan's limits: 40 nights") == true)
    #expect(report.sentences.last?.hasPrefix("Weakly suspected since 2026-11-04") == true)
  }

  @Test func `of several actuators it is said which one moved`() {
    var report = SampleHistory().make()
    #expect(!report.sentences.joined().contains("lra-1"))
    report.series[0].nightly.key.actuator = "lra-2"
    #expect(report.sentences[1].hasPrefix("First: felt start of tap on lra-1 went from 10.5 ms"))
  }
}
