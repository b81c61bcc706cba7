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
