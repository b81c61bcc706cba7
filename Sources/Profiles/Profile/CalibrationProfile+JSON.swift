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
      "schema", "version", "actuator", "model", "feedForward", "correction", "tapCorrection",
      "ceiling", "motorCurve", "laws", "limits", "conditions", "noise", "verification",
      "uncertainty", "source")
    let model = try ActuatorModel(try field["model"])
    let named = try field["actuator"].object("id", "model", "kind", "rig")
    let (id, type) = (try named["id"].filled(), try named["model"].string())
    let (kind, rig) = (try named["kind"].word(ActuatorKind.self), try named["rig"].string())
    let feedForward = try FeedForward(try field["feedForward"])
    let correction = try ResponseCorrection(try field["correction"])
    let ceiling = try ReachableCeiling(try field["ceiling"])
    let laws = try ProfileLaws(try field["laws"])
    var actuator = Actuator(
      id: id, model: type, kind: kind, limits: try DriveLimits(try field["limits"]))
    let conditions = try ProfileConditions(try field["conditions"], of: &actuator)
    self.init(
      actuator: actuator, rig: rig, model: model, feedForward: feedForward,
      correction: correction, ceiling: ceiling, laws: laws, conditions: conditions,
      uncertainty: try UncertaintyBudget(try field["uncertainty"]),
      source: try ProfileSource(try field["source"]))
    motorCurve = try field.optional("motorCurve", MotorCurve.init)
    noise = try field.optional("noise") { (field) throws(ProfileError) in
      try MeasuredQuantity(positive: field, .metrePerSecondSquared, upTo: 1000)
    }
    tapCorrection = try field.optional("tapCorrection", ResponseCorrection.init) ?? .none
    verification = try field.optional("verification", ProfileVerification.init)
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

extension DriveLimits {
  /// No rig drives an actuator with more, in volts.
  static let highestVolts = 1000.0

  fileprivate init(_ field: ProfileField) throws(ProfileError) {
    let field = try field.object("continuousVolts", "peakVolts", "slope", "thermalTime")
    let continuous = try field["continuousVolts"]
    let peak = try field["peakVolts"].positive(upTo: Self.highestVolts, "V")
    guard try continuous.positive(upTo: Self.highestVolts, "Vrms") <= peak else {
      throw continuous.error(
        "\(continuous.path) is \(try continuous.number()) Vrms, more than the peak of \(peak) V: no "
          + "signal is larger in effect than at its peak")
    }
    self.init(
      continuousVolts: try continuous.number(), peakVolts: peak,
      slope: try field.member("slope")?.positive(upTo: 1e9, "V/s"),
      thermalTime: try field["thermalTime"].number(in: 1e-3...3600, "s"))
  }
}

extension ProfileConditions {
  /// Reads what was given of an actuator and of how it was measured.
  fileprivate init(_ field: ProfileField, of actuator: inout Actuator) throws(ProfileError) {
    let field = try field.object("temperature", "mass", "contact", "axis", "mount", "source")
    actuator.temperature = try field.member("temperature")?.number(in: -100...200, "degC")
    actuator.mass = try field.member("mass")?.positive(upTo: 1000, "kg")
    actuator.contact = try field.member("contact")?.string()
    self.init(
      axis: try field.member("axis")?.string(), mount: try field.member("mount")?.string(),
      source: try field.member("source")?.string())
  }
}

extension UncertaintyBudget {
  /// Reads the lines; what they add up to stands there for readers and must agree.
  fileprivate init(_ field: ProfileField) throws(ProfileError) {
    let field = try field.object("lines", "combined", "expanded")
    self.init(
      lines: try field["lines"].list { (line) throws(ProfileError) in
        let line = try line.object("name", "relative", "type", "degreesOfFreedom")
        return Line(
          name: try line["name"].string(), relative: try line["relative"].number(in: 0...1),
          evaluation: try line["type"].word(Evaluation.self),
          degreesOfFreedom: try line.member("degreesOfFreedom")?.positive(upTo: 1e6))
      })
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
      run: try field["run"].filled(), hash: try Self.hash(try field["hash"]),
      program: try field["program"].filled(), date: try Self.date(try field["date"]))
  }

  private static func hash(_ field: ProfileField) throws(ProfileError) -> String {
    let text = try field.string()
    guard text.utf8.count == 64, text.utf8.allSatisfy("0123456789abcdef".utf8.contains) else {
      throw field.error(
        "\(field.path) is '\(ProfileField.shortened(text))', but must be a SHA-256: 64 digits of "
          + "0-9 and a-f")
    }
    return text
  }

  private static func date(_ field: ProfileField) throws(ProfileError) -> String {
    let text = try field.string()
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    let isWritten = text.utf8.count == 10 && parts.map(\.utf8.count) == [4, 2, 2]
    let numbers = parts.compactMap { $0.first?.isNumber == true ? Int($0) : nil }
    guard isWritten, numbers.count == 3, numbers[0] >= 1,
      (1...12).contains(numbers[1]), (1...days(in: numbers[1], of: numbers[0])).contains(numbers[2])
    else {
      throw field.error(
        "\(field.path) is '\(ProfileField.shortened(text))', but must be a day, year first, such as "
          + "2026-11-21")
    }
    return text
  }

  private static func days(in month: Int, of year: Int) -> Int {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
  }
}
