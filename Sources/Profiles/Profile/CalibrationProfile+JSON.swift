// SPDX-License-Identifier: Apache-2.0

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
      "feedForward": FeedForward.form.json(feedForward),
      "correction": correction.json,
      // A plain nil would be the null of JSON here.
      "tapCorrection": tapCorrection == .none ? JSONValue?.none : tapCorrection.json,
      "ceiling": JSONForm.list(ReachableCeiling.Point.form).json(ceiling.points),
      "motorCurve": motorCurve?.json,
      "laws": laws.json,
      "limits": DriveLimits.form.json(actuator.limits),
      "conditions": .object(present: [
        "temperature": actuator.temperature.map(JSONValue.finite),
        "mass": actuator.mass.map(JSONValue.finite),
        "contact": actuator.contact.map(JSONValue.string),
        "axis": conditions.axis.map(JSONValue.string),
        "mount": conditions.mount.map(JSONValue.string),
        "source": conditions.source.map(JSONValue.string),
      ]),
      "noise": noise?.json,
      "verification": verification.map(ProfileVerification.form.json),
      "uncertainty": UncertaintyBudget.form.json(uncertainty),
      "source": ProfileSource.form.json(source),
    ])
  }
}

extension CalibrationProfile {
  /// No profile is larger, in bytes.
  public static let largestText = 4 << 20

  /// Reads a profile from its text.
  ///
  /// Keys that the schema does not know are refused: a profile decides how hard an actuator is driven.
  /// Linear in the text.
  public init(parsing bytes: [UInt8]) throws(ProfileError) {
    guard bytes.count <= Self.largestText else {
      throw ProfileError(
        position: JSONPosition(offset: 0, in: bytes), path: "",
        message: "the text has \(bytes.count) bytes, but a profile has at most "
          + "\(Self.largestText): this is another file")
    }
    let root: JSONNode
    do throws(JSONError) {
      root = try JSONDocument(bytes).root
    } catch {
      throw ProfileError(position: error.position, path: "", message: error.message)
    }
    try self.init(JSONField(root: root, of: .profile))
  }

  private init(_ field: JSONField) throws(ProfileError) {
    try Self.checkSchema(field)
    let field = try field.object(
      "schema", "version", "actuator", "model", "feedForward", "correction", "tapCorrection",
      "ceiling", "motorCurve", "laws", "limits", "conditions", "noise", "verification",
      "uncertainty", "source")
    let model = try ActuatorModel(try field["model"])
    let named = try field["actuator"].object("id", "model", "kind", "rig")
    let (id, type) = (try named["id"].filled(), try named["model"].string())
    let (kind, rig) = (try named["kind"].word(ActuatorKind.self), try named["rig"].string())
    let feedForward = try FeedForward.form.member("feedForward", of: field)
    let correction = try ResponseCorrection(try field["correction"])
    let ceiling = try ReachableCeiling(try field["ceiling"])
    let laws = try ProfileLaws(try field["laws"])
    var actuator = Actuator(
      id: id, model: type, kind: kind, limits: try DriveLimits.form.member("limits", of: field))
    let conditions = try ProfileConditions(try field["conditions"], of: &actuator)
    self.init(
      actuator: actuator, rig: rig, model: model, feedForward: feedForward,
      correction: correction, ceiling: ceiling, laws: laws, conditions: conditions,
      uncertainty: try UncertaintyBudget.form.member("uncertainty", of: field),
      source: try ProfileSource.form.member("source", of: field))
    motorCurve = try field.member("motorCurve").map(MotorCurve.init)
    noise = try JSONForm.optional(.positive(.metrePerSecondSquared, upTo: 1000))
      .member("noise", of: field)
    tapCorrection = try field.member("tapCorrection").map(ResponseCorrection.init) ?? .none
    verification = try JSONForm.optional(ProfileVerification.form).member("verification", of: field)
    guard (model.kind == .erm) == (motorCurve != nil) else {
      throw field.error(
        "the model's kind is '\(model.kind.rawValue)' and motorCurve is "
          + "\(motorCurve == nil ? "missing" : "there"), but it belongs to the kind 'erm' alone")
    }
    guard model.kind == .erm || !ceiling.points.isEmpty else {
      throw try field["ceiling"].error("ceiling is empty, but an actuator needs a point of it")
    }
    try checkConsistency(field)
  }

  /// Tells first whether this is a profile, and of which version: other versions have other keys.
  private static func checkSchema(_ field: JSONField) throws(ProfileError) {
    guard field.node.kind == .object, let name = try field.member("schema"),
      name.node.matches(schema)
    else {
      throw field.error("this is not a profile: it has no \"schema\": \"\(schema)\"")
    }
    let version = try field["version"]
    let found = try version.integer()
    guard found == schemaVersion else {
      throw version.error(
        "this profile is of schema version \(found); this haprig reads \(schemaVersion): "
          + (found < schemaVersion
            ? "calibrate the actuator again" : "use the haprig that wrote it, or a newer one"))
    }
  }
}

extension DriveLimits {
  /// No rig drives an actuator with more, in volts.
  static let highestVolts = 1000.0

  static let form = JSONForm(
    Self.init(continuousVolts:peakVolts:slope:thermalTime:),
    ("continuousVolts", \.continuousVolts, .positive(upTo: highestVolts, "Vrms")),
    ("peakVolts", \.peakVolts, .positive(upTo: highestVolts, "V")),
    ("slope", \.slope, .optional(.positive(upTo: 1e9, "V/s"))),
    ("thermalTime", \.thermalTime, .number(in: 1e-3...3600, "s"))
  ).checked { field, limits throws(ProfileError) in
    try field["continuousVolts"].check(
      limits.continuousVolts <= limits.peakVolts,
      "is \(limits.continuousVolts) Vrms, more than the peak of "
        + "\(limits.peakVolts) V: no signal is larger in effect than at its peak")
  }
}

extension ProfileConditions {
  /// Reads what was given of an actuator and of how it was measured.
  fileprivate init(_ field: JSONField, of actuator: inout Actuator) throws(ProfileError) {
    let field = try field.object("temperature", "mass", "contact", "axis", "mount", "source")
    actuator.temperature = try field.member("temperature")?.number(in: -100...200, "degC")
    actuator.mass = try field.member("mass")?.positive(upTo: 1000, "kg")
    actuator.contact = try field.member("contact")?.string()
    self.init(
      axis: try field.member("axis")?.string(), mount: try field.member("mount")?.string(),
      source: try field.member("source")?.string())
  }
}
