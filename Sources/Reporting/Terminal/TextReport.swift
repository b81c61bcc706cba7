public import Acceptance
import Units

/// A run as a short table for a terminal.
public enum TextReport {
  private static let mostReasons = 10

  /// Writes the table, the run's verdict, and at most ten lines of what kept it from a plain pass.
  ///
  /// Latencies are means of the takes, sync is the value farthest from zero, the intensity error is
  /// the root mean square over events; ± is one standard uncertainty.
  ///
  /// - Parameters:
  ///   - record: The run.
  ///   - color: Whether verdicts are coloured by ANSI sequences; the words stay the same.
  /// - Returns: The text, every line of it ended by a line feed.
  public static func table(record: RunRecord, color: Bool = false) -> String {
    let style = TerminalStyle(isColored: color)
    let summary = RunSummary(record)
    var lines = rows(of: record, style)
    lines.append("")
    lines.append(
      "\(style.verdict(record.verdict)): "
        + "\(RunSummary.count(record.patterns.count, "pattern")), "
        + RunSummary.count(summary.takeCount, "take"))
    if let interruption = summary.interruption { lines.append(TerminalStyle.plain(interruption)) }
    lines += reasons(of: summary, style)
    return lines.map { $0 + "\n" }.joined()
  }

  private static func rows(of record: RunRecord, _ style: TerminalStyle) -> [String] {
    var table = TextTable(alignments: [.left, .right, .right, .right, .right, .left])
    table.add(["", "latency", "latency", "audio-haptic", "intensity", ""])
    table.add(["pattern", "electrical", "transport", "sync", "error (rms)", "verdict"])
    table.addRule()
    for row in PatternSummary.rows(of: record) {
      let verdict = row.pattern.verdict
      table.add(
        [
          TerminalStyle.plain(row.pattern.name, width: 28), cell(row.electricalLatency),
          cell(row.transportLatency), cell(row.sync), cell(row.intensityError),
          verdict?.rawValue ?? "not judged",
        ],
        styling: { column, text in
          column == 5 ? verdict.map { style.colored(text, $0) } ?? text : text
        })
    }
    return table.lines
  }

  private static func cell(_ headline: Headline?) -> String {
    guard let headline else { return "-" }
    return headline.text ?? Verdict.notMeasured.rawValue
  }

  private static func reasons(of summary: RunSummary, _ style: TerminalStyle) -> [String] {
    let all = summary.reasons
    let shown = all.count > mostReasons ? mostReasons - 1 : all.count
    var lines = all.prefix(shown).map { reason in
      let padding = String(repeating: " ", count: 12 - reason.verdict.rawValue.count)
      return "  \(style.verdict(reason.verdict))\(padding)  "
        + TerminalStyle.plain("\(reason.subject): \(reason.detail)")
    }
    if all.count > shown { lines.append("  and \(all.count - shown) more") }
    return lines
  }
}
