// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Units

struct RunSummary {
  struct Reason {
    var verdict: Verdict
    /// Which reading: `felt start of Boing, event 2`.
    var subject: String
    var detail: String
  }

  let record: RunRecord
  /// What failed, then what is missing, then what is marginal; each in the order of the record.
  let reasons: [Reason]
  let verdicts: [AspectSummary]
  let patterns: [PatternSummary]
  let events: EventScores
  let scatter: ReadingScatter

  init(_ record: RunRecord, for reader: Reader = .person) {
    self.record = record
    let scatter = ReadingScatter(record.readings)
    self.scatter = scatter
    verdicts = record.verdicts.map { AspectSummary($0, scatter, for: reader) }
    patterns = PatternSummary.rows(of: record, scatter)
    events = EventScores(record)
    func judged(_ verdict: Verdict) -> [Reason] {
      record.readings.filter { $0.verdict == verdict && $0.value != nil }.map { reading in
        Reason(
          verdict: verdict, subject: Self.subject(of: reading, for: reader),
          detail: Self.detail(of: reading, scatter))
      }
    }
    let missing = record.missingReadings.map { missing in
      Reason(
        verdict: .notMeasured,
        subject: reader.name(missing.name) + (missing.pattern.map { " of \($0)" } ?? ""),
        detail: Self.reasonForAbsence(of: missing, in: record) + " (required: \(missing.limit))")
    }
    reasons = judged(.fail) + missing + judged(.marginal)
  }

  /// The verdict whose colour the run is shown in; `nil` for a pass that says nothing of how it feels.
  var shownVerdict: Verdict? {
    let isFelt = verdicts.contains { $0.verdict.aspect == .feel && $0.verdict.verdict != nil }
    return record.verdict == .pass && !isFelt ? nil : record.verdict
  }

  var takeCount: Int { record.patterns.reduce(0) { $0 + $1.takes.count } }

  var sentence: String {
    let counts = "\(Count.of(record.patterns.count, "pattern")), \(Count.of(takeCount, "take"))"
    return "\(counts): \(record.verdict.rawValue). "
      + (details.isEmpty ? "No reading is outside its limits." : details.joined(separator: " "))
      + verdicts.filter { $0.verdict.absence == .noProfile }
      .map { " \($0.title) is not judged: no profile." }.joined()
  }

  var interruption: String? {
    let reason = record.run.reason.map { ": \($0)" } ?? ""
    return switch record.run.status {
    case .complete: nil
    case .interrupted: "The run was interrupted\(reason)."
    case .fault: "A device fault ended the run\(reason)."
    }
  }

  private var details: [String] {
    [
      (Verdict.fail, "outside its limit", "outside their limits"),
      (.notMeasured, "required but not measured", "required but not measured"),
      (.marginal, "marginal", "marginal"),
    ].compactMap { verdict, one, many in
      let subjects = reasons.filter { $0.verdict == verdict }.map(\.subject)
      guard !subjects.isEmpty else { return nil }
      let named = subjects.prefix(3).joined(separator: "; ")
      let rest = subjects.count > 3 ? "; and \(subjects.count - 3) more" : ""
      return "\(Count.of(subjects.count, "reading")) \(subjects.count == 1 ? one : many): "
        + "\(named)\(rest)."
    }
  }

  static func subject(of reading: Reading, for reader: Reader = .person) -> String {
    var text = reader.name(reading.name)
    if let pattern = reading.pattern { text += " of \(pattern)" }
    if let take = reading.take { text += ", take \(take)" }
    if let event = reading.event { text += ", event \(event)" }
    return text
  }

  private static func detail(of reading: Reading, _ scatter: ReadingScatter) -> String {
    let value = Shown.value(of: reading, scatter) ?? Verdict.notMeasured.rawValue
    return value + (reading.limit.map { " (\($0))" } ?? "")
  }

  private static func reasonForAbsence(
    of missing: RunRecord.MissingReading, in record: RunRecord
  ) -> String {
    record.readings.first {
      $0.name == missing.name && $0.pattern == missing.pattern && $0.note != nil
    }?.note.map(Shown.plain) ?? "no such reading in the run"
  }
}

struct AspectSummary {
  /// How many causes and, of one cause, how many patterns are named.
  private static let named = 3

  let verdict: AspectVerdict
  /// What has the heaviest verdict, the readings of one name as one cause.
  let causes: [String]

  init(_ verdict: AspectVerdict, _ scatter: ReadingScatter, for reader: Reader = .person) {
    self.verdict = verdict
    causes = verdict.causes.grouped { Self.name(of: $0, reader) }
      .map { Self.text($0, $1, scatter, reader) }
  }

  var title: String { verdict.aspect.title }

  var reason: String {
    if let absence = verdict.absence {
      return switch absence {
      case .noProfile: "no profile says how strong and how sharp the drive has to feel"
      case .notAsked: "the plan has no limits of it"
      case .nothingToJudge: "the run has no reading that the plan's limits of it judge"
      }
    }
    guard !causes.isEmpty else { return "nothing is outside its limits" }
    let more = causes.count - Self.named
    return (causes.prefix(Self.named) + (more > 0 ? ["and \(more) more"] : []))
      .joined(separator: "; ")
  }

  /// What causes have to share to be told as one.
  private static func name(of cause: AspectVerdict.Cause, _ reader: Reader) -> String {
    switch cause {
    case .reading(let reading): reader.name(reading.name)
    case .missing(let missing): reader.name(missing.name)
    case .setup(let finding): "setup check \(finding.check.rawValue): \(finding.sentence)"
    case .ending(.interrupted): "the run was interrupted"
    case .ending: "a device fault ended the run"
    case .unscored: "fewer than half of the driven events scored"
    }
  }

  private static func text(
    _ name: String, _ causes: [AspectVerdict.Cause], _ scatter: ReadingScatter, _ reader: Reader
  ) -> String {
    if causes.count == 1, case .reading(let reading) = causes[0] {
      let value = Shown.value(of: reading, scatter, for: reader).map { ": \($0)" } ?? ""
      return RunSummary.subject(of: reading, for: reader) + value
    }
    let patterns = causes.compactMap(pattern).uniqued()
    var text = name
    if !patterns.isEmpty {
      let isShare = if case .unscored? = causes.first { true } else { false }
      let more = patterns.count - named
      text +=
        (isShare ? " in " : " of ") + patterns.prefix(named).joined(separator: ", ")
        + (more > 0 ? " and \(Count.of(more, "more pattern"))" : "")
    }
    if case .missing? = causes.first { text += " not measured" }
    return text
  }

  private static func pattern(of cause: AspectVerdict.Cause) -> String? {
    switch cause {
    case .reading(let reading): reading.pattern
    case .missing(let missing): missing.pattern
    case .unscored(let pattern, let share):
      "\(pattern) (\(EngineeringFormat.fixed(100 * share, 0)) %)"
    case .setup, .ending: nil
    }
  }
}
