// SPDX-License-Identifier: Apache-2.0

package import Acceptance
package import JSONText
import Units

/// A run as JSON for programs: the record, and before all else its summary.
package enum RunJSON {
  /// The record with the member `summary` before its own, ended by a line feed; equal records give equal text.
  package static func text(record: RunRecord) -> String { value(of: record).text(indent: 1) + "\n" }

  /// The same as a value.
  package static func value(of record: RunRecord) -> JSONValue {
    var members = [JSONMember("summary", summary(of: record))]
    if case .object(let own) = record.json { members += own.sorted { $0.key < $1.key } }
    return .object(members)
  }

  /// How a run and each of its patterns came out, and which events are farthest off, as docs/FILE-FORMATS.md
  /// describes it.
  package static func summary(of record: RunRecord) -> JSONValue {
    let summary = RunSummary(record, for: .program)
    let place = { summary.place(of: $0) }
    return [
      "verdict": .string(record.verdict.rawValue),
      "verdicts": .object(
        summary.verdicts.map { JSONMember($0.verdict.aspect.rawValue, json($0)) }),
      "sentence": .string(summary.sentence),
      "calibrated": .bool(record.hasProfile),
      "worst": .array(summary.events.worst().map { json($0, place($0)) }),
      "patterns": .array(
        summary.patterns.map { pattern in
          json(pattern, worst: summary.events.worst(of: pattern.pattern.name), place)
        }),
    ]
  }

  private static func json(_ aspect: AspectSummary) -> JSONValue {
    guard case .object(var members) = aspect.verdict.json else { return .null }
    if !aspect.causes.isEmpty {
      members.append(JSONMember("causes", .array(aspect.causes.map(JSONValue.string))))
    }
    return .object(members)
  }

  private static func json(
    _ pattern: PatternSummary, worst: [EventScore], _ place: (EventScore) -> String
  ) -> JSONValue {
    func json(_ headline: Headline?) -> JSONValue? {
      headline.flatMap { headline in
        headline.value.map {
          Self.json(
            $0, headline.uncertainty, headline.unit, text: headline.text,
            differences: headline.differencesUncertainty)
        }
      }
    }
    return .object(of: [
      "pattern": pattern.pattern.name, "sentence": PatternSentence.text(pattern),
      "verdict": pattern.pattern.verdict?.rawValue,
      "events": pattern.scored.map { scored in
        JSONValue.object(of: [
          "scored": scored.count, "driven": scored.driven, "dropped": scored.dropped,
          "takes": scored.takes,
        ])
      },
      "latency": json(pattern.latency), "sync": json(pattern.sync),
      "levelMean": json(pattern.level), "levelError": json(pattern.intensityError),
      "contrast": json(pattern.contrast), "sharpnessError": json(pattern.sharpnessError),
      "outOfReach": json(pattern.reach?.outside), "heldAtPeak": json(pattern.reach?.heldTime),
      "harmony": json(pattern.harmony), "warning": pattern.reach?.warning,
      "worst": worst.map { Self.json($0, place($0)) },
    ])
  }

  private static func json(_ score: EventScore, _ place: String) -> JSONValue {
    let members: JSONValue = .object(of: [
      "pattern": score.pattern, "repeat": score.take, "event": score.event,
      "kind": score.commanded?.kind, "start": score.commanded?.start,
      "grade": score.grade.rawValue, "words": score.words, "place": place,
    ])
    let deviations = score.deviations.map { deviation in
      let value = deviation.value
      return JSONMember(
        deviation.kind.rawValue, json(value.value, value.uncertainty, deviation.kind.unit))
    }
    return .object((members.members ?? []) + deviations)
  }

  private static func json(
    _ value: Double, _ uncertainty: Double?, _ unit: MeasurementUnit, text: String? = nil,
    differences: Double? = nil
  ) -> JSONValue {
    .object(of: [
      "value": value, "uncertainty": uncertainty.flatMap { $0.isFinite ? $0 : nil },
      "differencesUncertainty": differences, "unit": unit.rawValue, "text": text,
    ])
  }
}

extension RunSummary {
  /// Where the report shows an event: `report.html#pattern-1-figure-1-event-12`, for a run of many patterns
  /// on the pattern's own page.
  func place(of score: EventScore) -> String {
    let index = record.patterns.firstIndex { $0.name == score.pattern } ?? 0
    let pattern = "pattern-\(index + 1)"
    let page =
      record.patterns.count > HTMLPage.mostTogether
      ? HTMLPage.file(ofPattern: index + 1) : "report.html"
    let takes = record.patterns.indices.contains(index) ? record.patterns[index].takes : []
    // Of more takes the report does not show every picture.
    guard takeCount <= HTMLPage.everyTake,
      let figure = takes.map(\.number).sorted().firstIndex(of: score.take)
    else { return "\(page)#\(pattern)" }
    let name = HTMLPage.name(ofFigure: figure, pattern)
    return "\(page)#" + FigureDrawing.identifier(ofEvent: score.event, in: name)
  }
}
