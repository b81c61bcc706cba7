import Acceptance
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
      quiet.sentences.contains("Outside the plan's limits on the newest night: xruns."))
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
        "First: latency.onset of tap went from 10.5 ms to 11.7 ms (+1.200 ± 0.040 ms) on 2026-11-04.",
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
        "A change is suspected: 40 nights of nightly on simulated-lra, 2026-10-04 to 2026-11-12.",
        "Suspected since 2026-11-04: latency.onset of tap +1.200 ± 0.040 ms (10.5 ms to 11.7 ms); "
          + "not run again yet, 2 more nights to confirm.",
      ])
    var reading = Reading(.xruns, value: 2)
    reading.limit = "at most 0"
    report.violations = [HistoryReport.Violation(run: "night-39", reading: reading)]
    #expect(report.outcome == .outsideLimits)
    #expect(report.sentences.first?.hasPrefix("Outside the plan's limits: 40 nights") == true)
    #expect(report.sentences.last?.hasPrefix("Suspected since 2026-11-04") == true)
  }

  @Test func `of several actuators it is said which one moved`() {
    var report = SampleHistory().make()
    #expect(!report.sentences.joined().contains("lra-1"))
    report.series[0].nightly.key.actuator = "lra-2"
    #expect(report.sentences[1].hasPrefix("First: latency.onset of tap on lra-1 went from 10.5 ms"))
  }
}
