import Actuators
public import JSONText

extension CalibrationProfile {
  /// The name of the schema, as the file says it.
  public static let schema = "haprig-profile"
  /// The version of the schema that this program writes and reads.
  public static let schemaVersion = 1

  /// The profile as it is kept: JSON with a line feed at the end.
  ///
  /// Equal profiles give equal text.
  public var text: String { json.text(indent: 1) + "\n" }

  /// The profile as a JSON value, in the form that `docs/FILE-FORMATS.md` describes.
  public var json: JSONValue {
    .object(present: [
      "schema": .string(Self.schema),
      "version": .integer(Self.schemaVersion),
      "actuator": [
        "id": .string(actuator.id), "model": .string(actuator.model),
        "kind": .string(actuator.kind.rawValue), "rig": .string(rig),
      ],
      "model": model.json,
      "feedForward": feedForward.json,
      "correction": correction.json,
      // A plain nil would be the null of JSON here.
      "tapCorrection": tapCorrection == .none ? JSONValue?.none : tapCorrection.json,
      "ceiling": .array(ceiling.points.map(\.json)),
      "motorCurve": motorCurve?.json,
      "laws": laws.json,
      "limits": actuator.limits.json,
      "conditions": .object(present: [
        "temperature": actuator.temperature.map(JSONValue.finite),
        "mass": actuator.mass.map(JSONValue.finite),
        "contact": actuator.contact.map(JSONValue.string),
        "axis": conditions.axis.map(JSONValue.string),
        "mount": conditions.mount.map(JSONValue.string),
        "source": conditions.source.map(JSONValue.string),
      ]),
      "noise": noise?.json,
      "verification": verification?.json,
      "uncertainty": uncertainty.json,
      "source": source.json,
    ])
  }
}

extension DriveLimits {
  fileprivate var json: JSONValue {
    .object(present: [
      "continuousVolts": .finite(continuousVolts),
      "peakVolts": .finite(peakVolts),
      "slope": slope.map(JSONValue.finite),
      "thermalTime": .finite(thermalTime),
    ])
  }
}

extension ProfileSource {
  fileprivate var json: JSONValue {
    [
      "run": .string(run), "hash": .string(hash), "program": .string(program),
      "date": .string(date),
    ]
  }
}

extension UncertaintyBudget {
  fileprivate var json: JSONValue {
    [
      "lines": .array(
        lines.map { line in
          .object(present: [
            "name": .string(line.name),
            "relative": .finite(line.relative),
            "type": .string(line.evaluation.rawValue),
            "degreesOfFreedom": line.degreesOfFreedom.map(JSONValue.finite),
          ])
        }),
      "combined": .finite(combined),
      "expanded": .finite(expanded),
    ]
  }
}

extension JSONValue {
  /// An object of the members that are there.
  static func object(present members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
    .object(members.compactMap { key, value in value.map { JSONMember(key, $0) } })
  }

  /// A number, or null for what JSON cannot say; only an uncertainty is read back from null.
  static func finite(_ value: Double) -> JSONValue { value.isFinite ? .number(value) : .null }

  /// A list of numbers.
  static func numbers(_ values: [Double]) -> JSONValue { .array(values.map(JSONValue.finite)) }
}
