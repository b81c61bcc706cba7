// SPDX-License-Identifier: Apache-2.0

package import Acceptance
import Actuators
package import Calibration
package import JSONText
import Perception
package import Profiles
import Units

/// What a calibration found, on one page and as numbers: the actuator's certificate.
///
/// Equal parts give equal bytes.
public struct Certificate: Sendable {
  package let profile: CalibrationProfile
  package let notes: [String]
  let figures: CalibrationFigures
  let host: String
  /// The files and the SHA-256 of their bytes, in hexadecimal digits.
  let recordings: [(name: String, hash: String)]
  package let method: [(name: String, value: String)]
  let goals: [CalibrationGoal]
  let table: DriveSheet

  package init(
    profile: CalibrationProfile, notes: [String], figures: CalibrationFigures, host: String,
    recordings: [(name: String, hash: String)], method: [(name: String, value: String)] = []
  ) {
    self.profile = profile
    self.notes = notes
    self.figures = figures
    self.host = host
    self.recordings = recordings
    self.method = method
    goals = CalibrationGoals(profile: profile, figures: figures).all
    table = DriveSheet(profile)
  }
}

extension Certificate {
  /// What the goals come to together: a fail if one is missed, a pass only if all are met.
  ///
  /// Marginal where some were not measured, or are missed for a limit that is not the calibration's and has
  /// a name; `notMeasured` where none was measured.
  package var verdict: Verdict {
    if goals.contains(where: { $0.verdict == .fail }) { return .fail }
    guard goals.contains(where: { $0.verdict == .pass }) else { return .notMeasured }
    return goals.allSatisfy { $0.verdict == .pass } ? .pass : .marginal
  }

  var verdictWord: String {
    switch verdict {
    case .pass: "meets every goal"
    case .marginal where goals.contains { $0.verdict == .marginal }: "meets what its limits allow"
    case .marginal: "meets what was measured"
    case .notMeasured: Shown.word(of: .notMeasured)
    case .fail: "misses \(Count.of(goals.count { $0.verdict == .fail }, "goal"))"
    }
  }

  /// What the actuator is and can do, where that is not all that can be asked; nil where it reaches every point of
  /// the grid.
  ///
  /// Goals are judged where it can follow: without this a motor that reaches nothing would meet them all.
  var scope: String? {
    guard table.reachedCount < table.grid.count || profile.motorCurve != nil else { return nil }
    let points = "\(table.reachedCount) of \(table.grid.count) points as asked"
    return profile.motorCurve != nil
      ? "one strength for each speed, \(points)" : "reaches \(points)"
  }

  /// The verdict as people read it, beside what the actuator reaches.
  var shownVerdict: String {
    verdict == .pass && scope != nil ? "\(verdictWord) within its reach" : verdictWord
  }

  /// Its strongest steady vibration, and where it reaches intensity 1; nil where neither is known.
  var strength: String? {
    let (points, laws) = (profile.ceiling.points, profile.laws)
    guard let best = points.max(by: { $0.acceleration < $1.acceleration }) else { return nil }
    let isFull = points.map {
      $0.acceleration
        >= laws.contour.acceleration(sensationLevel: laws.referenceLevel, at: $0.frequency)
    }
    func hertz(_ point: ReachableCeiling.Point) -> String {
      EngineeringFormat.fixed(point.frequency, 0)
    }
    let reach =
      if let low = isFull.firstIndex(of: true), let high = isFull.lastIndex(of: true) {
        low == high
          ? "intensity 1 at \(hertz(points[low])) Hz"
          : "intensity 1 \(isFull[low...high].contains(false) ? "in parts of" : "from") "
            + "\(hertz(points[low])) to \(hertz(points[high])) Hz"
      } else { "intensity 1 nowhere" }
    return
      "\(EngineeringFormat.fixed(best.acceleration, 1)) m/s2 peak at \(hertz(best)) Hz; \(reach)"
  }

  var sentence: String {
    let met = goals.count { $0.verdict == .pass }
    let missed = goals.filter { $0.verdict == .fail }
    let limited = goals.filter { $0.verdict == .marginal }
    let unmeasured = goals.filter { $0.verdict == .notMeasured }
    var parts = ["Meets \(met) of \(goals.count) goals"]
    if !missed.isEmpty {
      let words = missed.map { "\($0.name.lowercasedFirst) \($0.shownValue) (\($0.shownLimit))" }
      parts.append("misses \(missed.count): " + words.joined(separator: ", "))
    }
    if !limited.isEmpty {
      let words = limited.map {
        "\($0.name.lowercasedFirst) \($0.shownValue) (\($0.shownLimit)) by \($0.limitedBy ?? "")"
      }
      parts.append("\(limited.count) limited: " + words.joined(separator: ", "))
    }
    if !unmeasured.isEmpty {
      let names = unmeasured.map(\.name.lowercasedFirst).joined(separator: ", ")
      parts.append(
        "\(unmeasured.count) \(unmeasured.count == 1 ? "was" : "were") not measured"
          + (unmeasured.count > 4 ? "" : ": \(names)"))
    }
    let told = parts.joined(separator: "; ") + "."
    return scope.map { "\($0.capitalised). Within its reach: \(told.lowercasedFirst)" } ?? told
  }

  package var text: String {
    let actuator = profile.actuator
    let head =
      "\(actuator.id) (\(actuator.model), \(actuator.kind.rawValue)) on \(profile.rig): "
      + (scope.map { "\($0); " } ?? "") + shownVerdict
    let groups = [("what it can do", abilities), ("how well it does it", accuracies)]
    let width = (groups.flatMap(\.1).map(\.name.count).max() ?? 0) + 2
    var lines = [TerminalStyle.plain(head)]
    for (title, rows) in groups {
      lines.append("  \(title)")
      lines += rows.map { "    \($0.padded(to: width))\(TerminalStyle.plain($1))" }
    }
    for goal in goals where goal.verdict == .fail {
      lines.append("  misses: \(goal.name), \(goal.shownValue), goal \(goal.shownLimit)")
    }
    for goal in goals where goal.verdict == .marginal {
      let what = "\(goal.name), \(goal.shownValue), goal \(goal.shownLimit)"
      lines.append("  limited: \(what), by \(goal.limitedBy ?? "")")
    }
    for (reason, alike) in goals.compactMap(\.reason).grouped(by: \.self) {
      lines.append("  not measured: \(Count.of(alike.count, "goal")), \(reason)")
    }
    lines += notes.map { "  note: \(TerminalStyle.plain($0))" }
    return lines.map { $0 + "\n" }.joined()
  }

  private typealias Row = (name: String, value: String)

  /// What the terms of its text mean, for who asks.
  package var meanings: String {
    let lines = ["", "what the words mean:"] + TerminalStyle.meanings(of: Self.terms)
    return lines.map { $0 + "\n" }.joined()
  }

  /// The terms that its text and its page use.
  static let terms: [Term] = Term.allCases.filter { ![.harmony, .standard].contains($0) }

  private var abilities: [Row] {
    var rows: [Row] = [("reaches as asked", table.reachedWords)]
    if let strength { rows.append(("strongest", strength)) }
    rows += ModelRow.all(of: profile).map { row in
      (name: row.words, value: QuantityText(row.quantity).line + " (k = 2)")
    }
    if let points = profile.motorCurve?.points, let first = points.first, let last = points.last {
      let band = "\(Shown.number(first.frequency)) to \(Shown.number(last.frequency)) Hz"
      rows.append(("range", "\(band), up to \(Shown.number(last.acceleration)) m/s2"))
    }
    let laws = profile.laws
    let level = Shown.number(laws.referenceLevel)
    let ends = [0, 1].map { Shown.number(laws.sharpness.frequency(of: $0)) }
    return rows + [
      ("intensity 1 is", "\(level) dB above the threshold of feeling (\(laws.contour.name))"),
      ("sharpness 0 to 1 is", "\(ends[0]) to \(ends[1]) Hz (\(laws.sharpness.name))"),
    ]
  }

  private var accuracies: [Row] {
    let found = profile.verification
    let taps = TapSummary(profile: profile, figures: figures)
    let tail = taps.longestTail.map {
      "20 dB down \(Shown.fixed(1e3 * abs($0), 1, "ms")) \($0 < 0 ? "before" : "after") the intended end, "
        + "the longest of \(taps.taps.count)"
    }
    let uncertainty = profile.uncertainty
    let share = Shown.percent(uncertainty.expanded, decimals: 1)
    return [
      ("level error", Self.words(found?.level) { Shown.decibels($0) }),
      ("sharpness error", Self.words(found?.frequency) { Shown.percent($0) }),
      ("taps end", tail ?? Verdict.notMeasured.rawValue),
      ("held-out pattern", Self.words(found?.pattern?.envelope) { Shown.decibels($0) }),
      (
        "uncertainty",
        uncertainty.lines.isEmpty ? Shown.notKnown : "\(share) of acceleration (k = 2)"
      ),
    ]
  }

  private static func words(
    _ spread: ProfileVerification.Spread?, _ shown: (Double) -> String
  ) -> String {
    guard let spread else { return Verdict.notMeasured.rawValue }
    return "\(shown(spread.rms)) rms, 95 % below \(shown(spread.percentile95))"
  }
}

extension String {
  fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}

extension Certificate {
  static let schema = "haprig-certificate"
  static let schemaVersion = 1

  /// All of the certificate as a JSON value, in the form that `docs/FILE-FORMATS.md` describes.
  ///
  /// What was not measured is null or left out; no number in it is other than finite.
  package var json: JSONValue {
    .object(all: [
      "schema": Self.schema, "version": Self.schemaVersion, "verdict": verdictWord,
      "sentence": sentence, "goals": goals, "notes": notes,
      "method": method.map { JSONValue.object(all: ["name": $0.name, "value": $0.value]) },
      "host": host, "profile": profile.json,
      "degreesOfFreedom": profile.uncertainty.degreesOfFreedom,
      "reachedShare": table.reachedShare, "region": table.reach, "table": table.grid,
      "strongest": strongest, "taps": TapSummary(profile: profile, figures: figures).taps,
      "figures": figures,
      "recordings": recordings.map { JSONValue.object(all: ["name": $0.name, "hash": $0.hash]) },
    ])
  }

  private var strongest: [JSONValue] {
    let uncertainty = profile.uncertainty
    return profile.ceiling.points.map { point in
      let strength = Strength(point, mass: profile.actuator.mass)
      return .object(all: [
        "frequency": point.frequency, "acceleration": point.acceleration,
        "gravities": strength.gravities, "force": strength.force,
        "staticMoment": strength.staticMoment,
        "uncertainty": uncertainty.lines.isEmpty ? nil : uncertainty.expanded * point.acceleration,
      ])
    }
  }
}

extension CalibrationGoal: JSONConvertible {
  package var json: JSONValue {
    let (boundKey, limit) =
      switch bound {
      case .atMost(let limit): ("atMost", limit)
      case .atLeast(let limit): ("atLeast", limit)
      }
    return .object(all: [
      "name": name, "value": value, "unit": unit.rawValue, boundKey: limit,
      "verdict": Shown.word(of: verdict), "basis": basis, "limitedBy": limitedBy, "reason": reason,
    ])
  }
}

extension DriveSheet.Reach: JSONConvertible {
  package var json: JSONValue {
    .object(all: ["sharpness": sharpness, "lowestIntensity": lowest, "highestIntensity": highest])
  }
}

extension DriveSheet.Point: JSONConvertible {
  package var json: JSONValue {
    .object(all: [
      "intensity": intensity, "sharpness": sharpness, "volts": command.volts,
      "frequency": command.frequency, "acceleration": command.wanted,
      "targetLevel": command.targetLevel, "targetFrequency": command.targetFrequency,
      "weakerBy": command.mapping.decibels, "octavesMoved": command.mapping.octaves,
      "consistency": command.mapping.consistency, "isReached": command.mapping.isInside,
    ])
  }
}

extension TapSummary.Tap: JSONConvertible {
  package var json: JSONValue {
    .object(all: [
      "intensity": intensity, "sharpness": sharpness, "targetLevel": asked?.targetLevel,
      "targetFrequency": asked?.targetFrequency, "wantedLevel": asked?.wantedLevel,
      "wantedFrequency": asked?.wantedFrequency, "mapped": asked?.mapped, "peak": peak,
      "peakError": peakError, "energy": energy, "energyError": energyError, "tail": tail,
      "pulseToRing": pulseToRing,
    ])
  }
}

extension CalibrationFigures: JSONConvertible {
  package var json: JSONValue {
    .object(all: [
      "responses": responses, "model": model, "phases": phases, "impulse": impulse,
      "levels": levels, "distortion": distortion, "coherence": coherence,
      "delayScatter": delayScatter, "clockOffset": clockOffset, "ceiling": ceiling,
      "noise": noise, "grid": grid, "heldOut": heldOut, "taps": taps, "pattern": pattern,
      "motor": motor,
    ])
  }
}

extension CalibrationFigures.Curve: JSONConvertible {
  package var json: JSONValue { .object(all: ["label": label, "x": x, "y": y]) }
}

extension CalibrationFigures.GridPoint: JSONConvertible {
  package var json: JSONValue {
    .object(all: [
      "intensity": intensity, "sharpness": sharpness, "targetLevel": targetLevel,
      "targetFrequency": targetFrequency, "beforeLevel": beforeLevel, "level": level,
      "frequency": frequency, "uncertainty": uncertainty, "mapped": mapped,
    ])
  }
}

extension CalibrationFigures.Tap: JSONConvertible {
  package var json: JSONValue {
    .object(all: [
      "intensity": intensity, "sharpness": sharpness, "time": time, "wanted": wanted,
      "measured": measured, "volts": volts, "end": end, "t20": t20, "pulseToRing": pulseToRing,
    ])
  }
}
