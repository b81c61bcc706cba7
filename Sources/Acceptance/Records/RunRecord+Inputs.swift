public import JSONText

extension RunRecord {
  /// What the run was made from, as copies in its folder: enough to measure its recordings again.
  public struct Inputs: Sendable, Equatable {
    /// The rig file.
    public var rig: String
    /// The rig file of the control, where another rig is one.
    public var controlRig: String?
    /// The plan; `nil` where patterns were named instead.
    public var plan: String?
    /// The profile; `nil` for a run without.
    public var profile: String?
    /// The options that intent became drive by, by name, in the form of docs/FILE-FORMATS.md.
    public var options: JSONValue

    /// Makes an account of inputs; every path is from the run's folder.
    public init(
      rig: String, controlRig: String? = nil, plan: String? = nil, profile: String? = nil,
      options: JSONValue
    ) {
      self.rig = rig
      self.controlRig = controlRig
      self.plan = plan
      self.profile = profile
      self.options = options
    }
  }

  /// The copy of a pattern's file and of the sounds that it plays.
  public struct PatternInput: Sendable, Equatable {
    /// The pattern's copy, by its path from the run's folder.
    public var file: String
    /// By the path that the pattern names a sound with: the copy of it.
    public var sounds: [String: String]

    /// Makes an account of copies.
    public init(file: String, sounds: [String: String]) {
      self.file = file
      self.sounds = sounds
    }
  }
}

extension RunRecord.Inputs {
  var json: JSONValue {
    .object(present: [
      "rig": .string(rig), "controlRig": controlRig.map(JSONValue.string),
      "plan": plan.map(JSONValue.string), "profile": profile.map(JSONValue.string),
      "options": options,
    ])
  }

  init(_ field: RecordField) throws(RunRecordError) {
    self.init(
      rig: try field["rig"].string(), controlRig: try field.member("controlRig")?.string(),
      plan: try field.member("plan")?.string(), profile: try field.member("profile")?.string(),
      options: try field["options"].node.value)
  }
}

extension RunRecord.PatternInput {
  var json: JSONValue {
    .object(present: [
      "file": .string(file),
      "sounds": .object(sounds.map { JSONMember($0.key, .string($0.value)) }.inOrder),
    ])
  }

  init(_ field: RecordField) throws(RunRecordError) {
    var sounds: [String: String] = [:]
    for (path, sound) in try field["sounds"].members() { sounds[path] = try sound.string() }
    self.init(file: try field["file"].string(), sounds: sounds)
  }
}
