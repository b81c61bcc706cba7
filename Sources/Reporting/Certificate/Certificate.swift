// SPDX-License-Identifier: Apache-2.0

package import Acceptance
import Actuators
package import Calibration
package import JSONText
import Perception
package import Profiles

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

  /// What the actuator is and can do, where that is not what is asked of one; nil where it reaches some points of
  /// the plane with both free.
  ///
  /// Goals are judged where it can follow: without this a motor that reaches nothing would meet them all.
  var scope: String? {
    let points = "\(table.reachedCount) of \(table.grid.count) points as asked"
    if profile.motorCurve != nil { return "one strength for each speed, \(points)" }
    return table.reachedCount == 0 ? "reaches \(points)" : nil
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
    return scope.map { "\($0.uppercasedFirst). Where it follows: \(told)" } ?? told
  }

  package var text: String {
    let actuator = profile.actuator
    let head =
      "\(actuator.id) (\(actuator.model), \(actuator.kind.rawValue)) on \(profile.rig): "
      + (scope.map { "\($0); " } ?? "") + verdictWord
    let rows = rows
    let width = (rows.map(\.name.count).max() ?? 0) + 2
    var lines = [TerminalStyle.plain(head)]
    lines += rows.map { "  \($0.padded(to: width))\(TerminalStyle.plain($1))" }
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

  private var rows: [(name: String, value: String)] {
    let found = profile.verification
    let taps = TapSummary(profile: profile, figures: figures)
    var rows = ModelRow.all(of: profile).map { row in
      (name: row.symbol, value: QuantityText(row.quantity).line + " (k = 2)")
    }
    if let points = profile.motorCurve?.points, let first = points.first, let last = points.last {
      let band = "\(Shown.number(first.frequency)) to \(Shown.number(last.frequency)) Hz"
      rows.append(("range", "\(band), up to \(Shown.number(last.acceleration)) m/s2"))
    }
    let level = Shown.number(profile.laws.referenceLevel)
    rows += [
      ("reference level", "\(level) dB above threshold (\(profile.laws.contour.name))"),
      ("reachable", table.reachedWords),
      ("level error", Self.words(found?.level) { Shown.decibels($0) }),
      ("sharpness error", Self.words(found?.frequency) { Shown.percent($0) }),
    ]
    let tail = taps.longestTail.map {
      "-20 dB at \(Shown.fixed(1e3 * $0, 1, "ms")) after the intended end, the longest of "
        + "\(taps.taps.count)"
    }
    let uncertainty = profile.uncertainty
    let share = Shown.percent(uncertainty.expanded, decimals: 1)
    return rows + [
      ("tap tail", tail ?? Verdict.notMeasured.rawValue),
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
    return "\(shown(spread.rms)) rms, \(shown(spread.percentile95)) at 95 %"
  }
}

extension String {
  fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
  /// The text as it begins a sentence.
  fileprivate var uppercasedFirst: String { prefix(1).uppercased() + dropFirst() }
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
