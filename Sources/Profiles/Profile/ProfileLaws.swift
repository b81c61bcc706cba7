// SPDX-License-Identifier: Apache-2.0

import JSONText
public import Perception

/// What intensity and sharpness mean under a profile: laws, contour and the two ends of the level.
public struct ProfileLaws: Sendable, Equatable {
  /// Intensity to level.
  public var intensity: IntensityLaw
  /// Sharpness to frequency.
  public var sharpness: SharpnessLaw
  /// What levels are counted from.
  public var contour: PerceptionContour
  /// The level of intensity 1, in dB above threshold: absolute, and one for a fleet.
  public var referenceLevel: Double
  /// The level of the weakest intensity, in dB above threshold.
  public var floorLevel: Double

  /// Makes laws; what is not given has haprig's documented default.
  public init(
    intensity: IntensityLaw = .square, sharpness: SharpnessLaw = .log80To230,
    contour: PerceptionContour = .aosp16, referenceLevel: Double = 30, floorLevel: Double = 10
  ) {
    self.intensity = intensity
    self.sharpness = sharpness
    self.contour = contour
    self.referenceLevel = referenceLevel
    self.floorLevel = floorLevel
  }

  /// The acceleration that intensity and frequency ask for.
  public var target: IntensityTarget {
    IntensityTarget(
      law: intensity, contour: contour, referenceLevel: referenceLevel, floorLevel: floorLevel)
  }
}

extension ProfileLaws {
  var json: JSONValue {
    [
      "intensity": .string(intensity.name),
      "sharpness": Self.json(sharpness),
      "contour": Self.json(contour),
      "referenceLevel": .finite(referenceLevel),
      "floorLevel": .finite(floorLevel),
    ]
  }

  init(_ field: JSONField) throws(ProfileError) {
    let field = try field.object(
      "intensity", "sharpness", "contour", "referenceLevel", "floorLevel")
    let reference = try field["referenceLevel"]
    let floor = try field["floorLevel"].number(in: 0...40, "dB")
    try reference.check(
      reference.number() > floor,
      "is \(try reference.number()) dB, but must be above the floor of "
        + "\(floor) dB")
    try reference.check(
      reference.number() <= Self.highestReference,
      "is \(try reference.number()) dB, but at most \(Self.highestReference) dB above "
        + "threshold are felt as a vibration")
    self.init(
      intensity: try field["intensity"].word(IntensityLaw.self),
      sharpness: try Self.sharpness(try field["sharpness"]),
      contour: try Self.contour(try field["contour"]),
      referenceLevel: try reference.number(), floorLevel: floor)
  }

  /// No level above this is asked for, in dB above threshold.
  private static var highestReference: Double { 60 }

  /// A law's name, or its form and ends where it has no name of its own.
  private static func json(_ law: SharpnessLaw) -> JSONValue {
    if SharpnessLaw.named(law.name) == law { return .string(law.name) }
    return switch law {
    case .logarithmic(let low, let high):
      ["form": "logarithmic", "low": .finite(low), "high": .finite(high)]
    case .linear(let low, let high):
      ["form": "linear", "low": .finite(low), "high": .finite(high)]
    case .pinned(let low, let resonance, let high):
      [
        "form": "pinned", "low": .finite(low), "resonance": .finite(resonance),
        "high": .finite(high),
      ]
    }
  }

  private static func sharpness(_ field: JSONField) throws(ProfileError) -> SharpnessLaw {
    if let name = field.node.string {
      guard let law = SharpnessLaw.named(name) else {
        throw unknown(field, name, known: SharpnessLaw.named.map(\.name))
      }
      return law
    }
    let field = try field.object("form", "low", "resonance", "high")
    let (low, high) = (try field["low"].frequency(), try field["high"].frequency())
    let form = try field["form"]
    guard low < high else {
      throw try field["high"].error("\(try field["high"].path) must be above low, \(low) Hz")
    }
    switch try form.string() {
    case "logarithmic": return .logarithmic(low: low, high: high)
    case "linear": return .linear(low: low, high: high)
    case "pinned":
      let resonance = try field["resonance"].frequency()
      try field["resonance"].check(
        low < resonance && resonance < high, "must lie between \(low) and \(high) Hz")
      return .pinned(low: low, resonance: resonance, high: high)
    default: throw unknown(form, try form.string(), known: ["logarithmic", "linear", "pinned"])
    }
  }

  /// A contour's name, or its points where it has no name of its own.
  private static func json(_ contour: PerceptionContour) -> JSONValue {
    if PerceptionContour.named(contour.name) == contour { return .string(contour.name) }
    return [
      "name": .string(contour.name),
      "points": .array(contour.points.map { .numbers([$0.frequency, $0.level]) }),
    ]
  }

  private static func contour(_ field: JSONField) throws(ProfileError) -> PerceptionContour {
    if let name = field.node.string {
      guard let contour = PerceptionContour.named(name) else {
        throw unknown(field, name, known: PerceptionContour.named.map(\.name))
      }
      return contour
    }
    let field = try field.object("name", "points")
    let list = try field["points"]
    var points: [PerceptionContour.Point] = []
    for element in try list.elements() {
      let pair = try element.elements()
      try element.check(pair.count == 2, "must be a pair: hertz and dB re 1 g")
      let frequency = try pair[0].frequency()
      guard frequency > points.last?.frequency ?? 0 else {
        throw pair[0].error("\(pair[0].path) is \(frequency), but must be above the one before it")
      }
      points.append(.init(frequency: frequency, level: try pair[1].number(in: -200...100, "dB")))
    }
    try list.check(!points.isEmpty, "is empty, but a contour needs a point")
    return PerceptionContour(name: try field["name"].string(), points: points)
  }

  private static func unknown(
    _ field: JSONField, _ text: String, known: [String]
  ) -> ProfileError {
    field.error(
      "\(field.path) is '\(JSONField.shortened(text))', but must be one of: "
        + known.joined(separator: ", "))
  }
}
