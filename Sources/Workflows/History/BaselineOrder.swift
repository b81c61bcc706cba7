// SPDX-License-Identifier: Apache-2.0

import Bench
package import ChangeDetection
import Devices
package import Reporting
import RigFiles
package import RunArchive

/// A person's word on a baseline: why, who, and which series it is about.
package struct BaselineOrder: Sendable {
  /// A decision as it was kept: its file, and what it says in words.
  package struct Kept: Sendable {
    package let file: String
    package let summary: String
  }

  /// What was kept, and the pins of narrower series that stand against it all the same.
  package struct Outcome: Sendable {
    package let kept: [Kept]
    package let standing: [Kept]
  }

  private let why: String
  private let who: String?
  private let selection: SeriesSelection

  /// `who` is this user where nobody is named; the decision is about the series that are selected.
  package init(
    why: String, who: String? = nil, about selection: SeriesSelection = SeriesSelection()
  ) {
    self.why = why
    self.who = who
    self.selection = selection
  }

  /// Accepts every change up to a night, the rig's newest where none is given.
  package func accept(
    until day: CalendarDay?, rig: String, _ archive: Archive
  ) throws -> Outcome {
    guard let newest = try archive.runs(matching: RunFilter(rig: rig, limit: 1)).first?.day else {
      return Outcome(kept: [], standing: [])
    }
    let day = day ?? newest
    guard day <= newest else {
      throw InputError(
        "--until \(day): the newest night of '\(rig.printable)' is \(newest), and what nobody "
          + "has seen cannot be accepted: leave --until out, or name a day up to it")
    }
    return try keep(.accepted, rig: rig, day: day, in: archive)
  }

  /// Accepts each changed series of a day's incidents by itself: other series keep their baselines
  /// and pins.
  package func accept(
    _ day: CalendarDay, in report: HistoryReport, _ archive: Archive
  ) throws -> Outcome {
    let all = report.incidents
    // A view of fewer nights may have another of them lead.
    let led = all.filter { $0.lead.point.day == day.number }
    let incidents = led.isEmpty ? all.filter { $0.days.contains(day.number) } : led
    guard !incidents.isEmpty else {
      let days = Set(all.map(\.lead.point.day)).sorted(by: >)
        .map { CalendarDay(number: $0).description }
      throw InputError(
        "--incident \(day): nothing changed on that day"
          + (days.isEmpty ? "" : "; changes began on \(Count.list(days, atMost: 8))"))
    }
    let changes = incidents.flatMap { incident in
      incident.changes.map { (key: $0.alarm.key, day: incident.days.upperBound) }
    }.filter { selection.contains($0.key) }
    guard !changes.isEmpty else {
      throw InputError(
        "--incident \(day): no series that changed then is meant by --reading, --pattern and "
          + "--actuator")
    }
    return try keep(
      .accepted,
      of: changes.map { (SeriesScope($0.key), CalendarDay(number: $0.day)) }, in: archive)
  }

  /// Keeps a decision on a rig's series from a day on.
  package func keep(
    _ kind: BaselineDecision.Kind, rig: String, day: CalendarDay, in archive: Archive
  ) throws -> Outcome {
    let keys = try archive.seriesKeys(rig: rig).map(\.key)
    let meant = keys.filter(selection.contains)
    guard !meant.isEmpty else {
      throw ArchiveError(path: "baseline", message: absence(on: rig, among: keys))
    }
    return try keep(kind, of: scopes(rig: rig, of: meant).map { ($0, day) }, in: archive)
  }

  /// One scope; one for each of the names that there are now, where patterns or readings are chosen by a shell's pattern.
  private func scopes(rig: String, of keys: [SeriesKey]) -> [SeriesScope] {
    let isWide = (
      pattern: selection.pattern.map { Glob.isWide($0) } ?? false,
      reading: selection.reading.map { Glob.isWide($0) } ?? false
    )
    var scopes: [SeriesScope] = []
    for key in keys {
      let scope = SeriesScope(
        rig: rig, actuator: selection.actuator,
        pattern: isWide.pattern ? key.pattern : selection.pattern,
        reading: isWide.reading ? key.reading : selection.reading)
      if !scopes.contains(scope) { scopes.append(scope) }
    }
    return scopes
  }

  private func keep(
    _ kind: BaselineDecision.Kind, of series: [(scope: SeriesScope, day: CalendarDay)],
    in archive: Archive
  ) throws -> Outcome {
    let now = Moment(seconds: Host.secondsSince1970)
    let kept = try series.map { scope, day in
      try KeptDecision(kind, scope: scope, day: day, why: why, who: who ?? Host.user, given: now)
    }
    let files = try archive.keep(kept)
    return Outcome(
      kept: zip(files, kept).map { Kept(file: $0, summary: $1.decision.summary) },
      standing: try pins(standingAgainst: kept.map(\.decision), in: archive))
  }

  /// The pins of series that decisions are about, but that are narrower than these.
  private func pins(
    standingAgainst decisions: [BaselineDecision], in archive: Archive
  ) throws(ArchiveError) -> [Kept] {
    let all = try archive.decisions()
    let pins = all.filter { pin in
      let pin = pin.kept.decision
      return pin.run != nil && decisions.contains { !pin.scope.contains($0.scope) }
    }
    guard !pins.isEmpty else { return [] }
    var standing: Set<BaselineDecision> = []
    for rig in Set(decisions.map(\.scope.rig)) {
      for key in try archive.seriesKeys(rig: rig).map(\.key)
      where decisions.contains(where: { $0.scope.contains(key) }) {
        let holding = BaselineDecision.holding(for: key, among: all.map(\.kept.decision))
        if let holding { standing.insert(holding) }
      }
    }
    return pins.filter { standing.contains($0.kept.decision) }
      .map { Kept(file: $0.file, summary: $0.kept.decision.summary) }
  }

  /// Why there is no such series: the first option that none answers to, and the names that it has.
  private func absence(on rig: String, among keys: [SeriesKey]) -> String {
    var left = keys
    for (name, wanted, what) in [
      (\SeriesKey.reading, selection.reading, "reading"),
      (\SeriesKey.actuator, selection.actuator, "actuator"),
      (\SeriesKey.pattern, selection.pattern, "pattern"),
    ] {
      guard let wanted else { continue }
      let names = Set(left.map { $0[keyPath: name] }).sorted()
      left.removeAll { key in
        what == "actuator" ? key.actuator != wanted : !Glob.matches(wanted, key[keyPath: name])
      }
      guard left.isEmpty else { continue }
      let near = Nearest.sorted(names.map { $0.isEmpty ? "''" : $0.printable }, to: wanted)
      let more = near.count > 8 ? " and \(near.count - 8) more" : ""
      let reading = selection.reading.flatMap { what == "reading" ? nil : " with \($0.printable)" }
      return "the rig '\(rig)' has no \(what) '\(wanted.printable)'\(reading ?? ""); the "
        + "nearest it has: \(near.prefix(8).joined(separator: ", "))\(more)"
    }
    return "the rig '\(rig)' has no series of all these at once: haprig history shows them"
  }
}

extension BaselineDecision {
  /// What it decides, in words.
  package var summary: String {
    let series = [
      scope.reading ?? "every reading",
      scope.pattern.map { $0.isEmpty ? "of the run" : "of \($0)" },
      scope.actuator.map { "of \($0)" }, "on \(scope.rig)",
    ].compactMap(\.self).joined(separator: " ").printable
    let day = CalendarDay(number: day)
    return switch kind {
    case .accepted: "\(series) is accepted as it is on \(day)"
    case .pinned(let run): "\(series) is pinned to \(run.printable)"
    }
  }
}
