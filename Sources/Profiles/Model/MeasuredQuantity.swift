// SPDX-License-Identifier: Apache-2.0

public import JSONText

/// A text that is not a calibration profile: what is wrong, and where.
public typealias ProfileError = JSONFieldError

extension JSONField.Schema {
  /// No list of a profile is longer: a longer one is no profile, whatever else it is.
  static let profile = JSONField.Schema(name: "profile", longestList: 4096, isClosed: true)
}

extension JSONField {
  /// The same object, once its keys are known to be among some, each there once.
  func object(_ keys: String...) throws(ProfileError) -> JSONField {
    try checkKeys(keys)
    return self
  }

  /// A number within what can be, in a unit that the sentence names.
  func number(
    in range: ClosedRange<Double>, _ unit: String = ""
  ) throws(ProfileError) -> Double {
    let number = try number()
    guard range.contains(number) else {
      throw error(
        "\(name) is \(Self.text(number, unit)), but must be from \(range.lowerBound) to "
          + Self.text(range.upperBound, unit))
    }
    return number
  }

  /// A number above 0 and no larger than can be.
  func positive(upTo highest: Double, _ unit: String = "") throws(ProfileError) -> Double {
    let number = try number()
    guard number > 0 else {
      throw error("\(name) is \(Self.text(number, unit)), but must be above 0")
    }
    guard number <= highest else {
      throw error(
        "\(name) is \(Self.text(number, unit)), but must be at most \(Self.text(highest, unit))")
    }
    return number
  }

  private static func text(_ number: Double, _ unit: String) -> String {
    unit.isEmpty || unit == "1" ? "\(number)" : "\(number) \(unit)"
  }

  /// A frequency that an actuator, or what is felt of it, can have, in hertz.
  func frequency() throws(ProfileError) -> Double { try positive(upTo: 20_000, "Hz") }

  /// A text that says something.
  func filled() throws(ProfileError) -> String {
    let text = try string()
    guard !text.isEmpty else { throw error("\(name) is empty, but must say something") }
    return text
  }

  /// Numbers within what can be that rise from one to the next.
  func risingNumbers(
    in range: ClosedRange<Double>, _ unit: String
  ) throws(ProfileError) -> [Double] {
    var numbers: [Double] = []
    for element in try elements() {
      let number = try element.number(in: range, unit)
      try element.check(
        number > numbers.last ?? -.infinity, "is \(number), but must be above the one before it")
      numbers.append(number)
    }
    return numbers
  }
}

extension JSONForm<Double> {
  /// A number, or null for what JSON cannot say; only an uncertainty is read back from null.
  static var number: Self {
    Self({ field throws(ProfileError) in try field.number() }, JSONValue.finite)
  }

  /// A number within what can be, in a unit that the sentence names.
  static func number(in range: ClosedRange<Double>, _ unit: String = "") -> Self {
    Self({ field throws(ProfileError) in try field.number(in: range, unit) }, JSONValue.finite)
  }

  /// A number above 0 and no larger than can be.
  static func positive(upTo highest: Double, _ unit: String = "") -> Self {
    Self(
      { field throws(ProfileError) in try field.positive(upTo: highest, unit) }, JSONValue.finite)
  }

  static var frequency: Self { .positive(upTo: 20_000, "Hz") }
}

extension JSONForm<String> {
  /// A text that says something.
  static var filled: Self {
    Self({ field throws(ProfileError) in try field.filled() }, JSONValue.string)
  }
}

extension JSONValue {
  /// A number, or null for what JSON cannot say.
  static func finite(_ value: Double) -> JSONValue { value.isFinite ? .number(value) : .null }

  /// A list of numbers.
  static func numbers(_ values: [Double]) -> JSONValue { .array(values.map(JSONValue.finite)) }
}

/// A number of a profile with its unit and its standard uncertainty, in that unit.
public struct MeasuredQuantity: Sendable, Hashable {
  /// The number.
  public var value: Double
  /// The unit of number and uncertainty.
  public var unit: ProfileUnit
  /// One standard deviation.
  public var uncertainty: Double

  /// Makes a quantity.
  public init(_ value: Double, _ unit: ProfileUnit, uncertainty: Double) {
    self.value = value
    self.unit = unit
    self.uncertainty = uncertainty
  }
}

/// The units that the quantities of a profile stand in; the raw value is what the file says.
public enum ProfileUnit: String, Sendable, Hashable, CaseIterable {
  case hertz = "Hz"
  case second = "s"
  case one = "1"
  case volt = "V"
  /// Acceleration per volt.
  case metrePerSecondSquaredPerVolt = "m/s2/V"
  case metrePerSecondSquared = "m/s2"
  case ohm = "ohm"
  case henry = "H"
  /// By the square of a displacement.
  case perSquareMetre = "1/m2"
}

extension MeasuredQuantity {
  var json: JSONValue {
    ["value": .finite(value), "unit": .string(unit.rawValue), "uncertainty": .finite(uncertainty)]
  }

  /// Reads a quantity whose unit is known; an uncertainty of null is one that nobody knows.
  ///
  /// An uncertainty of 0 is none: nothing is measured exactly.
  init(
    _ field: JSONField, _ unit: ProfileUnit, in range: ClosedRange<Double>,
    uncertaintyUpTo highest: Double
  ) throws(ProfileError) {
    let field = try field.object("value", "unit", "uncertainty")
    let found = try field["unit"]
    try found.check(
      found.string() == unit.rawValue,
      "is '\(JSONField.shortened(try found.string()))', but must be "
        + "'\(unit.rawValue)'")
    let uncertainty = try field["uncertainty"]
    self.init(
      try field["value"].number(in: range, unit.rawValue), unit,
      uncertainty: uncertainty.node.isNull
        ? .infinity : try uncertainty.positive(upTo: highest, unit.rawValue))
  }
}

extension JSONForm<MeasuredQuantity> {
  /// A quantity above 0 that is known at least as to its size.
  static func positive(_ unit: ProfileUnit, upTo highest: Double) -> Self {
    Self(
      { field throws(ProfileError) in
        let value = try field.object("value", "unit", "uncertainty")["value"]
          .positive(upTo: highest, unit.rawValue)
        return try MeasuredQuantity(field, unit, in: 0...highest, uncertaintyUpTo: value)
      }, \.json)
  }

  /// A gain in m/s2 per volt, of either sign.
  static var gain: Self {
    Self(
      { field throws(ProfileError) in
        let unit = ProfileUnit.metrePerSecondSquaredPerVolt
        let value = try field.object("value", "unit", "uncertainty")["value"]
        let number = try value.number(in: -1e6...1e6, unit.rawValue)
        try value.check(number != 0, "is 0, but an actuator without gain has no profile")
        return try MeasuredQuantity(field, unit, in: -1e6...1e6, uncertaintyUpTo: abs(number))
      }, \.json)
  }
}
