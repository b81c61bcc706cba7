// SPDX-License-Identifier: Apache-2.0

package import ChangeDetection
import GaugeStudy
package import Reporting
package import RunArchive

/// One plan on all rigs that have nights of it: from an archive to how well they agree.
package struct LabReader {
  private let archive: Archive
  private let rigs: [String]
  private let plan: String
  private let selection: SeriesSelection

  /// How many days are looked at where nothing is said: a fortnight is enough to compare, and short enough to be about now.
  package static let standardDays = 14

  /// Chooses what is compared: some rigs, and the plan, their only one where none is named.
  package init(
    _ archive: Archive, rigs names: [String], plan: String?, selection: SeriesSelection
  ) throws(ArchiveError) {
    self.archive = archive
    self.selection = selection
    let own = try archive.latestRuns().filter { names.contains($0.rig) }
    let plans = Dictionary(grouping: own, by: \.plan)
    guard let name = plan ?? (plans.count == 1 ? plans.keys.first : nil), let runs = plans[name]
    else {
      let several =
        plan == nil ? "the rigs have runs of" : "no rig has a run of '\(plan ?? "")', but of"
      throw ArchiveError(
        path: "--plan",
        message: "\(several) \(Count.list(plans.keys.sorted(), atMost: 12)): name one")
    }
    self.plan = name
    rigs = runs.map(\.rig).sorted()
  }

  /// Reads the nights of some days up to the last one, that of the newest run where none is given.
  ///
  /// Nothing but the archive is asked: equal archives give equal reports.
  package func report(days count: Int, until: CalendarDay?) throws(ArchiveError) -> LabReport {
    var nights: [NightlySeries] = []
    let asked = until.map { Self.days(count, to: $0) }
    for rig in rigs {
      nights += try archive.nights(rig: rig, plan: plan, days: asked) { key in
        // What is off in the control, the electrical loop, is the rig and no actuator.
        !key.isOfSurroundings && selection.contains(key)
      }
    }
    let newest = nights.compactMap { $0.nights.last?.day }.max() ?? 0
    let days = asked ?? Self.days(count, to: CalendarDay(number: newest))
    let within = nights.map { series in
      NightlySeries(
        key: series.key, unit: series.unit,
        nights: series.nights.filter { days.contains(CalendarDay(number: $0.day)) })
    }.filter { !$0.nights.isEmpty }
    return LabReport(
      plan: plan, days: days, rigs: Self.rigs(of: within), readings: Self.readings(of: within))
  }

  private static func days(_ count: Int, to last: CalendarDay) -> ClosedRange<CalendarDay> {
    CalendarDay(number: last.number - count + 1)...last
  }

  private static func rigs(of series: [NightlySeries]) -> [LabReport.Rig] {
    Dictionary(grouping: series, by: \.key.rig).map { rig, own in
      let days = Set(own.flatMap { $0.nights.map(\.day) })
      return LabReport.Rig(
        name: rig, actuators: Set(own.map(\.key.actuator)).subtracting([""]).sorted(),
        nights: days.count, newest: CalendarDay(number: days.max() ?? 0))
    }
  }

  private struct Subject: Hashable {
    let pattern: String
    let reading: String
  }

  private static func readings(of series: [NightlySeries]) -> [LabReport.Reading] {
    let subjects = Dictionary(grouping: series) {
      Subject(pattern: $0.key.pattern, reading: $0.key.reading)
    }
    return subjects.sorted {
      ($0.key.pattern, $0.key.reading) < ($1.key.pattern, $1.key.reading)
    }.compactMap { subject, own in
      // Of a reading whose unit was changed only what has the newest one's is comparable.
      guard
        let unit = own.max(by: { ($0.nights.last?.day ?? 0) < ($1.nights.last?.day ?? 0) })?.unit
      else { return nil }
      let alike = own.filter { $0.unit == unit }
      let consistency = RigConsistency(
        alike.map {
          RigConsistency.Cell(rig: $0.key.rig, actuator: $0.key.actuator, values: $0.values)
        })
      return LabReport.Reading(
        reading: subject.reading, pattern: subject.pattern, unit: unit, consistency: consistency,
        analysis: GaugeAnalysis(observations(of: alike, in: consistency), draws: 4_000))
    }
  }

  /// The nights of the rigs and actuators that are compared; of all where no actuator was on two rigs.
  private static func observations(
    of series: [NightlySeries], in consistency: RigConsistency
  ) -> [Observation] {
    let (rigs, shared) = (Set(consistency.rigs.map(\.rig)), Set(consistency.shared))
    return series.filter {
      rigs.contains($0.key.rig) && (shared.isEmpty || shared.contains($0.key.actuator))
    }.flatMap { series in
      series.nights.map { night in
        // The actuator stays where it is from night to night.
        Observation(
          actuator: series.key.actuator, rig: series.key.rig, day: "", mount: "", value: night.value
        )
      }
    }
  }
}
