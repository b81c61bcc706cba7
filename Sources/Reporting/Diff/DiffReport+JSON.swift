// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Actuators
import ChangeDetection
package import JSONText
import Profiles
import Units

extension DiffReport {
  static let schema = "haprig.diff/1"

  /// The report for programs, as docs/schema/diff.schema.json says; without the columns of the pictures.
  ///
  /// What is not known is absent. Equal reports give equal text.
  package var json: JSONValue {
    .object(of: [
      "schema": Self.schema, "rate": Self.rate, "worse": isWorse, "sentence": sentence,
      "sides": sides.map(Self.json), "pairs": pairs.map(json), "overlays": overlays.map(json),
      "profiles": profiles.map { side in
        JSONValue.object(of: [
          "side": sides[side.side].label, "actuator": side.profile.actuator.id,
          "date": side.profile.source.date,
        ])
      },
      "impulses": impulses.dropFirst().map { other in
        JSONValue.object(of: [
          "first": sides[impulses[0].side].label, "second": sides[other.side].label,
          "difference": impulses[0].impulse.difference(to: other.impulse),
        ])
      }, "absences": absences,
    ])
  }

  package var jsonText: String { json.text(indent: 1, sortedKeys: true) + "\n" }

  private static func json(_ side: Side) -> JSONValue {
    .object(of: [
      "label": side.label, "baseline": side.isBaseline, "pattern": side.pattern, "take": side.take,
      "runs": side.runs.map { run in
        JSONValue.object(of: [
          "id": run.id, "began": run.record.began, "rig": run.record.rig,
          "actuator": run.record.actuator, "plan": run.record.plan,
          "software": run.record.software, "profile": run.record.profile,
          "takes": run.record.takes, "verdict": run.record.verdict.rawValue,
          "status": run.record.status.rawValue, "imported": run.record.isImported,
        ])
      },
    ])
  }

  private func json(_ pair: Pair) -> JSONValue {
    let all = pair.differences
    return .object(of: [
      "first": sides[0].label, "second": sides[pair.side].label, "notes": pair.notes,
      "common": pair.common, "apart": pair.apart,
      "environment": pair.environment.map { difference in
        JSONValue.object(of: [
          "key": difference.key, "first": difference.good, "second": difference.bad,
        ])
      },
      "counts": JSONValue.object(of: [
        "compared": all.count, "beyond": all.count { $0.finding == .beyond },
        "worse": all.count { $0.course == .worse }, "better": all.count { $0.course == .better },
        "changed": all.count { $0.course == .changed },
        "within": all.count { $0.finding == .within },
        "untold": all.count { $0.finding == .untold },
      ]), "readings": all.map(Self.json), "onlyFirst": pair.onlyFirst.map { Self.json($0) },
      "onlySecond": pair.onlySecond.map { Self.json($0) },
    ])
  }

  private static func json(_ key: Key) -> JSONValue {
    .object(of: [
      "reading": key.name.description, "pattern": key.pattern.isEmpty ? nil : key.pattern,
      "event": key.event, "channel": key.channel,
    ])
  }

  private static func json(_ difference: Difference) -> JSONValue {
    let result = difference.difference
    let own = JSONValue.object(of: [
      "unit": difference.unit.rawValue, "first": json(difference.first),
      "second": json(difference.second),
      "difference": result?.value ?? difference.second.mean - difference.first.mean,
      "uncertainty": result?.uncertainty, "systematic": difference.systematic,
      "degreesOfFreedom": result.flatMap { $0.freedom.isFinite ? $0.freedom : nil },
      "chance": result?.chance, "rate": difference.rate, "finding": difference.finding.rawValue,
      "course": difference.course?.rawValue, "forTheWorse": difference.isForTheWorse,
      "note": difference.note,
    ])
    return .object((json(difference.key).members ?? []) + (own.members ?? []))
  }

  private static func json(_ side: RepeatedValue) -> JSONValue {
    .object(of: [
      "mean": side.mean, "n": side.count, "scatter": side.count > 1 ? side.scatter : nil,
      "uncertainty": side.uncertainty, "values": side.values,
    ])
  }

  private func json(_ overlay: Overlay) -> JSONValue {
    func finite(_ value: Double?) -> Double? { value.flatMap { $0.isFinite ? $0 : nil } }
    return .object(of: [
      "pattern": overlay.pattern, "withoutTransport": overlay.isWithoutTransport,
      "takes": overlay.takes.map { take in
        JSONValue.object(of: [
          "side": sides[take.side].label, "run": take.run, "take": take.number,
          "electrical": take.electrical, "drift": take.drift, "transport": take.transport,
        ])
      },
      "residuals": overlay.residuals.map { residual in
        JSONValue.object(of: [
          "side": sides[residual.side].label, "equal": residual.response == -.infinity,
          "response": finite(residual.response), "noise": finite(residual.noise),
          "level": finite(residual.level), "sameDrive": residual.drive.map { $0 == -.infinity },
          "drive": finite(residual.drive),
        ])
      },
    ])
  }
}
