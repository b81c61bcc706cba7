// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Bench
package import ChangeDetection
package import GaugeStudy
package import Reporting
import RigFiles
package import RunArchive

/// A gauge study's file: the study, and where its plan lies.
package struct StudyFile: Sendable {
  package let file: String
  package let study: Study

  package init(file: String) throws {
    self.file = file
    study = try Study(
      yaml: RegularFile(path: file).bytes(limit: 1 << 20), file: file)
  }

  package var plan: String { PlanFolder(plan: file).path(of: study.plan) }
}

/// What an archive holds of a study: nothing is remembered anywhere else.
package struct StudyProgress: Sendable {
  struct Run: Sendable {
    let id: String
    let rig: String
    let isComplete: Bool
    let mark: StudyMark
  }

  package let study: Study
  private let runs: [Run]
  /// Runs of the study that are none of its rigs' or actuators'.
  private let strays: Int

  package init(_ study: Study, in archive: Archive) throws(ArchiveError) {
    self.study = study
    let filter = RunFilter(plan: study.planName)
    let environments = Dictionary(
      try archive.environment(of: filter).map { ($0.run, $0.environment) }
    ) { first, _ in first }
    // On a server a folder may stand under two places.
    var seen: Set<String> = []
    let all = try archive.runs(matching: filter).reversed().compactMap { run -> Run? in
      guard seen.insert(run.id).inserted,
        let mark = StudyMark(
          environment: environments[run.id] ?? [:], actuator: run.actuator),
        mark.study == study.name
      else { return nil }
      return Run(id: run.id, rig: run.rig, isComplete: run.status == .complete, mark: mark)
    }
    runs = all.filter { study.rigs.contains($0.rig) && study.actuators.contains($0.mark.actuator) }
    strays = all.count - runs.count
  }

  /// The days of a rig on which something was mounted, in their order.
  package func days(of rig: String) -> [CalendarDay] {
    Set(runs.filter { $0.rig == rig && $0.isComplete }.map(\.mark.day)).sorted()
  }

  /// The complete repeats of each mount of an actuator on a rig and day, by the mount's number.
  func repeats(of actuator: String, on rig: String, _ day: CalendarDay) -> [Int: Int] {
    var repeats: [Int: Int] = [:]
    for run in runs
    where run.rig == rig && run.mark.actuator == actuator && run.mark.day == day && run.isComplete {
      repeats[run.mark.mount, default: 0] += 1
    }
    return repeats
  }

  /// How often an actuator was mounted on a rig and day and measured as often as the study asks
  /// for.
  package func mounts(of actuator: String, on rig: String, _ day: CalendarDay) -> Int {
    repeats(of: actuator, on: rig, day).values.count { $0 >= study.repeats }
  }

  /// The number of the next mount: one that was given up keeps its own.
  func nextMount(of actuator: String, on rig: String, _ day: CalendarDay) -> Int {
    let own = runs.filter { $0.rig == rig && $0.mark.actuator == actuator && $0.mark.day == day }
    return 1 + (own.map(\.mark.mount).max() ?? 0)
  }

  /// Actuators with how often each is still mounted: `lra-1 (3), lra-2`.
  package static func words(for open: [String]) -> String {
    var counts: [String: Int] = [:]
    for actuator in open { counts[actuator, default: 0] += 1 }
    let words = counts.sorted { $0.key < $1.key }.map { $1 > 1 ? "\($0) (\($1))" : $0 }
    return Count.list(words, atMost: 12)
  }

  package var doneMounts: Int {
    cells.reduce(0) { $0 + $1.done(of: study) }
  }

  /// What is left of a day on a rig, in the order in which it is to be mounted; `nil` where the
  /// study has no day left.
  package func open(on rig: String, _ today: CalendarDay) -> [String]? {
    let days = days(of: rig)
    let number = days.firstIndex(of: today).map { $0 + 1 } ?? days.count + 1
    guard number <= study.days else { return nil }
    var done = Dictionary(
      uniqueKeysWithValues: study.actuators.map { ($0, mounts(of: $0, on: rig, today)) })
    return study.order(rig: rig, day: number).filter { actuator in
      let isDone = done[actuator, default: 0] > 0
      if isDone { done[actuator, default: 0] -= 1 }
      return !isDone
    }
  }
}

extension StudyProgress {
  /// What the study's runs say.
  package func report(from archive: Archive) throws(ArchiveError) -> GaugeReport {
    let marks = Dictionary(uniqueKeysWithValues: runs.filter(\.isComplete).map { ($0.id, $0) })
    var series: [(key: SeriesKey, values: [(run: Run, value: Double)])] = []
    let wanted = Set(study.readings.map(\.name.description))
    for rig in study.rigs {
      for found in try archive.series(
        rig: rig, plan: study.planName, where: { wanted.contains($0.reading) })
      {
        var seen: Set<String> = []
        let values = found.nights.flatMap(\.values).compactMap { value in
          marks[value.run].map { (run: $0, value: value.value) }
        }.filter { seen.insert($0.run.id).inserted }
        if !values.isEmpty { series.append((found.listing.key, values)) }
      }
    }
    let readings = study.readings.flatMap { reading -> [GaugeReport.Reading] in
      let name = reading.name.description
      let patterns =
        reading.pattern.map { [$0] }
        ?? Set(series.filter { $0.key.reading == name }.map(\.key.pattern)).sorted()
      return (patterns.isEmpty ? [""] : patterns).map { pattern in
        let values = series.filter { $0.key.reading == name && $0.key.pattern == pattern }
          .flatMap(\.values).sorted { $0.run.id < $1.run.id }
        return GaugeReport.Reading(
          name: reading.name, pattern: pattern, tolerance: reading.tolerance,
          values: values.map { run, value in
            GaugeReport.Value(
              run: run.id, number: run.mark.number,
              observation: Observation(
                actuator: run.mark.actuator, rig: run.rig, day: run.mark.day.description,
                mount: "\(run.mark.mount)", value: value))
          })
      }
    }
    return GaugeReport(
      study: study, cells: cells, readings: readings, runs: marks.count,
      failedRuns: runs.count - marks.count, strays: strays)
  }

  private var cells: [GaugeReport.Cell] {
    study.rigs.flatMap { rig in
      let days = days(of: rig)
      let open = max(0, study.days - days.count)
      return study.actuators.map { actuator in
        GaugeReport.Cell(
          rig: rig, actuator: actuator,
          days: days.map { day in
            GaugeReport.Day(
              day: day.description,
              mounts: repeats(of: actuator, on: rig, day).sorted { $0.key < $1.key }
                .map(\.value))
          }, openDays: open)
      }
    }
  }
}
