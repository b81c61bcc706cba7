import JSONText

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
    ])
  }

  init(_ field: ProfileField) throws(ProfileError) {
    let field = try field.object(
      "grid", "level", "frequency", "consistency", "levelCrossTalk", "frequencyCrossTalk", "taps")
    var grid: [GridPoint] = []
    for point in try field["grid"].elements() { grid.append(try GridPoint(point)) }
    var taps: [Tap] = []
    for tap in try field["taps"].elements() { taps.append(try Tap(tap)) }
    self.init(
      grid: grid, level: try Spread.optional(field, "level"),
      frequency: try Spread.optional(field, "frequency"),
      consistency: try Spread.optional(field, "consistency"),
      levelCrossTalk: try field.member("levelCrossTalk")?.number(),
      frequencyCrossTalk: try field.member("frequencyCrossTalk")?.number(), taps: taps)
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
      intensity: try field["intensity"].number(), sharpness: try field["sharpness"].number(),
      targetLevel: try field["targetLevel"].number(),
      targetFrequency: try field["targetFrequency"].positive(),
      level: try field["level"].number(), frequency: try field["frequency"].positive(),
      uncertainty: try field["uncertainty"].notNegative(), isInside: try field["inside"].bool(),
      isHeldOut: try field["heldOut"].bool())
  }
}

extension ProfileVerification.Spread {
  fileprivate var json: JSONValue {
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
      rms: try field["rms"].notNegative(),
      percentile95: try field["percentile95"].notNegative(),
      greatest: try field["greatest"].notNegative())
  }
}

extension ProfileVerification.Tap {
  fileprivate var json: JSONValue {
    .object(present: [
      "intensity": .finite(intensity), "sharpness": .finite(sharpness), "peak": .finite(peak),
      "tail": .finite(tail), "pulseToRing": pulseToRing.map(JSONValue.finite),
    ])
  }

  fileprivate init(_ field: ProfileField) throws(ProfileError) {
    let field = try field.object("intensity", "sharpness", "peak", "tail", "pulseToRing")
    self.init(
      intensity: try field["intensity"].number(), sharpness: try field["sharpness"].number(),
      peak: try field["peak"].notNegative(), tail: try field["tail"].number(),
      pulseToRing: try field.member("pulseToRing")?.number())
  }
}
