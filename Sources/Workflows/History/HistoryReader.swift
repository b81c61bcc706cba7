import Acceptance
import ChangeDetection
public import Reporting
public import RunArchive

/// From an archive to what its nights say: the only place where questions become a history.
///
/// Equal archives give equal histories: no clock is asked.
public struct HistoryReader {
  private let archive: Archive
  private let question: HistoryQuestion
  /// The runs of the plan in the days that are looked at, ascending.
  private let runs: [ArchivedRun]
  /// The runs that repeat another, by their ids.
  private let reruns: [String: String]
  private let days: ClosedRange<Int>?

  /// Looks up which runs answer a question.
  public init(_ archive: Archive, _ question: HistoryQuestion) throws(ArchiveError) {
    self.archive = archive
    self.question = question
    let filter = RunFilter(rig: question.rig, plan: question.plan)
    let all = try archive.runs(matching: filter)
    let reruns = try archive.environment(ReadingSeries.rerunMark, of: filter)
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

  /// What the nights say.
  public func report() throws(ArchiveError) -> HistoryReport {
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
    let histories = try histories(days, decisions, &notes)
    let alarms = AlarmDecision(histories.map(\.finding)).alarms
    var report = HistoryReport(
      rig: question.rig, plan: question.plan, days: days,
      series: try series(histories, alarms, limits: records.last?.limits ?? []),
      runs: runs.map(account), violations: violations(records), decisions: decisions, notes: notes)
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

  /// The shown series and those of the control, each by itself.
  private func histories(
    _ days: ClosedRange<Int>, _ decisions: [BaselineDecision], _ notes: inout [String]
  ) throws(ArchiveError) -> [SeriesHistory] {
    let isWanted = { (key: SeriesKey) in key.isControl || question.isShown(key) }
    let last = CalendarDay(number: days.upperBound)
    let all = try archive.nights(
      rig: question.rig, plan: question.plan, days: CalendarDay(number: days.lowerBound)...last,
      where: isWanted)
    let newest = Set(runs.filter { $0.day == last }.map(\.id))
    let again = Set(reruns.filter { newest.contains($0.value) }.keys)
    // The day after holds re-runs that began past midnight.
    let rerun = try repeats(
      of: again, on: last...CalendarDay(number: last.number + 1), where: isWanted)
    let golden = try pinned(decisions, where: isWanted, &notes)
    return all.map { nightly in
      SeriesHistory(
        nightly, rerun: rerun[nightly.key] ?? [], decisions: decisions,
        pinned: golden[nightly.key] ?? [])
    }
  }

  /// What some runs of the plan measured, by series.
  private func repeats(
    of ids: Set<String>, on days: ClosedRange<CalendarDay>, where isWanted: (SeriesKey) -> Bool
  ) throws(ArchiveError) -> [SeriesKey: [Repeat]] {
    guard !ids.isEmpty else { return [:] }
    let series = try archive.series(
      rig: question.rig, plan: question.plan, days: days, where: isWanted)
    return Dictionary(uniqueKeysWithValues: series.map { ($0.listing.key, $0.repeats(of: ids)) })
  }

  /// What pinned runs measured, by series.
  private func pinned(
    _ decisions: [BaselineDecision], where isWanted: (SeriesKey) -> Bool, _ notes: inout [String]
  ) throws(ArchiveError) -> [SeriesKey: [Repeat]] {
    var values: [SeriesKey: [Repeat]] = [:]
    for id in Set(decisions.compactMap(\.run)).sorted() {
      guard let run = try archive.runs(matching: RunFilter(ids: [id])).first else {
        notes.append("the pinned run \(id.printable) is not in the archive: it is no baseline")
        continue
      }
      for series in try archive.series(
        rig: run.rig, plan: run.plan, days: run.day...run.day, where: isWanted)
      {
        values[series.listing.key, default: []] += series.repeats(of: [id])
      }
    }
    return values
  }

  private func series(
    _ histories: [SeriesHistory], _ alarms: [Alarm], limits: [Limit]
  ) throws(ArchiveError) -> [HistoryReport.Series] {
    var rest = alarms[...]
    let own = histories.map { history in
      defer { rest = rest.dropFirst(history.points.count) }
      return (history, Array(rest.prefix(history.points.count)))
    }.filter { history, _ in question.isShown(history.nightly.key) }
    let environments = try ChangeEnvironments(own, in: archive)
    return own.map { history, alarms in
      let key = history.nightly.key
      return HistoryReport.Series(
        nightly: history.nightly,
        changes: alarms.map { environments.change($0, in: history) },
        baseline: history.baseline, trend: history.trend,
        limit: limits.first { limit in
          limit.reading.description == key.reading
            && limit.applies(to: key.pattern.isEmpty ? nil : key.pattern)
        })
    }
  }

  private func account(_ run: ArchivedRun) -> HistoryReport.Run {
    HistoryReport.Run(
      id: run.id, began: run.started.description, day: run.day.number, status: run.status,
      verdict: run.verdict,
      link: question.pageFolder.flatMap { page in
        archive.path(of: "report.html", in: run).map { PageLink.relative($0, from: page) }
      }, reruns: reruns[run.id])
  }

  /// What the newest night's runs found outside their limits, or did not find and had to.
  private func violations(_ records: [RunRecord]) -> [HistoryReport.Violation] {
    records.flatMap { record in
      let run = record.header.folder
      let failed = record.readings.filter { $0.verdict == .fail && $0.limit != nil }
        .map { reading in
          HistoryReport.Violation(
            run: run, reading: reading.name.description, pattern: reading.pattern ?? "",
            take: reading.take, event: reading.event, value: reading.value,
            uncertainty: reading.uncertainty, limit: reading.limit ?? "")
        }
      let missing = record.missingReadings.map { missing in
        HistoryReport.Violation(
          run: run, reading: missing.name.description, pattern: missing.pattern ?? "", value: nil,
          limit: missing.limit)
      }
      return failed + missing
    }
  }
}
