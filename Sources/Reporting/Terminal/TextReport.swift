// SPDX-License-Identifier: Apache-2.0

package import Acceptance
import Units

package enum TextReport {
  /// No line but one that holds a path is wider.
  static let width = 100
  private static let mostReasons = 10
  private static let mostAbsences = 6

  /// Latency is the transport's, a mean of the takes; sync is the value farthest from zero; level (with a
  /// profile), contrast and sharpness error are root mean squares over events; what stands in brackets, in units
  /// of the last digits, or after ±, is one standard uncertainty; beyond (with a profile) is the share of the
  /// intent that the actuator does not reach, held how long the profile's peak voltage held the drive; * marks a
  /// harmony without some of its parts.
  ///
  /// With `explaining`, what the numbers mean follows, with the names by which plans and records call them.
  package static func table(
    record: RunRecord, color: Bool = false, explaining: Bool = false
  ) -> String {
    let style = TerminalStyle(isColored: color)
    let summary = RunSummary(record)
    var lines = verdicts(summary, style) + [""]
    if !record.patterns.isEmpty {
      lines += sentences(summary) + [""]
      lines += PatternTable(summary.patterns).lines(style) + [""]
      let warnings = warnings(summary, style)
      if !warnings.isEmpty { lines += warnings + [""] }
      let worst = worstEvents(summary, style)
      if !worst.isEmpty { lines += worst + [""] }
    }
    let run = RunTable(record, summary.scatter).lines(style)
    if !run.isEmpty { lines += run + [""] }
    lines.append(headline(record, summary, style))
    if let interruption = summary.interruption { lines += whole(interruption) }
    lines += setup(record, style)
    lines += record.plan.notes.flatMap { whole("note: \($0)") }
    lines += expectations(record, style)
    lines += reasons(of: summary, style)
    lines += absences(record)
    if explaining { lines += meanings(record) }
    return lines.map { $0 + "\n" }.joined()
  }

  /// The three verdicts of a run side by side, and below them why.
  package static func verdicts(of record: RunRecord, color: Bool) -> String {
    verdicts(RunSummary(record), TerminalStyle(isColored: color)).map { $0 + "\n" }.joined()
  }

  private static func verdicts(_ summary: RunSummary, _ style: TerminalStyle) -> [String] {
    let words = summary.verdicts.map { aspect in
      let reason = aspect.verdict.absence.map { " (\($0.rawValue))" } ?? ""
      return
        "\(aspect.title) \(style.colored(aspect.verdict.word, aspect.verdict.verdict))\(reason)"
    }
    let width = 2 + (summary.verdicts.map(\.title.count).max() ?? 0)
    return [words.joined(separator: "   ")]
      + summary.verdicts.filter { !$0.causes.isEmpty }.flatMap { aspect in
        TerminalStyle.wrapped(
          aspect.reason, behind: "  " + aspect.title.padded(to: width), 2 + width)
      }
  }

  private static func sentences(_ summary: RunSummary) -> [String] {
    let names = summary.patterns.map { TerminalStyle.plain($0.pattern.name, width: 18) }
    let width = 2 + (names.map(\.count).max() ?? 0)
    return zip(names, summary.patterns).flatMap { name, pattern in
      TerminalStyle.wrapped(PatternSentence.text(pattern), behind: name.padded(to: width), width)
    }
  }

  private static func warnings(_ summary: RunSummary, _ style: TerminalStyle) -> [String] {
    let word = style.colored("warning:", .marginal)
    return ActuatorReach.warnings(summary.patterns).flatMap {
      TerminalStyle.wrapped($0, behind: "\(word) ", 9)
    }
  }

  private static func worstEvents(_ summary: RunSummary, _ style: TerminalStyle) -> [String] {
    let worst = summary.events.worst()
    guard !worst.isEmpty else { return [] }
    return ["worst events:"]
      + worst.flatMap { score in
        let word = score.grade.rawValue
        let pattern = TerminalStyle.plain(score.pattern, width: 32)
        return TerminalStyle.wrapped(
          "\(pattern), take \(score.take), \(score.name): \(score.words)",
          behind: "  \(style.colored(word, score.grade.verdict, width: 12))  ", 16)
      }
  }

  private static func headline(
    _ record: RunRecord, _ summary: RunSummary, _ style: TerminalStyle
  ) -> String {
    let starts = Set(record.patterns.flatMap { $0.takes.compactMap(\.opening) }).count
    return "\(style.colored(record.verdict.rawValue, summary.shownVerdict)): "
      + "\(Count.of(record.patterns.count, "pattern")), " + Count.of(summary.takeCount, "take")
      + (starts > 1 ? ", the devices opened \(starts) times" : "")
  }

  private static func setup(_ record: RunRecord, _ style: TerminalStyle) -> [String] {
    guard let setup = record.setup, !setup.isEmpty else { return [] }
    guard setup.contains(where: { !$0.holds }) else {
      return ["setup: \(Count.of(setup.count, "check")) passed"]
    }
    return setup.flatMap { finding in
      line(
        finding.holds ? .pass : .fail, "setup \(finding.check.rawValue): \(finding.sentence)", style
      )
    }
  }

  private static func expectations(_ record: RunRecord, _ style: TerminalStyle) -> [String] {
    record.expectations.flatMap { expected, outcome in
      let subject = "\(expected.reading.title)\(expected.pattern.map { " of \($0)" } ?? "")"
      return switch outcome {
      case .failed(let count):
        line(
          .pass,
          "\(subject) fails as expected (\(Count.of(count, "reading"))): \(expected.why)",
          style)
      case .passed:
        line(.marginal, "\(subject) was expected to fail and holds: \(expected.why)", style)
      case .notMeasured:
        line(.notMeasured, "\(subject) was expected to fail: \(expected.why)", style)
      }
    }
  }

  private static func reasons(of summary: RunSummary, _ style: TerminalStyle) -> [String] {
    let all = summary.reasons
    let shown = all.count > mostReasons ? mostReasons - 1 : all.count
    var lines = all.prefix(shown).flatMap {
      line($0.verdict, "\($0.subject): \($0.detail)", style)
    }
    if all.count > shown { lines.append("  and \(all.count - shown) more") }
    return lines
  }

  /// Why readings were not measured, by their names: whoever asks for one more finds it in the report.
  private static func absences(_ record: RunRecord) -> [String] {
    let absent = record.readings.filter { $0.value == nil && $0.note != nil && $0.pattern != nil }
    let groups = Dictionary(grouping: absent, by: { $0.name.title })
      .sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
    guard !groups.isEmpty else { return [] }
    var lines = ["not measured:"]
    for (name, readings) in groups.prefix(mostAbsences) {
      // Reasons that differ in numbers only are one.
      let notes = Set(readings.compactMap(\.note).map { $0.filter { !$0.isNumber } })
      let others = notes.count > 1 ? " (and \(Count.of(notes.count - 1, "other reason")))" : ""
      let first = readings.compactMap(\.note).first ?? ""
      let head = "\(name), \(Count.of(readings.count, "reading"))\(others): "
      lines += whole(head + Shown.plain(first), behind: "  ")
    }
    if groups.count > mostAbsences {
      lines.append("  and \(groups.count - mostAbsences) more names, in the report")
    }
    return lines
  }

  /// What each reading of the run means, under the names of people and of plans.
  private static func meanings(_ record: RunRecord) -> [String] {
    let kinds = record.readings.kinds
    guard !kinds.isEmpty else { return [] }
    return ["", "what the numbers mean, each with its name in plans and JSON:"]
      + kinds.flatMap { whole("\($0.title) (\($0.rawValue)): \($0.explanation)", behind: "  ") }
  }

  private static func line(_ verdict: Verdict, _ text: String, _ style: TerminalStyle) -> [String] {
    let word = style.colored(verdict.rawValue, verdict, width: 12)
    return TerminalStyle.wrapped(text, behind: "  \(word)  ", 16)
  }

  /// A sentence on as many lines as it takes: whoever reads it in a file gets all of it.
  fileprivate static func whole(_ text: String, behind start: String = "") -> [String] {
    TerminalStyle.wrapped(text, behind: start, 4)
  }
}

struct PatternTable {
  private struct Column {
    let title: String
    let unit: String
    /// What a cell says; `nil` where the pattern has no such reading.
    let cell: @Sendable (PatternSummary) -> String?
  }

  private static func text(_ headline: Headline?, scale: Double = 1) -> String? {
    headline.map { $0.concise(scale: scale) ?? "n/m" }
  }

  private static let harmony = "harmony"
  private static let columns = [
    Column(title: "scored", unit: "events") { $0.scored?.short },
    Column(title: "latency", unit: "ms") { text($0.latency, scale: 1e3) },
    Column(title: "sync", unit: "ms") { text($0.sync, scale: 1e3) },
    Column(title: "level", unit: "dB") { $0.isCalibrated ? text($0.intensityError) : nil },
    Column(title: "contrast", unit: "dB") { $0.isCalibrated ? nil : text($0.contrast) },
    Column(title: "sharpness", unit: "octave") { text($0.sharpnessError) },
    Column(title: "beyond", unit: "%") {
      $0.reach?.outside.value.map { EngineeringFormat.fixed(100 * $0, 1) }
    },
    Column(title: "held", unit: "ms") {
      $0.reach?.heldTime?.value.map { EngineeringFormat.fixed(1e3 * $0, 1) }
    },
    Column(title: harmony, unit: "index") { row in
      text(row.harmony).map { $0 + (row.harmony?.note == nil ? "" : "*") }
    },
  ]

  private let rows: [PatternSummary]
  private let columns: [Column]

  init(_ rows: [PatternSummary]) {
    self.rows = rows
    columns = Self.columns.filter { column in rows.contains { column.cell($0) != nil } }
  }

  /// The table; names are cut where it would be wider than a report.
  func lines(_ style: TerminalStyle) -> [String] {
    let width = 18
    let lines = lines(style, nameWidth: width)
    // Colours have no width.
    let plain =
      style.isColored ? self.lines(TerminalStyle(isColored: false), nameWidth: width) : lines
    let excess = (plain.map(\.count).max() ?? 0) - TextReport.width
    return (excess > 0 ? self.lines(style, nameWidth: max(6, width - excess)) : lines)
      + PatternSummary.incompleteHarmonies(rows).map { note, patterns in
        TerminalStyle.plain(
          "* \(Self.harmony) index \(note): \(patterns.joined(separator: ", "))",
          width: TextReport.width)
      }
  }

  private func lines(_ style: TerminalStyle, nameWidth: Int) -> [String] {
    var table = TextTable(alignments: [.left, .left] + columns.map { _ in .right }, style: style)
    table.add(["pattern", "verdict"] + columns.map(\.title))
    table.add(["", ""] + columns.map(\.unit))
    table.addRule()
    for row in rows {
      let verdict = row.pattern.verdict
      table.add(
        [
          TerminalStyle.plain(row.pattern.name, width: nameWidth),
          verdict?.rawValue ?? "not judged",
        ] + columns.map { $0.cell(row) ?? "-" }, coloured: (1, verdict))
    }
    return table.lines
  }
}

/// A row a reading of the run: those of the run itself, and those of all takes that tell of the rig.
struct RunTable {
  private struct Row {
    let name: String
    let text: String
    let count: Int?
    let verdict: Verdict?
  }

  /// Readings of takes that are drawn together, since they tell of the rig and not of a pattern.
  private static let ofRig: [(kind: ReadingKind, rule: Headline.Rule)] = [
    (.latencyElectrical, .mean), (.drift, .mean), (.noiseFloor, .mean), (.xruns, .sum),
    (.dropouts, .sum), (.overloads, .sum),
  ]

  private let rows: [Row]

  init(_ record: RunRecord, _ scatter: ReadingScatter) {
    let ofRig = Self.ofRig.compactMap { kind, rule in
      let name = ReadingName(kind)
      let readings = record.readings.filter { $0.name == name && $0.pattern != nil }
      return Self.row(name, readings, rule, scatter)
    }
    let ofRun = record.readings.filter { !$0.name.isControl && $0.pattern == nil }.map {
      Self.row($0, scatter)
    }
    let shown = record.limits.map(\.reading)
    let ofControl = record.readings.filter(\.name.isControl)
      .filter { Self.controls.contains($0.name.kind) || shown.contains($0.name) }
      .grouped(by: \.name).compactMap { name, readings in
        let rule = Self.ofRig.first { $0.kind == name.kind }?.rule ?? .mean
        return Self.row(name, readings, rule, scatter)
      }
    rows = ofRig + ofRun + ofControl
  }

  private static let controls: Set<ReadingKind> = [
    .latencyElectrical, .latencyTransport, .syncAudioHaptic, .drift,
  ]

  private static func row(
    _ name: ReadingName, _ readings: [Reading], _ rule: Headline.Rule, _ scatter: ReadingScatter
  ) -> Row? {
    guard let headline = Headline(readings, rule, scatter: scatter) else { return nil }
    guard headline.value != nil else {
      return Row(
        name: name.title,
        text: "not measured: \(readings.compactMap(\.note).first ?? "no reason given")",
        count: nil, verdict: .notMeasured)
    }
    // One take of many that has none keeps its own verdict; the others' is told here.
    let judged = readings.filter { $0.limit != nil && $0.value != nil }.compactMap(\.verdict)
    return Row(
      name: name.title, text: headline.text ?? "", count: headline.count,
      verdict: judged.isEmpty ? nil : Verdict.worst(judged))
  }

  private static func row(_ reading: Reading, _ scatter: ReadingScatter) -> Row {
    let name = reading.name.title
    guard let text = Shown.value(of: reading, scatter) else {
      return Row(
        name: name, text: "not measured: \(reading.note ?? "no reason given")", count: nil,
        verdict: .notMeasured)
    }
    return Row(name: name, text: text, count: reading.count, verdict: reading.verdict)
  }

  func lines(_ style: TerminalStyle) -> [String] {
    guard !rows.isEmpty else { return [] }
    let isMeasured = { (row: Row) in row.verdict != .notMeasured }
    var table = TextTable(alignments: [.left, .right, .right, .left], style: style)
    table.add(["run", "value", "n", "verdict"])
    table.addRule()
    for row in rows where isMeasured(row) {
      table.add(
        [row.name, row.text, row.count.map(String.init) ?? "", row.verdict?.rawValue ?? ""],
        coloured: (3, row.verdict))
    }
    return (rows.contains(where: isMeasured) ? table.lines : [])
      + rows.filter { !isMeasured($0) }.flatMap { TextReport.whole("\($0.name) \($0.text)") }
  }
}
