public import JSONText

/// Writes patterns as AHAP files.
///
/// Reading what is written gives the same pattern, and the same pattern gives the same bytes
/// everywhere, in the canonical form of ``AHAPFormatter``. What a pattern does not hold, such as keys
/// that the reader ignored, is not written.
public enum AHAPWriter {
  /// Prints a pattern as AHAP text with a final line feed.
  ///
  /// Times and values must be finite; others are a programmer's error and trap.
  public static func text(_ pattern: HapticPattern) -> String {
    AHAPLayout.text(LaidOutValue(value(pattern)))
  }

  /// Gives a pattern as a JSON value: keys in the order of Apple's samples, entries by their rank.
  ///
  /// Values equal to the format's own defaults are left out where Apple's samples leave them out.
  public static func value(_ pattern: HapticPattern) -> JSONValue {
    var members = [JSONMember("Version", .number(pattern.version))]
    if let metadata = pattern.metadata { members.append(JSONMember("Metadata", metadata)) }
    var entries: [(order: Int, value: JSONValue)] = []
    entries += pattern.events.map { ($0.order, ["Event": event($0)]) }
    entries += pattern.parameters.map { ($0.order, ["Parameter": parameter($0)]) }
    entries += pattern.curves.map { ($0.order, ["ParameterCurve": curve($0)]) }
    entries.sort { $0.order < $1.order }
    members.append(JSONMember("Pattern", .array(entries.map(\.value))))
    return .object(members)
  }

  private static func event(_ event: HapticEvent) -> JSONValue {
    var members = [
      JSONMember("Time", .number(event.time)),
      JSONMember("EventType", .string(event.kind.rawValue)),
    ]
    if let duration = event.duration {
      members.append(JSONMember("EventDuration", .number(duration)))
    }
    if let path = event.waveformPath {
      members.append(JSONMember("EventWaveformPath", .string(path)))
    }
    if !event.useVolumeEnvelope {
      members.append(JSONMember("EventWaveformUseVolumeEnvelope", false))
    }
    if event.loopEnabled {
      members.append(JSONMember("EventWaveformLoopEnabled", true))
    }
    let parameters = EventParameterID.allCases.compactMap { id -> JSONValue? in
      event.parameters[id].map {
        ["ParameterID": .string(id.rawValue), "ParameterValue": .number($0)]
      }
    }
    if !parameters.isEmpty {
      members.append(JSONMember("EventParameters", .array(parameters)))
    }
    return .object(members)
  }

  private static func parameter(_ parameter: DynamicParameter) -> JSONValue {
    [
      "ParameterID": .string(parameter.id.rawValue), "ParameterValue": .number(parameter.value),
      "Time": .number(parameter.time),
    ]
  }

  private static func curve(_ curve: ParameterCurve) -> JSONValue {
    let points: [JSONValue] = curve.points.map {
      ["Time": .number($0.time), "ParameterValue": .number($0.value)]
    }
    return [
      "ParameterID": .string(curve.id.rawValue), "Time": .number(curve.time),
      "ParameterCurveControlPoints": .array(points),
    ]
  }
}
