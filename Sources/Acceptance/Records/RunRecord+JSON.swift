// SPDX-License-Identifier: Apache-2.0

import Actuators
import Devices
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
    if imported != nil { return importedJSON }
    var members = Self.form.json(self).members ?? []
    let schema = edition == 0 ? Self.schema : "\(Self.schema).\(edition)"
    members.insert(JSONMember("schema", .string(schema)), at: 0)
    return .object(members)
  }

  /// What the readings of the record mean, by their names without `control.`; nil of a record without any.
  private var meanings: JSONValue? {
    let members = readings.kinds.map { JSONMember($0.rawValue, $0.json) }
    return members.isEmpty ? nil : .object(members)
  }

  private var verdictsByAspect: JSONValue? {
    .object(verdicts.map { JSONMember($0.aspect.rawValue, $0.json) })
  }

  private static let form = JSONForm(
    {
      header, run, rig, actuator, plan, setup, patterns, control, impulse, readings, _, verdict, _,
      inputs in
      RunRecord(
        header: header, run: run, rig: rig, actuator: actuator, plan: plan, patterns: patterns,
        readings: readings, verdict: verdict, setup: setup, control: control, inputs: inputs,
        impulse: impulse)
    },
    ("header", \.header, Header.form), ("run", \.run, Run.form), ("rig", \.rig, Rig.form),
    ("actuator", \.actuator, Actuator.form), ("plan", \.plan, Plan.form),
    ("setup", \.setup, .optional(.list(SetupFinding.form))),
    ("patterns", \.patterns, .list(Pattern.form)),
    ("control", \.control, .optional(Control.form)),
    ("impulse", \.impulse, .optional(Impulse.form)), ("readings", \.readings, .list(Reading.form)),
    ("meanings", \.meanings, .derived(.any)), ("verdict", \.verdict, .word),
    ("verdicts", \.verdictsByAspect, .derived(.any)),
    ("inputs", \.inputs, .optional(Inputs.form)))

  /// Reads a record from its text.
  ///
  /// Members that this version does not know are passed over, so that a later version of the same
  /// schema may add some. Linear in the text.
  public init(parsing bytes: [UInt8]) throws(RunRecordError) {
    let root: JSONNode
    do throws(JSONError) {
      root = try JSONDocument(bytes).root
    } catch {
      throw RunRecordError(position: error.position, path: "", message: error.message)
    }
    try self.init(root)
  }

  /// Reads a record from a parsed document.
  public init(_ node: JSONNode) throws(RunRecordError) {
    let field = JSONField(root: node, of: .record)
    if let imported = try Self.importedRun(field) {
      self = imported
      return
    }
    let edition = try Self.edition(try field["schema"])
    // What most of a record is comes first where several things are wrong with it.
    _ = try field["patterns"].elements()
    self = try Self.form.value(of: field)
    self.edition = edition
  }

  /// Accepts the same name and first number: `haprig.run/1` and `haprig.run/1.4`.
  private static func edition(_ field: JSONField) throws(RunRecordError) -> Int {
    let found = try field.string()
    if found == schema { return 0 }
    guard found.hasPrefix(schema + "."), let number = Int(found.dropFirst(schema.count + 1)),
      number > 0
    else {
      throw field.error(
        "schema is '\(found)', but this version of haprig reads '\(schema)': use the version of "
          + "haprig that wrote the record")
    }
    return min(number, Self.edition)
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

extension Actuator {
  static let form = JSONForm(
    { id, model, kind, continuousVolts, peakVolts in
      Actuator(
        id: id, model: model, kind: kind,
        limits: DriveLimits(continuousVolts: continuousVolts, peakVolts: peakVolts))
    },
    ("id", \.id, .string), ("model", \.model, .string), ("kind", \.kind, .word),
    ("continuousVolts", \.limits.continuousVolts, .number),
    ("peakVolts", \.limits.peakVolts, .number))
}
