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
  package struct File: Sendable, Equatable {
    let name: String
    /// The SHA-256 of its bytes, in hexadecimal digits.
    let hash: String

    package init(name: String, hash: String) {
      self.name = name
      self.hash = hash
    }
  }

  package struct Fact: Sendable, Equatable {
    package let name: String
    package let value: String

    package init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  package let profile: CalibrationProfile
  package let notes: [String]
  let figures: CalibrationFigures
  let host: String
  let recordings: [File]
  package let method: [Fact]
  let goals: [CalibrationGoal]
  let table: DriveSheet

  package init(
    profile: CalibrationProfile, notes: [String], figures: CalibrationFigures, host: String,
    recordings: [File], method: [Fact] = []
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
    return parts.joined(separator: "; ") + "."
  }

  package var text: String {
    let actuator = profile.actuator
    let head =
      "\(actuator.id) (\(actuator.model), \(actuator.kind.rawValue)) on \(profile.rig): \(verdictWord)"
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
    var told: Set<String> = []
    for reason in goals.compactMap(\.reason) where told.insert(reason).inserted {
      let count = Count.of(goals.count { $0.reason == reason }, "goal")
      lines.append("  not measured: \(count), \(reason)")
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
}

extension Certificate {
  static let schema = "haprig-certificate"
  static let schemaVersion = 1

  /// All of the certificate as a JSON value, in the form that `docs/FILE-FORMATS.md` describes.
  ///
  /// What was not measured is null or left out; no number in it is other than finite.
  package var json: JSONValue {
    [
      "schema": .string(Self.schema),
      "version": .integer(Self.schemaVersion),
      "verdict": .string(verdictWord),
      "sentence": .string(sentence),
      "goals": .array(goals.map(\.json)),
      "notes": .array(notes.map { .string($0) }),
      "method": .array(
        method.map { ["name": .string($0.name), "value": .string($0.value)] }),
      "host": .string(host),
      "profile": profile.json,
      "degreesOfFreedom": .measured(profile.uncertainty.degreesOfFreedom),
      "reachedShare": .measured(table.reachedShare),
      "region": .array(
        table.reach.map {
          [
            "sharpness": .measured($0.sharpness), "lowestIntensity": .measured($0.lowest),
            "highestIntensity": .measured($0.highest),
          ]
        }),
      "table": .array(table.grid.map(\.json)),
      "strongest": strongest,
      "taps": .array(TapSummary(profile: profile, figures: figures).taps.map(\.json)),
      "figures": figures.json,
      "recordings": .array(
        recordings.map { ["name": .string($0.name), "hash": .string($0.hash)] }),
    ]
  }

  private var strongest: JSONValue {
    .array(
      profile.ceiling.points.map { point in
        let strength = Strength(point, mass: profile.actuator.mass)
        return [
          "frequency": .measured(point.frequency), "acceleration": .measured(point.acceleration),
          "gravities": .measured(strength.gravities),
          "force": .measured(strength.force), "staticMoment": .measured(strength.staticMoment),
          "uncertainty": profile.uncertainty.lines.isEmpty
            ? .null : .measured(profile.uncertainty.expanded * point.acceleration),
        ]
      })
  }
}

extension CalibrationGoal {
  fileprivate var json: JSONValue {
    let (boundKey, limit) =
      switch bound {
      case .atMost(let limit): ("atMost", limit)
      case .atLeast(let limit): ("atLeast", limit)
      }
    return [
      "name": .string(name), "value": .measured(value), "unit": .string(unit.rawValue),
      boundKey: .measured(limit),
      "verdict": .string(Shown.word(of: verdict)),
      "basis": .string(basis),
      "limitedBy": limitedBy.map(JSONValue.string) ?? .null,
      "reason": reason.map(JSONValue.string) ?? .null,
    ]
  }
}

extension DriveSheet.Point {
  fileprivate var json: JSONValue {
    [
      "intensity": .measured(intensity), "sharpness": .measured(sharpness),
      "volts": .measured(command.volts), "frequency": .measured(command.frequency),
      "acceleration": .measured(command.wanted), "targetLevel": .measured(command.targetLevel),
      "targetFrequency": .measured(command.targetFrequency),
      "weakerBy": .measured(command.mapping.decibels),
      "octavesMoved": .measured(command.mapping.octaves),
      "consistency": .measured(command.mapping.consistency),
      "isReached": .bool(command.mapping.isInside),
    ]
  }
}

extension TapSummary.Tap {
  fileprivate var json: JSONValue {
    [
      "intensity": .measured(intensity), "sharpness": .measured(sharpness),
      "targetLevel": .measured(asked?.targetLevel),
      "targetFrequency": .measured(asked?.targetFrequency),
      "wantedLevel": .measured(asked?.wantedLevel),
      "wantedFrequency": .measured(asked?.wantedFrequency),
      "mapped": asked.map { .bool($0.mapped) } ?? .null,
      "peak": .measured(peak), "peakError": .measured(peakError), "energy": .measured(energy),
      "energyError": .measured(energyError), "tail": .measured(tail),
      "pulseToRing": .measured(pulseToRing),
    ]
  }
}

extension CalibrationFigures {
  var json: JSONValue {
    [
      "responses": .array(responses.map(\.json)),
      "model": model?.json ?? .null,
      "phases": .array(phases.map(\.json)),
      "impulse": impulse?.json ?? .null,
      "levels": .array(levels.map(\.json)),
      "distortion": .array(distortion.map(\.json)),
      "coherence": .array(coherence.map(\.json)),
      "delayScatter": .measured(delayScatter),
      "clockOffset": .measured(clockOffset),
      "ceiling": ceiling?.json ?? .null,
      "noise": noise?.json ?? .null,
      "grid": .array(grid.map(\.json)),
      "heldOut": .array(heldOut.map(\.json)),
      "taps": .array(taps.map(\.json)),
      "pattern": .array(pattern.map(\.json)),
      "motor": .array(motor.map(\.json)),
    ]
  }
}

extension CalibrationFigures.Curve {
  fileprivate var json: JSONValue {
    ["label": .string(label), "x": .measurements(x), "y": .measurements(y)]
  }
}

extension CalibrationFigures.GridPoint {
  fileprivate var json: JSONValue {
    [
      "intensity": .measured(intensity), "sharpness": .measured(sharpness),
      "targetLevel": .measured(targetLevel), "targetFrequency": .measured(targetFrequency),
      "beforeLevel": .measured(beforeLevel), "level": .measured(level),
      "frequency": .measured(frequency), "uncertainty": .measured(uncertainty),
      "mapped": .bool(mapped),
    ]
  }
}

extension CalibrationFigures.Tap {
  fileprivate var json: JSONValue {
    [
      "intensity": .measured(intensity), "sharpness": .measured(sharpness),
      "time": .measurements(time), "wanted": .measurements(wanted),
      "measured": .measurements(measured), "volts": .measurements(volts), "end": .measured(end),
      "t20": .measured(t20), "pulseToRing": .measured(pulseToRing),
    ]
  }
}

extension JSONValue {
  /// A number, or null for what was not measured.
  fileprivate static func measured(_ value: Double?) -> JSONValue {
    value.flatMap { $0.isFinite ? .number($0) : nil } ?? .null
  }

  /// A list of numbers, null for what was not measured.
  fileprivate static func measurements(_ values: [Double]) -> JSONValue {
    .array(values.map { .measured($0) })
  }
}
