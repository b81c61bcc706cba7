import Acceptance
import Units

/// The result of a run in words.
struct RunSummary {
  /// One thing that kept the run from a plain pass.
  struct Reason {
    /// How it was judged.
    var verdict: Verdict
    /// Which reading: `latency.onset of Boing, event 2`.
    var subject: String
    /// What was read and what was asked.
    var detail: String
  }

  let record: RunRecord
  /// What failed, then what is missing, then what is marginal; each in the order of the record.
  let reasons: [Reason]
  /// How rig, timing and feel came out.
  let verdicts: [AspectSummary]
  /// One row a pattern.
  let patterns: [PatternSummary]
  /// How every event came out.
  let events: EventScores
  /// How readings scatter over the takes.
  let scatter: ReadingScatter

  init(_ record: RunRecord) {
    self.record = record
    let scatter = ReadingScatter(record.readings)
    self.scatter = scatter
    verdicts = record.verdicts.map { AspectSummary($0, scatter) }
    patterns = PatternSummary.rows(of: record, scatter)
    events = EventScores(record)
    func judged(_ verdict: Verdict) -> [Reason] {
      record.readings.filter { $0.verdict == verdict && $0.value != nil }.map { reading in
        Reason(
          verdict: verdict, subject: Self.subject(of: reading),
          detail: Self.detail(of: reading, scatter))
      }
    }
    let missing = record.missingReadings.map { missing in
      Reason(
        verdict: .notMeasured,
        subject: missing.name.description + (missing.pattern.map { " of \($0)" } ?? ""),
        detail: Self.reasonForAbsence(of: missing, in: record)
          + " (required: \(missing.limit))")
    }
    reasons = judged(.fail) + missing + judged(.marginal)
  }

  /// The verdict whose colour the run is shown in; `nil` for a pass that says nothing of how it feels.
  var shownVerdict: Verdict? {
    let isFelt = verdicts.contains { $0.verdict.aspect == .feel && $0.verdict.verdict != nil }
    return record.verdict == .pass && !isFelt ? nil : record.verdict
  }

  /// How many takes the run has.
  var takeCount: Int { record.patterns.reduce(0) { $0 + $1.takes.count } }

  /// The result in one or two plain sentences.
  var sentence: String {
    let counts = "\(Count.of(record.patterns.count, "pattern")), \(Count.of(takeCount, "take"))"
    return "\(counts): \(record.verdict.rawValue). "
      + (details.isEmpty ? "No reading is outside its limits." : details.joined(separator: " "))
      + verdicts.filter { $0.verdict.absence == .noProfile }
      .map { " \($0.title) is not judged: no profile." }.joined()
  }

  /// How the run ended, where it did not end well.
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

  /// Which reading it is, in words.
  static func subject(of reading: Reading) -> String {
    var text = reading.name.description
    if let pattern = reading.pattern { text += " of \(pattern)" }
    if let take = reading.take, take > 1 { text += ", take \(take)" }
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
    }?.note ?? "no such reading in the run"
  }
}
