// SPDX-License-Identifier: Apache-2.0

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
    let entries = PatternEntry.entries(of: pattern).map { entry -> JSONValue in
      switch entry {
      case .event(let event): ["Event": value(event)]
      case .parameter(let parameter): ["Parameter": value(parameter)]
      case .curve(let curve): ["ParameterCurve": value(curve)]
      }
    }
    return object([
      ("Version", .number(pattern.version)), ("Metadata", pattern.metadata),
      ("Pattern", .array(entries)),
    ])
  }

  /// An object of the members that have a value.
  private static func object(_ members: [(key: String, value: JSONValue?)]) -> JSONValue {
    .object(members.compactMap { key, value in value.map { JSONMember(key, $0) } })
  }

  private static func value(_ event: HapticEvent) -> JSONValue {
    let parameters = EventParameterID.allCases.compactMap { id -> JSONValue? in
      event.parameters[id].map {
        ["ParameterID": .string(id.rawValue), "ParameterValue": .number($0)]
      }
    }
    return object([
      ("Time", .number(event.time)), ("EventType", .string(event.kind.rawValue)),
      ("EventDuration", event.duration.map(JSONValue.number)),
      ("EventWaveformPath", event.waveformPath.map(JSONValue.string)),
      ("EventWaveformUseVolumeEnvelope", event.useVolumeEnvelope ? nil : .bool(false)),
      ("EventWaveformLoopEnabled", event.loopEnabled ? .bool(true) : nil),
      ("EventParameters", parameters.isEmpty ? nil : .array(parameters)),
    ])
  }

  private static func value(_ parameter: DynamicParameter) -> JSONValue {
    [
      "ParameterID": .string(parameter.id.rawValue), "ParameterValue": .number(parameter.value),
      "Time": .number(parameter.time),
    ]
  }

  private static func value(_ curve: ParameterCurve) -> JSONValue {
    let points: [JSONValue] = curve.points.map {
      ["Time": .number($0.time), "ParameterValue": .number($0.value)]
    }
    return [
      "ParameterID": .string(curve.id.rawValue), "Time": .number(curve.time),
      "ParameterCurveControlPoints": .array(points),
    ]
  }
}
