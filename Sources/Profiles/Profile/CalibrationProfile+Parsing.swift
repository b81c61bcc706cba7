public import JSONText

extension CalibrationProfile {
  /// No profile is larger, in bytes.
  public static let largestText = 4 << 20

  /// Reads a profile from its text.
  ///
  /// Keys that the schema does not know are refused: a profile decides how hard an actuator is driven.
  /// Linear in the text.
  ///
  /// - Parameter bytes: The UTF-8 text of a profile.
  /// - Throws: A ``ProfileError`` at the first thing that is no profile of this schema.
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
    try self.init(ProfileField(root: root, of: .profile))
  }

  private init(_ field: ProfileField) throws(ProfileError) {
    try Self.checkSchema(field)
    let field = try field.object(
      "schema", "version", "actuator", "model", "feedForward", "correction", "ceiling",
      "motorCurve", "laws", "limits", "conditions", "verification", "uncertainty", "source")
    let model = try ActuatorModel(try field["model"])
    self.init(
      actuator: try ProfiledActuator(try field["actuator"]), model: model,
      feedForward: try FeedForward(try field["feedForward"]),
      correction: try ResponseCorrection(try field["correction"]),
      ceiling: try ReachableCeiling(try field["ceiling"]),
      laws: try ProfileLaws(try field["laws"]), limits: try DriveLimits(try field["limits"]),
      conditions: try ProfileConditions(try field["conditions"]),
      uncertainty: try UncertaintyBudget(try field["uncertainty"]),
      source: try ProfileSource(try field["source"]))
    if let curve = try field.member("motorCurve") { motorCurve = try MotorCurve(curve) }
    if let found = try field.member("verification") {
      verification = try ProfileVerification(found)
    }
    guard (model.kind == .erm) == (motorCurve != nil) else {
      throw field.error(
        "the model's kind is '\(model.kind.rawValue)' and motorCurve is "
          + "\(motorCurve == nil ? "missing" : "there"), but it belongs to the kind 'erm' alone")
    }
    guard model.kind == .erm || !ceiling.points.isEmpty else {
      throw try field["ceiling"].error("ceiling is empty, but an actuator needs a point of it")
    }
  }

  /// Tells first whether this is a profile, and of which version: other versions have other keys.
  private static func checkSchema(_ field: ProfileField) throws(ProfileError) {
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

extension ProfiledActuator {
  fileprivate init(_ field: ProfileField) throws(ProfileError) {
    let field = try field.object("id", "model", "kind", "rig")
    self.init(
      id: try field["id"].string(), model: try field["model"].string(),
      kind: try field["kind"].string(), rig: try field["rig"].string())
  }
}

extension DriveLimits {
  fileprivate init(_ field: ProfileField) throws(ProfileError) {
    let field = try field.object("continuousVolts", "peakVolts", "slope", "thermalTime")
    self.init(
      continuousVolts: try field["continuousVolts"].positive(),
      peakVolts: try field["peakVolts"].positive(),
      slope: try field.member("slope")?.positive(),
      thermalTime: try field["thermalTime"].positive())
  }
}

extension ProfileConditions {
  fileprivate init(_ field: ProfileField) throws(ProfileError) {
    let field = try field.object("temperature", "mass", "contact", "axis", "mount", "source")
    self.init(
      temperature: try field.member("temperature")?.number(),
      mass: try field.member("mass")?.positive(),
      contact: try field.member("contact")?.string(), axis: try field.member("axis")?.string(),
      mount: try field.member("mount")?.string(), source: try field.member("source")?.string())
  }
}

extension UncertaintyBudget {
  /// Reads the lines; what they add up to stands there for readers and must agree.
  fileprivate init(_ field: ProfileField) throws(ProfileError) {
    let field = try field.object("lines", "combined", "expanded")
    var lines: [Line] = []
    for line in try field["lines"].elements() {
      let line = try line.object("name", "relative", "type", "degreesOfFreedom")
      lines.append(
        Line(
          name: try line["name"].string(), relative: try line["relative"].notNegative(),
          evaluation: try line["type"].word(Evaluation.self),
          degreesOfFreedom: try line.member("degreesOfFreedom")?.positive()))
    }
    self.init(lines: lines)
    for (key, value) in [("combined", combined), ("expanded", expanded)] {
      let found = try field[key]
      guard try abs(found.number() - value) <= 1e-6 * value + 1e-12 else {
        throw found.error(
          "\(found.path) is \(try found.number()), but the lines add up to \(value)")
      }
    }
  }
}

extension ProfileSource {
  fileprivate init(_ field: ProfileField) throws(ProfileError) {
    let field = try field.object("run", "hash", "program", "date")
    self.init(
      run: try field["run"].string(), hash: try field["hash"].string(),
      program: try field["program"].string(), date: try field["date"].string())
  }
}
