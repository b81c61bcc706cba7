public import Acceptance
public import JSONText
import Units

/// A run as JSON for programs: the record, and before all else its summary.
public enum RunJSON {
  /// The record with the member `summary` before its own, ended by a line feed; equal records give equal text.
  public static func text(record: RunRecord) -> String {
    var members = [JSONMember("summary", summary(of: record))]
    if case .object(let own) = record.json { members += own.sorted { $0.key < $1.key } }
    return JSONValue.object(members).text(indent: 1) + "\n"
  }

  /// How a run and each of its patterns came out, and which events are farthest off, as docs/FILE-FORMATS.md
  /// describes it.
  public static func summary(of record: RunRecord) -> JSONValue {
    let summary = RunSummary(record)
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
    var members = [
      JSONMember("pattern", .string(pattern.pattern.name)),
      JSONMember("sentence", .string(PatternSentence.text(pattern))),
    ]
    if let verdict = pattern.pattern.verdict {
      members.append(JSONMember("verdict", .string(verdict.rawValue)))
    }
    if let scored = pattern.scored {
      members.append(
        JSONMember(
          "events",
          [
            "scored": .integer(scored.count), "driven": .integer(scored.driven),
            "dropped": .integer(scored.dropped), "takes": .integer(scored.takes),
          ]))
    }
    let headlines: [(String, Headline?)] = [
      ("latency", pattern.latency), ("sync", pattern.sync), ("levelMean", pattern.level),
      ("levelError", pattern.intensityError), ("contrast", pattern.contrast),
      ("sharpnessError", pattern.sharpnessError), ("outOfReach", pattern.reach?.outside),
      ("heldAtPeak", pattern.reach?.heldTime),
      ("harmony", pattern.harmony),
    ]
    for (name, headline) in headlines {
      guard let headline, let value = headline.value else { continue }
      members.append(
        JSONMember(
          name, json(value, headline.uncertainty, headline.unit, text: headline.text)))
    }
    if let warning = pattern.reach?.warning {
      members.append(JSONMember("warning", .string(warning)))
    }
    members.append(JSONMember("worst", .array(worst.map { json($0, place($0)) })))
    return .object(members)
  }

  private static func json(_ score: EventScore, _ place: String) -> JSONValue {
    var members = [
      JSONMember("pattern", .string(score.pattern)), JSONMember("repeat", .integer(score.take)),
      JSONMember("event", .integer(score.event)),
    ]
    if let commanded = score.commanded {
      members += [
        JSONMember("kind", .string(commanded.kind)), JSONMember("start", .number(commanded.start)),
      ]
    }
    members += [
      JSONMember("grade", .string(score.grade.rawValue)),
      JSONMember("words", .string(score.words)), JSONMember("place", .string(place)),
    ]
    for deviation in score.deviations {
      let unit: MeasurementUnit =
        switch deviation.kind {
        case .level: .decibel
        case .time: .second
        case .sharpness: .octave
        }
      members.append(
        JSONMember(
          deviation.kind.rawValue,
          json(deviation.value.value, deviation.value.uncertainty, unit, text: nil)))
    }
    return .object(members)
  }

  private static func json(
    _ value: Double, _ uncertainty: Double?, _ unit: MeasurementUnit, text: String?
  ) -> JSONValue {
    var members = [JSONMember("value", .number(value)), JSONMember("unit", .string(unit.rawValue))]
    if let uncertainty, uncertainty.isFinite {
      members.insert(JSONMember("uncertainty", .number(uncertainty)), at: 1)
    }
    if let text { members.append(JSONMember("text", .string(text))) }
    return .object(members)
  }
}

extension RunSummary {
  /// Where the report shows an event: `report.html#pattern-1-figure-1-event-12`.
  func place(of score: EventScore) -> String {
    let index = record.patterns.firstIndex { $0.name == score.pattern } ?? 0
    let pattern = "pattern-\(index + 1)"
    let takes = record.patterns.indices.contains(index) ? record.patterns[index].takes : []
    // Of more takes the report does not show every picture.
    guard takeCount <= HTMLPage.everyTake,
      let figure = takes.map(\.number).sorted().firstIndex(of: score.take)
    else { return "report.html#\(pattern)" }
    let name = HTMLPage.name(ofFigure: figure, pattern)
    return "report.html#" + FigureDrawing.identifier(ofEvent: score.event, in: name)
  }
}
