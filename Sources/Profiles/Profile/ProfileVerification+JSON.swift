public import JSONText

extension ProfileVerification {
  var json: JSONValue {
    .object(present: [
      "grid": .array(grid.map(\.json)),
      "level": level?.json,
      "frequency": frequency?.json,
      "consistency": consistency?.json,
      "levelCrossTalk": levelCrossTalk.map(JSONValue.finite),
      "frequencyCrossTalk": frequencyCrossTalk.map(JSONValue.finite),
      "taps": .array(taps.map(\.json)),
      "pattern": pattern?.json,
    ])
  }

  init(_ field: ProfileField) throws(ProfileError) {
    let field = try field.object(
      "grid", "level", "frequency", "consistency", "levelCrossTalk", "frequencyCrossTalk", "taps",
      "pattern")
    var grid: [GridPoint] = []
    for point in try field["grid"].elements() { grid.append(try GridPoint(point)) }
    var taps: [Tap] = []
    for tap in try field["taps"].elements() { taps.append(try Tap(tap)) }
    self.init(
      grid: grid, level: try Spread.optional(field, "level"),
      frequency: try Spread.optional(field, "frequency"),
      consistency: try Spread.optional(field, "consistency"),
      levelCrossTalk: try field.member("levelCrossTalk")?.number(in: 0...200, "dB"),
      frequencyCrossTalk: try field.member("frequencyCrossTalk")?.number(in: 0...100), taps: taps,
      pattern: try Pattern.optional(field))
  }
}

extension ProfileVerification.GridPoint {
  fileprivate var json: JSONValue {
    [
      "intensity": .finite(intensity), "sharpness": .finite(sharpness),
      "targetLevel": .finite(targetLevel), "targetFrequency": .finite(targetFrequency),
      "level": .finite(level), "frequency": .finite(frequency),
      "uncertainty": .finite(uncertainty), "inside": .bool(isInside),
      "heldOut": .bool(isHeldOut),
    ]
  }

  fileprivate init(_ field: ProfileField) throws(ProfileError) {
    let field = try field.object(
      "intensity", "sharpness", "targetLevel", "targetFrequency", "level", "frequency",
      "uncertainty", "inside", "heldOut")
    self.init(
      intensity: try field["intensity"].positive(upTo: 1),
      sharpness: try field["sharpness"].number(in: 0...1),
      targetLevel: try field["targetLevel"].number(in: -200...200, "dB"),
      targetFrequency: try field["targetFrequency"].frequency(),
      level: try field["level"].number(in: -200...200, "dB"),
      frequency: try field["frequency"].frequency(),
      uncertainty: try field["uncertainty"].positive(upTo: 60, "dB"),
      isInside: try field["inside"].bool(), isHeldOut: try field["heldOut"].bool())
  }
}

extension ProfileVerification.Spread {
  /// The spread as files have it; null for what is no number.
  public var json: JSONValue {
    [
      "rms": .finite(rms), "percentile95": .finite(percentile95), "greatest": .finite(greatest),
    ]
  }

  fileprivate static func optional(
    _ field: ProfileField, _ key: String
  ) throws(ProfileError) -> Self? {
    guard let field = try field.member(key)?.object("rms", "percentile95", "greatest") else {
      return nil
    }
    return Self(
      rms: try field["rms"].number(in: 0...200),
      percentile95: try field["percentile95"].number(in: 0...200),
      greatest: try field["greatest"].number(in: 0...200))
  }
}

extension ProfileVerification.Pattern {
  fileprivate var json: JSONValue { ["envelope": envelope.json, "duration": .finite(duration)] }

  fileprivate static func optional(_ field: ProfileField) throws(ProfileError) -> Self? {
    guard let field = try field.member("pattern")?.object("envelope", "duration") else {
      return nil
    }
    guard let envelope = try ProfileVerification.Spread.optional(field, "envelope") else {
      throw field.error("\(field.path) has no envelope, but must have one")
    }
    return Self(envelope: envelope, duration: try field["duration"].positive(upTo: 3600, "s"))
  }
}

extension ProfileVerification.Tap {
  fileprivate var json: JSONValue {
    .object(present: [
      "intensity": .finite(intensity), "sharpness": .finite(sharpness), "peak": .finite(peak),
      "tail": tail.map(JSONValue.finite), "pulseToRing": pulseToRing.map(JSONValue.finite),
    ])
  }

  fileprivate init(_ field: ProfileField) throws(ProfileError) {
    let field = try field.object("intensity", "sharpness", "peak", "tail", "pulseToRing")
    self.init(
      intensity: try field["intensity"].number(in: 0...1),
      sharpness: try field["sharpness"].number(in: 0...1),
      peak: try field["peak"].number(in: 0...1e6, "m/s2"),
      tail: try field.member("tail")?.number(in: -1...100, "s"),
      pulseToRing: try field.member("pulseToRing")?.number(in: -200...200, "dB"))
  }
}
