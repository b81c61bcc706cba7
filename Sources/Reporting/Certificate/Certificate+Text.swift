import Acceptance
import Actuators
import Calibration
import Perception
import Profiles

extension Certificate {
  /// The certificate in short, for a terminal; every line is ended by a line feed.
  public var text: String {
    let actuator = profile.actuator
    let head =
      "\(actuator.id) (\(actuator.model), \(actuator.kind.rawValue)) on \(profile.rig): \(verdictWord)"
    let width = (rows.map(\.0.count).max() ?? 0) + 2
    var lines = [TerminalStyle.plain(head)]
    lines += rows.map { name, value in
      let padding = String(repeating: " ", count: width - name.count)
      return "  \(name)\(padding)\(TerminalStyle.plain(value))"
    }
    for goal in goals where goal.verdict == .fail {
      lines.append("  misses: \(goal.name), \(goal.shownValue), goal \(goal.shownLimit)")
    }
    for goal in goals where goal.verdict == .marginal {
      lines.append(
        "  limited: \(goal.name), \(goal.shownValue), goal \(goal.shownLimit), by "
          + (goal.limitedBy ?? ""))
    }
    var told: Set<String> = []
    for reason in goals.compactMap(\.reason) where told.insert(reason).inserted {
      let count = Count.of(goals.count { $0.reason == reason }, "goal")
      lines.append("  not measured: \(count), \(reason)")
    }
    lines += notes.map { "  note: \(TerminalStyle.plain($0))" }
    return lines.map { $0 + "\n" }.joined()
  }

  /// Name and value of what stands in the summary.
  private var rows: [(String, String)] {
    let found = profile.verification
    let taps = TapSummary(profile: profile, figures: figures)
    var rows = modelRows
    rows.append(
      (
        "reference level",
        "\(Shown.number(profile.laws.referenceLevel)) dB above threshold "
          + "(\(profile.laws.contour.name))"
      ))
    rows.append(("reachable", table.reachedWords))
    rows.append(("level error", Self.words(found?.level) { Shown.decibels($0) }))
    rows.append(("sharpness error", Self.words(found?.frequency) { Shown.percent($0) }))
    if let tail = taps.longestTail {
      rows.append(
        (
          "tap tail",
          "-20 dB at \(Shown.fixed(1e3 * tail, 1, "ms")) after the intended end, the longest of "
            + "\(taps.taps.count)"
        ))
    } else {
      rows.append(("tap tail", Verdict.notMeasured.rawValue))
    }
    rows.append(("held-out pattern", Self.words(found?.pattern?.envelope) { Shown.decibels($0) }))
    rows.append(
      (
        "uncertainty",
        profile.uncertainty.lines.isEmpty
          ? Shown.notKnown
          : "\(Shown.percent(profile.uncertainty.expanded, decimals: 1)) of acceleration (k = 2)"
      ))
    return rows
  }

  private var modelRows: [(String, String)] {
    var rows = ModelRow.all(of: profile).map { row in
      (row.symbol, QuantityText(row.quantity).line + " (k = 2)")
    }
    if let curve = profile.motorCurve, let last = curve.points.last {
      rows.append(
        (
          "range",
          "\(Shown.number(curve.points.first?.frequency ?? last.frequency)) to "
            + "\(Shown.number(last.frequency)) Hz, up to \(Shown.number(last.acceleration)) m/s2"
        ))
    }
    return rows
  }

  private static func words(
    _ spread: ProfileVerification.Spread?, _ shown: (Double) -> String
  ) -> String {
    guard let spread else { return Verdict.notMeasured.rawValue }
    return "\(shown(spread.rms)) rms, \(shown(spread.percentile95)) at 95 %"
  }
}
