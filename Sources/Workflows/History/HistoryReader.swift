// SPDX-License-Identifier: Apache-2.0

import Acceptance
package import ChangeDetection
import Devices
private import Glibc
import Paths
package import Reporting
package import RunArchive

package struct HistoryQuestion: Sendable {
  package static let standardDays = 365

  package var rig: String
  package var plan: String
  package var days = Self.standardDays
  /// The last day; the newest night where it is `nil`.
  package var until: CalendarDay?
  /// The folder of the page that links to runs; `nil` for no links.
  package var pageFolder: String?
  /// Which series are shown, all where it is `nil`; all are looked at, for each is judged among them.
  package var selection: SeriesSelection?

  package init(rig: String, plan: String) {
    self.rig = rig
    self.plan = plan
  }

  func isShown(_ key: SeriesKey) -> Bool { selection?.contains(key) ?? true }
}

package struct SeriesSelection: Sendable {
  package var actuator: String?
  /// The pattern, as a shell's pattern of its name; empty for readings of the whole run.
  package var pattern: String?
  /// The reading, as a shell's pattern of its name.
  package var reading: String?

  package init(actuator: String? = nil, pattern: String? = nil, reading: String? = nil) {
    self.actuator = actuator
    self.pattern = pattern
    self.reading = reading
  }

  func contains(_ key: SeriesKey) -> Bool {
    (actuator ?? key.actuator) == key.actuator && Glob.matches(pattern, key.pattern)
      && Glob.matches(reading, key.reading)
  }

  package var isNarrow: Bool { actuator != nil || pattern != nil || reading != nil }
}

/// From an archive to what its nights say: the only place where questions become a history.
///
/// Equal archives give equal histories: no clock is asked.
package struct HistoryReader {
  private let archive: Archive
  private let question: HistoryQuestion
  private let runs: [ArchivedRun]
  private let reruns: [String: String]
  private let imported: [String: String]
  private let days: ClosedRange<Int>?

  package init(_ archive: Archive, _ question: HistoryQuestion) throws(ArchiveError) {
    self.archive = archive
    self.question = question
    let filter = RunFilter(rig: question.rig, plan: question.plan)
    let jobs = try archive.environment(ReadingSeries.jobMark, of: filter)
    let all = Self.counted(try archive.runs(matching: filter), jobs)
    let reruns = try archive.environment(ReadingSeries.rerunMark, of: filter)
    imported = try archive.environment(RunRecord.Imported.mark, of: filter)
    let own = all.filter { $0.status == .complete && reruns[$0.id] == nil }
    let last = question.until?.number ?? Int.max
    let newest = own.first { $0.day.number <= last }?.day.number
    let first = newest.map { $0 - question.days + 1 }
    let oldest = own.last { $0.day.number >= first ?? Int.max }?.day.number
    self.reruns = reruns
    if let newest, let oldest {
      days = oldest...newest
      let targets = Set(own.filter { (oldest...newest).contains($0.day.number) }.map(\.id))
      // A re-run may begin after midnight, and belongs to the night that it repeats.
      runs = all.filter { run in
        reruns[run.id].map(targets.contains) ?? (oldest...newest).contains(run.day.number)
      }.reversed()
    } else {
      days = nil
      runs = []
    }
  }

  /// The runs without those that were made once more for a job that has a complete run.
  private static func counted(_ runs: [ArchivedRun], _ jobs: [String: String]) -> [ArchivedRun] {
    var first: [String: ArchivedRun] = [:]
    for run in runs where run.status == .complete {
      guard let job = jobs[run.id] else { continue }
      if let other = first[job],
        (other.started.seconds, other.id) <= (run.started.seconds, run.id)
      {
        continue
      }
      first[job] = run
    }
    return runs.filter { run in
      run.status != .complete || jobs[run.id].flatMap { first[$0] }.map { $0.id == run.id } ?? true
    }
  }

  package func report() throws(ArchiveError) -> HistoryReport {
    var notes = archive.unreadable.map { "not indexed: \("\($0)".printable)" }
    let decisions = try archive.decisions().map(\.kept.decision)
      .filter { $0.scope.rig == question.rig }
    guard let days else {
      return HistoryReport(
        rig: question.rig, plan: question.plan, days: nil, series: [], runs: [],
        decisions: decisions, notes: notes)
    }
    let newest = runs.filter {
      $0.day.number == days.upperBound && $0.status == .complete && reruns[$0.id] == nil
    }
    var records: [RunRecord] = []
    for run in newest { if let record = try archive.record(of: run) { records.append(record) } }
    if records.count < newest.count {
      notes.append(
        "limits of the newest night are not known: its run folders are on another machine, or gone")
    }
    let failed = runs.filter { $0.status != .complete }
    if let latest = failed.last {
      notes.append(
        "\(Count.of(failed.count, "run")) did not end well and \(failed.count == 1 ? "is" : "are") "
          + "no part of a night, the latest \(latest.id) (\(latest.status.rawValue))")
    }
    notes += [ImportedNights.note(runs, imported)].compactMap(\.self)
    let nights = try archive.nights(
      rig: question.rig, plan: question.plan,
      days: CalendarDay(number: days.lowerBound)...CalendarDay(number: days.upperBound))
    let histories = try histories(of: nights, on: days.upperBound, decisions, &notes)
    let decision = AlarmDecision(
      histories.map { history in
        var finding = history.finding
        // Of a series that ended the newest nights are long past.
        if history.nightly.nights.last?.day != days.upperBound { finding.newest = nil }
        return finding
      })
    var report = HistoryReport(
      rig: question.rig, plan: question.plan, days: days,
      series: try series(
        histories, decision, NightTemperatures(nights), newest: days.upperBound,
        limits: records.last?.limits ?? []),
      runs: runs.map(summary), violations: violations(records), decisions: decisions, notes: notes)
    report.hasControl = histories.contains(where: \.nightly.key.isControl)
    report.impulse = try impulse(of: records.last, in: report)
    return report
  }

  /// The newest answer to an impulse beside the one it is held against: that of the pinned run, or of the
  /// night before the first change that asks for something, or of the oldest night.
  private func impulse(
    of newest: RunRecord?, in report: HistoryReport
  ) throws(ArchiveError) -> HistoryReport.ImpulseComparison? {
    guard let newest, let impulse = newest.impulse else { return nil }
    let own = newest.header.folder
    let changes = report.changes(.raised) + report.changes(.heldBack)
    let before = changes.min { $0.point.day < $1.point.day }.map(\.runBefore)
    let oldest = runs.lazy.filter { $0.status == .complete }.map(\.id)
    let candidates =
      report.decisions.compactMap(\.run).reversed() + [before].compactMap(\.self)
      + Array(oldest.prefix(1))
    var baseline: HistoryReport.ImpulseComparison.Side?
    for id in candidates where id != own && baseline == nil {
      guard let run = try archive.runs(matching: RunFilter(ids: [id])).first else { continue }
      baseline = try archive.record(of: run)?.impulse.map { .init(run: id, impulse: $0) }
    }
    return .init(newest: .init(run: own, impulse: impulse), baseline: baseline)
  }

  private func histories(
    of all: [NightlySeries], on newestDay: Int, _ decisions: [BaselineDecision],
    _ notes: inout [String]
  ) throws(ArchiveError) -> [SeriesHistory] {
    let last = CalendarDay(number: newestDay)
    let newest = Set(runs.filter { $0.day == last }.map(\.id))
    let again = Set(reruns.filter { newest.contains($0.value) }.keys)
    // The day after holds re-runs that began past midnight.
    let rerun = try repeats(of: again, on: last...CalendarDay(number: last.number + 1))
    let golden = try pinned(decisions, &notes)
    let priors = NoisePrior.ofEach(all)
    return all.map { nightly in
      SeriesHistory(
        nightly, rerun: rerun[nightly.key] ?? [], decisions: decisions,
        pinned: golden[nightly.key] ?? [], prior: priors[nightly.key])
    }
  }

  private func repeats(
    of ids: Set<String>, on days: ClosedRange<CalendarDay>
  ) throws(ArchiveError) -> [SeriesKey: [Repeat]] {
    guard !ids.isEmpty else { return [:] }
    let series = try archive.series(rig: question.rig, plan: question.plan, days: days)
    return Dictionary(uniqueKeysWithValues: series.map { ($0.listing.key, $0.repeats(of: ids)) })
  }

  private func pinned(
    _ decisions: [BaselineDecision], _ notes: inout [String]
  ) throws(ArchiveError) -> [SeriesKey: [Repeat]] {
    var values: [SeriesKey: [Repeat]] = [:]
    for id in Set(decisions.compactMap(\.run)).sorted() {
      guard let run = try archive.runs(matching: RunFilter(ids: [id])).first else {
        notes.append("the pinned run \(id.printable) is not in the archive: it is no baseline")
        continue
      }
      for series in try archive.series(rig: run.rig, plan: run.plan, days: run.day...run.day) {
        values[series.listing.key, default: []] += series.repeats(of: [id])
      }
    }
    return values
  }

  private func series(
    _ histories: [SeriesHistory], _ decision: AlarmDecision, _ temperatures: NightTemperatures,
    newest day: Int, limits: [Limit]
  ) throws(ArchiveError) -> [HistoryReport.Series] {
    var rest = decision.alarms[...]
    let own = histories.map { history in
      defer { rest = rest.dropFirst(history.points.count) }
      return (history, Array(rest.prefix(history.points.count)))
    }.filter { history, _ in question.isShown(history.nightly.key) }
    let suspicions = own.compactMap { history, _ in
      decision.suspicions[history.nightly.key].map { (history, [$0]) }
    }
    let environments = try ChangeEnvironments(own + suspicions, in: archive)
    return own.map { history, alarms in
      let key = history.nightly.key
      return HistoryReport.Series(
        nightly: history.nightly,
        changes: alarms.map { environments.change($0, in: history) },
        newest: history.nightly.nights.last?.day == day ? history.newest : nil,
        suspected: decision.suspicions[key].map { environments.change($0, in: history) },
        baseline: history.baseline, trend: history.trend,
        limit: limits.first { limit in
          limit.reading.description == key.reading
            && limit.applies(to: key.pattern.isEmpty ? nil : key.pattern)
        }, temperature: temperatures.effect(on: history))
    }
  }

  private func summary(_ run: ArchivedRun) -> HistoryReport.Run {
    HistoryReport.Run(
      id: run.id, began: run.started.description, day: run.day.number, status: run.status,
      verdict: run.verdict,
      link: question.pageFolder.flatMap { page in
        archive.path(of: "report.html", in: run).map { PageLink.relative($0, from: page) }
      }, reruns: reruns[run.id], imported: imported[run.id])
  }

  private func violations(_ records: [RunRecord]) -> [HistoryReport.Violation] {
    records.flatMap { record in
      let run = record.header.folder
      let failed = record.readings.filter { $0.verdict == .fail && $0.limit != nil }
      let missing = record.missingReadings.map { missing in
        var reading = Reading(
          notMeasured: missing.name.kind, pattern: missing.pattern, because: "required")
        (reading.name, reading.limit) = (missing.name, missing.limit)
        return reading
      }
      return (failed + missing).map { HistoryReport.Violation(run: run, reading: $0) }
    }
  }
}

struct ChangeEnvironments {
  private static let nights = 14
  private var environments: [String: [String: String]] = [:]

  init(_ own: [(SeriesHistory, [Alarm])], in archive: Archive) throws(ArchiveError) {
    var ids: Set<String> = []
    for (history, alarms) in own {
      for alarm in alarms where Self.isLookedInto(alarm) {
        let (good, bad) = Self.sides(of: alarm.point, in: history)
        ids.formUnion((good + bad).map(\.run))
      }
    }
    guard !ids.isEmpty else { return }
    for (run, environment) in try archive.environment(of: RunFilter(ids: ids.sorted())) {
      // What a run is to its night is no cause of anything.
      environments[run] = environment.filter {
        ![ReadingSeries.rerunMark, ReadingSeries.nightMark, ReadingSeries.jobMark].contains($0.key)
      }
    }
  }

  func change(_ alarm: Alarm, in history: SeriesHistory) -> HistoryReport.Change {
    let (good, bad) = Self.sides(of: alarm.point, in: history)
    return HistoryReport.Change(
      alarm: alarm, unit: history.nightly.unit, runBefore: good.last?.run ?? "",
      runAfter: bad.first?.run ?? "",
      differences: Self.isLookedInto(alarm)
        ? EnvironmentDifference.between(
          good: good.compactMap { environments[$0.run] },
          bad: bad.compactMap { environments[$0.run] }) : [])
  }

  private static func isLookedInto(_ alarm: Alarm) -> Bool {
    [.raised, .heldBack, .rigMoved, .unconfirmed, .suspected].contains(alarm.standing)
  }

  /// The nights of the level before and of that after, the nearest ones.
  private static func sides(
    of point: ChangePoint, in history: SeriesHistory
  ) -> (good: [Night], bad: [Night]) {
    let nights = history.nightly.nights
    let others = history.points.map(\.index)
    let start = others.last { $0 < point.index } ?? 0
    let end = others.first { $0 > point.index } ?? nights.count
    return (
      nights[start..<point.index].suffix(Self.nights).map(\.self),
      nights[point.index..<end].prefix(Self.nights).map(\.self)
    )
  }
}

enum PageLink {
  /// The path of a file from a folder, percent-encoded; links in either path are followed first.
  static func relative(_ file: String, from folder: String) -> String {
    let target = parts(resolved(file))
    let base = parts(resolved(folder))
    var common = 0
    while common < min(base.count, target.count), base[common] == target[common] { common += 1 }
    let steps = Array(repeating: "..", count: base.count - common) + target[common...]
    return URI.path(steps.joined(separator: "/"))
  }

  /// The path without links, as far as it is there: a page's folder may still have to be made.
  private static func resolved(_ path: String) -> String {
    if let resolved = realpath(path, nil) {
      defer { free(resolved) }
      return String(cString: resolved)
    }
    let trimmed = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    let parent = FilePath.folder(of: trimmed)
    guard parent != trimmed, trimmed != "." else { return trimmed }
    return resolved(parent) + "/" + FilePath.name(of: trimmed)
  }

  private static func parts(_ path: String) -> [String] {
    path.split(separator: "/").filter { $0 != "." }.map(String.init)
  }
}
