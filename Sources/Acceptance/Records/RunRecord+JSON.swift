import Actuators
public import JSONText
import Units

extension RunRecord {
  /// The record as it is kept: JSON with sorted keys, and a line feed at the end.
  ///
  /// Equal records give equal text. A field that says nothing is absent, and so is a number that is
  /// not finite, for which JSON has no word.
  public var text: String { json.text(indent: 1, sortedKeys: true) + "\n" }

  /// The record as a JSON value, in the form that `docs/FILE-FORMATS.md` describes.
  public var json: JSONValue {
    .object(present: [
      "schema": .string(edition == 0 ? Self.schema : "\(Self.schema).\(edition)"),
      "header": header.json,
      "run": run.json,
      "rig": rig.json,
      "actuator": actuator.json,
      "plan": plan.json,
      "setup": setup.map { .array($0.map(\.json)) },
      "patterns": .array(patterns.map(\.json)),
      "control": control?.json,
      "impulse": impulse?.json,
      "readings": .array(readings.map(\.json)),
      "verdict": .string(verdict.rawValue),
      "verdicts": .object(verdicts.map { JSONMember($0.aspect.rawValue, $0.json) }),
      "inputs": inputs?.json,
    ])
  }
}

extension AspectVerdict {
  /// Its word and, where it is not judged, the reason.
  public var json: JSONValue {
    .object(present: [
      "verdict": .string(word), "reason": (absence?.rawValue).map(JSONValue.string),
    ])
  }
}

extension RunRecord.Header {
  var json: JSONValue {
    .object(present: [
      "date": .string(date), "host": .string(host), "duration": .finite(duration),
      "folder": .string(folder),
      "environment": environment.isEmpty
        ? nil : .object(environment.map { JSONMember($0.key, .string($0.value)) }.inOrder),
      "files": files.isEmpty
        ? nil
        : .array(
          files.map {
            [
              "name": .string($0.name), "bytes": .integer($0.bytes), "sha256": .string($0.sha256),
            ]
          }),
    ])
  }
}

extension RunRecord.Run {
  var json: JSONValue {
    .object(present: [
      "status": .string(status.rawValue),
      "reason": reason.map(JSONValue.string),
      "software": .string(software),
      "seed": .seed(seed),
      "laws": .object(laws.map { JSONMember($0.key, .string($0.value)) }.inOrder),
      "referenceLevel": .finite(referenceLevel),
      "calibration": .string(calibration),
      "arbitraryDelay": hasArbitraryDelay ? .bool(true) : nil,
    ])
  }
}

extension RunRecord.Rig {
  var json: JSONValue {
    .object(present: [
      "name": .string(name), "device": .string(device), "rate": .finite(rate),
      "fullScaleVolts": .finite(fullScaleVolts),
      "driveChannels": .object(
        driveChannels.map { JSONMember($0.key, .integer($0.value)) }.inOrder),
    ])
  }
}

extension Actuator {
  var json: JSONValue {
    .object(present: [
      "id": .string(id), "model": .string(model), "kind": .string(kind.rawValue),
      "continuousVolts": .finite(limits.continuousVolts), "peakVolts": .finite(limits.peakVolts),
    ])
  }
}

extension RunRecord.Control {
  var json: JSONValue {
    .object(present: [
      "rig": rig.json, "actuator": actuator?.json, "patterns": .array(patterns.map(\.json)),
    ])
  }
}

extension SetupFinding {
  var json: JSONValue {
    ["check": .string(check.rawValue), "holds": .bool(holds), "sentence": .string(sentence)]
  }
}

extension RunRecord.Pattern {
  var json: JSONValue {
    .object(present: [
      "name": .string(name), "file": .string(file), "duration": .finite(duration),
      "events": .integer(events),
      "timeline": timeline.isEmpty ? nil : .array(timeline.map(\.json)),
      "diagnostics": .array(diagnostics.map(JSONValue.string)),
      "takes": .array(takes.map(\.json)),
      "verdict": (verdict?.rawValue).map(JSONValue.string),
      "input": input?.json,
    ])
  }
}

extension RunRecord.Event {
  var json: JSONValue { .object(present: ["kind": .string(kind), "start": .finite(start)]) }
}

extension RunRecord.Take {
  var json: JSONValue {
    .object(present: [
      "repeat": .integer(number),
      "place": place.map(JSONValue.integer),
      "start": opening.map(JSONValue.integer),
      "drive": Self.file(drive, driveChannels),
      "response": Self.file(response, responseChannels),
      "patternFrame": .integer(patternFrame),
      "markers": markers.map { .array($0.map(JSONValue.integer)) },
      "rejected": .array(
        rejected.map { ["event": .integer($0.event), "reason": .string($0.reason)] }),
      "stream": stream?.json,
      "device": device?.json,
    ])
  }

  private static func file(_ name: String?, _ channels: [RunRecord.FileChannel]) -> JSONValue? {
    guard name != nil || !channels.isEmpty else { return nil }
    return .object(present: [
      "file": name.map(JSONValue.string),
      "channels": .array(
        channels.map { ["name": .string($0.name), "unit": .string($0.unit.rawValue)] }),
    ])
  }
}

extension JSONValue {
  /// An object of the members that are there.
  static func object(present members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
    .object(members.compactMap { key, value in value.map { JSONMember(key, $0) } })
  }

  /// A number, or nothing for what JSON cannot say.
  static func finite(_ value: Double) -> JSONValue? { value.isFinite ? .number(value) : nil }

  /// A seed as a number where every reader keeps its last digit, else as a string of its digits.
  static func seed(_ seed: UInt64) -> JSONValue {
    seed <= 1 << 53 ? .integer(Int(seed)) : .string(String(seed))
  }
}

extension [JSONMember] {
  /// The members in the order of their keys: a dictionary's own order differs from run to run.
  var inOrder: [JSONMember] { sorted { $0.key < $1.key } }
}
