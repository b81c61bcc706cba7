import JSONText

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
}

extension MeasuredQuantity {
  var json: JSONValue {
    ["value": .finite(value), "unit": .string(unit.rawValue), "uncertainty": .finite(uncertainty)]
  }

  /// Reads a quantity above 0 that is known at least as to its size.
  init(positive field: ProfileField, _ unit: ProfileUnit, upTo highest: Double) throws(ProfileError)
  {
    let value = try field.object("value", "unit", "uncertainty")["value"]
      .positive(upTo: highest, unit.rawValue)
    try self.init(field, unit, in: 0...highest, uncertaintyUpTo: value)
  }

  /// Reads a gain, of either sign.
  init(gain field: ProfileField, _ unit: ProfileUnit) throws(ProfileError) {
    let value = try field.object("value", "unit", "uncertainty")["value"]
    let number = try value.number(in: -1e6...1e6, unit.rawValue)
    guard number != 0 else {
      throw value.error("\(value.path) is 0, but an actuator without gain has no profile")
    }
    try self.init(field, unit, in: -1e6...1e6, uncertaintyUpTo: abs(number))
  }

  /// Reads a quantity whose unit is known; an uncertainty of null is one that nobody knows.
  ///
  /// An uncertainty of 0 is none: nothing is measured exactly.
  init(
    _ field: ProfileField, _ unit: ProfileUnit, in range: ClosedRange<Double>,
    uncertaintyUpTo highest: Double
  ) throws(ProfileError) {
    let field = try field.object("value", "unit", "uncertainty")
    let found = try field["unit"]
    guard try found.string() == unit.rawValue else {
      throw found.error(
        "\(found.path) is '\(ProfileField.shortened(try found.string()))', but must be "
          + "'\(unit.rawValue)'")
    }
    let uncertainty = try field["uncertainty"]
    self.init(
      try field["value"].number(in: range, unit.rawValue), unit,
      uncertainty: uncertainty.node.isNull
        ? .infinity : try uncertainty.positive(upTo: highest, unit.rawValue))
  }
}
