// SPDX-License-Identifier: Apache-2.0

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
    .object(of: [
      "schema": Self.schema, "rig": rig, "plan": plan, "from": days.map { Self.day($0.lowerBound) },
      "to": days.map { Self.day($0.upperBound) }, "nights": nightCount,
      "outcome": outcome.rawValue, "sentences": sentences, "incidents": incidents.map(json),
      "drifts": drifts.map(json), "series": series, "changes": changes,
      "violations": violations, "runs": runs, "impulse": impulse,
      "decisions": decisions.map(Self.json), "notes": notes,
    ])
  }

  private func json(_ incident: Incident) -> JSONValue {
    .object(of: [
      "from": Self.day(incident.days.lowerBound), "to": Self.day(incident.days.upperBound),
      "standing": incident.standing.rawValue, "reason": incident.reason,
      "whose": owner(of: incident.lead.alarm.key, incident.standing)?.rawValue,
      "nightsToConfirm": incident.nightsToConfirm, "lead": incident.lead,
      "others": incident.others,
    ])
  }

  private func json(_ drift: Drift) -> JSONValue {
    .object(of: [
      "whose": owner(of: drift.lead.key)?.rawValue, "lead": json(drift.lead),
      "others": drift.others.map(json),
    ])
  }

  private func json(_ line: Drift.Line) -> JSONValue {
    .object(of: [
      "actuator": line.key.actuator, "pattern": line.key.pattern, "reading": line.key.reading,
      "unit": unit(of: line.key).rawValue, "from": Self.day(line.from), "to": Self.day(line.to),
      "nights": line.trend.count, "perMonth": line.trend.perMonth,
      "uncertainty": line.trend.uncertainty, "significance": line.trend.significance,
      "level": line.level, "course": line.course.rawValue,
    ])
  }

  package var jsonText: String { json.text(indent: 1, sortedKeys: true) + "\n" }

  fileprivate static func day(_ number: Int) -> String { CalendarDay(number: number).description }

  fileprivate static func json(_ decision: BaselineDecision) -> JSONValue {
    let scope = decision.scope
    return .object(of: [
      "kind": decision.run == nil ? "accepted" : "pinned", "from": day(decision.day),
      "run": decision.run, "actuator": scope.actuator, "pattern": scope.pattern,
      "reading": scope.reading, "who": decision.who, "when": decision.when, "why": decision.why,
    ])
  }
}

extension HistoryReport.Series: JSONConvertible {
  package var json: JSONValue {
    let nights = nightly.nights.map { night in
      JSONValue.object(of: [
        "day": HistoryReport.day(night.day), "value": night.value,
        "uncertainty": night.uncertainty, "count": night.count, "run": night.run,
      ])
    }
    return .object(of: [
      "actuator": key.actuator, "pattern": key.pattern, "reading": key.reading,
      "unit": nightly.unit.rawValue, "nights": nights, "baseline": baseline.map(Self.json),
      "newest": newest.map { Self.json($0, isTold: suspected != nil) },
      "trend": trend.map(Self.json), "limit": limit?.text,
      "verdict": verdict?.rawValue,
      "changes": changes, "temperature": temperature.map(Self.json),
    ])
  }

  private static func json(_ effect: TemperatureEffect) -> JSONValue {
    .object(of: [
      "perKelvin": effect.perKelvin, "uncertainty": effect.uncertainty,
      "significance": effect.significance, "nights": effect.count, "level": effect.level,
      "coldest": effect.temperatures.lowerBound, "warmest": effect.temperatures.upperBound,
      "sure": effect.isSure,
    ])
  }

  private static func json(_ baseline: Baseline) -> JSONValue {
    .object(of: [
      "level": baseline.level, "spread": baseline.spread,
      "from": baseline.days.map { HistoryReport.day($0.lowerBound) },
      "to": baseline.days.map { HistoryReport.day($0.upperBound) }, "nights": baseline.count,
      "decision": baseline.decision.map(HistoryReport.json),
    ])
  }

  private static func json(_ newest: WeighedNights, isTold: Bool) -> JSONValue {
    let point = newest.nights.suspicion?.point
    var (state, nightsToJudge): (String, Int?) = ("steady", nil)
    if case .tooFew(let nights) = newest.nights { (state, nightsToJudge) = ("too few", nights) }
    if point != nil {
      state = newest.takenBack != nil ? "taken back" : isTold ? "suspected" : "off"
    }
    return .object(of: [
      "state": state, "nightsToJudge": nightsToJudge,
      "day": point.map { HistoryReport.day($0.day) },
      "lastDayBefore": point.map { HistoryReport.day($0.lastDayBefore) },
      "before": point?.before, "after": point?.after, "effect": point?.effect,
      "relativeEffect": point?.relativeEffect, "uncertainty": point?.uncertainty,
      "significance": point?.significance, "nightsToConfirm": newest.nightsToConfirm,
      "rerun": newest.isBorneOut.map { $0 ? "bears out" : "takes back" },
    ])
  }

  private static func json(_ trend: Trend) -> JSONValue {
    .object(of: [
      "perMonth": trend.perMonth, "uncertainty": trend.uncertainty,
      "significance": trend.significance, "nights": trend.count,
    ])
  }
}

extension HistoryReport.Change: JSONConvertible {
  package var json: JSONValue {
    let key = alarm.key
    let environment = differences.map { difference in
      JSONValue.object(of: [
        "key": difference.key, "separation": difference.separation, "good": difference.good,
        "bad": difference.bad,
      ])
    }
    return .object(of: [
      "actuator": key.actuator, "pattern": key.pattern, "reading": key.reading,
      "unit": unit.rawValue, "day": HistoryReport.day(point.day),
      "lastDayBefore": HistoryReport.day(point.lastDayBefore), "before": point.before,
      "after": point.after, "effect": point.effect, "relativeEffect": point.relativeEffect,
      "uncertainty": point.uncertainty, "significance": point.significance,
      "state": point.state.rawValue, "standing": standing.rawValue, "reason": alarm.reason,
      "nightsToConfirm": alarm.nightsToConfirm,
      "runBefore": runBefore.isEmpty ? nil : runBefore,
      "runAfter": runAfter.isEmpty ? nil : runAfter, "environment": environment,
    ])
  }
}

extension HistoryReport.Incident.Other: JSONConvertible {
  package var json: JSONValue {
    let key = change.alarm.key
    let (word, explained): (String, Double?) =
      switch tie {
      case .follows(let amount): ("follows", amount)
      case .exceeds(let amount): ("exceeds", amount)
      case .precedes: ("precedes", nil)
      case .beside: ("beside", nil)
      }
    return .object(of: [
      "actuator": key.actuator, "pattern": key.pattern, "reading": key.reading,
      "unit": change.unit.rawValue, "day": HistoryReport.day(change.point.day),
      "effect": change.point.effect, "uncertainty": change.point.uncertainty,
      "standing": change.standing.rawValue, "tie": word, "explained": explained,
    ])
  }
}

extension HistoryReport.Violation: JSONConvertible {
  package var json: JSONValue {
    .object(of: [
      "run": run, "reading": reading.name.description, "pattern": pattern, "take": reading.take,
      "event": reading.event, "value": reading.value, "uncertainty": reading.uncertainty,
      "limit": reading.limit,
    ])
  }
}

extension HistoryReport.Run: JSONConvertible {
  package var json: JSONValue {
    .object(of: [
      "id": id, "began": began, "day": HistoryReport.day(day), "status": status.rawValue,
      "verdict": verdict.rawValue, "reruns": reruns, "imported": imported,
    ])
  }
}

extension HistoryReport.ImpulseComparison: JSONConvertible {
  package var json: JSONValue {
    .object(of: ["run": newest.run, "baseline": baseline?.run, "difference": difference])
  }
}
