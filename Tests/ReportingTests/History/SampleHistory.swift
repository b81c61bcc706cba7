// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Reporting
import SeededRandom
import Units

@testable import ChangeDetection

/// A made-up history of forty nights: a latency that stepped, a control that did not, losses that are
/// zero, and a level that somebody accepted.
struct SampleHistory {
  static let firstDay = 20_730
  static let lastDay = firstDay + 39
  static let key = SeriesKey(
    rig: "simulated-lra", actuator: "lra-1", pattern: "tap", reading: "latency.onset")

  /// What the step leads to; `nil` for no step at all.
  var standing: Alarm.Standing? = .raised
  var violations: [HistoryReport.Violation] = []
  var seed: UInt64 = 3

  /// The report.
  func make() -> HistoryReport {
    var random = SeededRandom(seed: seed)
    let nights = {
      (key: SeriesKey, level: Double, spread: Double, step: Double, unit: MeasurementUnit) in
      NightlySeries(
        key: key, unit: unit,
        nights: (0..<40).map { index in
          Night(
            day: Self.firstDay + index,
            value: level + spread * random.gaussian() + (index < 31 ? 0 : step),
            uncertainty: spread / 2, count: 5, run: Self.run(index))
        })
    }
    let step = standing == nil ? 0 : 0.0012
    let latency = nights(Self.key, 0.0105, 0.0001, step, .second)
    let control = nights(
      Self.key.with(pattern: "", reading: "control.latency.electrical"), 0.0042, 1e-6, 0, .second)
    let losses = nights(Self.key.with(pattern: "", reading: "xruns"), 0, 0, 0, .count)
    let intensity = nights(
      Self.key.with(pattern: "swell", reading: "intensity.error"), -0.4, 0.2, 0, .decibel)
    var changed = series(latency)
    changed.limit = Limit(ReadingName(.latencyOnset), .below(0.02, marginal: 0.015))
    changed.changes = standing.map { [change($0)] } ?? []
    var lost = series(losses)
    lost.limit = Limit(ReadingName(.xruns), .below(0, marginal: nil))
    return HistoryReport(
      rig: "simulated-lra", plan: "nightly", days: Self.firstDay...Self.lastDay,
      series: [series(control), lost, series(intensity), changed],
      runs: (0..<40).map { index in
        .init(
          id: Self.run(index), began: "\(CalendarDay(number: Self.firstDay + index))T02:00:00Z",
          day: Self.firstDay + index, verdict: index == 12 ? .marginal : .pass,
          link: "\(Self.run(index))/report.html")
      }, violations: violations,
      decisions: [
        BaselineDecision(
          .accepted, scope: SeriesScope(rig: "simulated-lra", reading: "intensity.error"),
          day: Self.firstDay + 20, who: "ada", when: "2026-10-24T08:00:00Z",
          why: "the new foam is softer")
      ], notes: ["one run could not be read"])
  }

  static func run(_ index: Int) -> String { "night-\(index)" }

  private func series(_ nightly: NightlySeries) -> HistoryReport.Series {
    HistoryReport.Series(
      nightly: nightly, baseline: Baseline(of: nightly, points: []), trend: Trend(of: nightly))
  }

  private func change(_ standing: Alarm.Standing) -> HistoryReport.Change {
    HistoryReport.Change(
      alarm: Alarm(
        key: Self.key,
        point: ChangePoint(
          index: 31, day: Self.firstDay + 31, lastDayBefore: Self.firstDay + 30, before: 0.0105,
          after: 0.0117, uncertainty: 0.00004, significance: 1e-9,
          state: standing == .unconfirmed ? .found : .confirmed),
        standing: standing, reason: "confirmed, for the worse, and no control moved with it"),
      unit: .second, runBefore: Self.run(30), runAfter: Self.run(31),
      differences: [
        EnvironmentDifference(key: "kernel", separation: 1, good: ["6.1.0-25"], bad: ["6.1.0-26"])
      ])
  }
}

extension SeriesKey {
  fileprivate func with(pattern: String, reading: String) -> SeriesKey {
    SeriesKey(rig: rig, actuator: actuator, pattern: pattern, reading: reading)
  }
}
