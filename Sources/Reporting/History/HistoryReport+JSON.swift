import Acceptance
import ChangeDetection
package import JSONText
import Units

extension HistoryReport {
  /// The schema's name and version: keys are added within a version, and never change their meaning.
  static let schema = "haprig.history/1"

  /// The history for programs, with the keys that docs/NIGHTLY.md lists.
  ///
  /// What is not known is absent. Values are in the series' unit, days as `2026-11-21`. Equal histories
  /// give equal text.
  package var json: JSONValue {
    .object(present: [
      "schema": .string(Self.schema), "rig": .string(rig), "plan": .string(plan),
      "from": days.map { Self.day($0.lowerBound) }, "to": days.map { Self.day($0.upperBound) },
      "nights": .integer(nightCount), "outcome": .string(outcome.rawValue),
      "sentences": .array(sentences.map(JSONValue.string)),
      "series": .array(series.map(\.json)),
      "changes": .array(changes.map(\.json)),
      "violations": .array(violations.map(\.json)),
      "runs": .array(runs.map(\.json)),
      "impulse": impulse.map { impulse in
        .object(present: [
          "run": .string(impulse.newest.run),
          "baseline": (impulse.baseline?.run).map(JSONValue.string),
          "difference": impulse.difference.map(JSONValue.number),
        ])
      },
      "decisions": .array(decisions.map(Self.json)),
      "notes": .array(notes.map(JSONValue.string)),
    ])
  }

  package var jsonText: String { json.text(indent: 1, sortedKeys: true) + "\n" }

  fileprivate static func day(_ number: Int) -> JSONValue {
    .string(CalendarDay(number: number).description)
  }

  fileprivate static func json(_ decision: BaselineDecision) -> JSONValue {
    let scope = decision.scope
    return .object(present: [
      "kind": .string(decision.run == nil ? "accepted" : "pinned"), "from": day(decision.day),
      "run": decision.run.map(JSONValue.string),
      "actuator": scope.actuator.map(JSONValue.string),
      "pattern": scope.pattern.map(JSONValue.string),
      "reading": scope.reading.map(JSONValue.string), "who": .string(decision.who),
      "when": .string(decision.when), "why": .string(decision.why),
    ])
  }
}

extension SeriesKey {
  fileprivate var members: [JSONMember] {
    [
      JSONMember("actuator", .string(actuator)), JSONMember("pattern", .string(pattern)),
      JSONMember("reading", .string(reading)),
    ]
  }
}

extension HistoryReport.Series {
  fileprivate var json: JSONValue {
    let nights = nightly.nights.map { night -> JSONValue in
      [
        "day": HistoryReport.day(night.day), "value": .number(night.value),
        "uncertainty": .number(night.uncertainty), "count": .integer(night.count),
        "run": .string(night.run),
      ]
    }
    let rest: JSONValue = .object(present: [
      "unit": .string(nightly.unit.rawValue), "nights": .array(nights),
      "baseline": baseline.map(Self.json), "trend": trend.map(Self.json),
      "limit": limit.map { .string($0.text) }, "verdict": verdict.map { .string($0.rawValue) },
      "changes": .array(changes.map(\.json)),
    ])
    return .object(key.members + (rest.members ?? []))
  }

  private static func json(_ baseline: Baseline) -> JSONValue {
    .object(present: [
      "level": .number(baseline.level), "spread": .number(baseline.spread),
      "from": baseline.days.map { HistoryReport.day($0.lowerBound) },
      "to": baseline.days.map { HistoryReport.day($0.upperBound) },
      "nights": .integer(baseline.count),
      "decision": baseline.decision.map(HistoryReport.json),
    ])
  }

  private static func json(_ trend: Trend) -> JSONValue {
    [
      "perMonth": .number(trend.perMonth), "uncertainty": .number(trend.uncertainty),
      "significance": .number(trend.significance), "nights": .integer(trend.count),
    ]
  }
}

extension HistoryReport.Change {
  fileprivate var json: JSONValue {
    let point = alarm.point
    let differences = differences.map { difference -> JSONValue in
      [
        "key": .string(difference.key), "separation": .number(difference.separation),
        "good": .array(difference.good.map(JSONValue.string)),
        "bad": .array(difference.bad.map(JSONValue.string)),
      ]
    }
    let rest: JSONValue = .object(present: [
      "unit": .string(unit.rawValue), "day": HistoryReport.day(point.day),
      "lastDayBefore": HistoryReport.day(point.lastDayBefore), "before": .number(point.before),
      "after": .number(point.after), "effect": .number(point.effect),
      "relativeEffect": point.relativeEffect.map(JSONValue.number),
      "uncertainty": .number(point.uncertainty), "significance": .number(point.significance),
      "state": .string(point.state.rawValue), "standing": .string(alarm.standing.rawValue),
      "reason": .string(alarm.reason), "runBefore": runBefore.isEmpty ? nil : .string(runBefore),
      "runAfter": runAfter.isEmpty ? nil : .string(runAfter),
      "environment": .array(differences),
    ])
    return .object(alarm.key.members + (rest.members ?? []))
  }
}

extension HistoryReport.Violation {
  fileprivate var json: JSONValue {
    .object(present: [
      "run": .string(run), "reading": .string(reading), "pattern": .string(pattern),
      "take": take.map { .integer($0) }, "event": event.map { .integer($0) },
      "value": value.map(JSONValue.number), "uncertainty": uncertainty.map(JSONValue.number),
      "limit": limit.isEmpty ? nil : .string(limit),
    ])
  }
}

extension HistoryReport.Run {
  fileprivate var json: JSONValue {
    .object(present: [
      "id": .string(id), "began": .string(began), "day": HistoryReport.day(day),
      "status": .string(status.rawValue), "verdict": .string(verdict.rawValue),
      "reruns": reruns.map(JSONValue.string),
    ])
  }
}
