/// A measured number with its standard uncertainty, both in the same unit.
public struct Estimate: Sendable, Equatable {
  /// The number.
  public var value: Double
  /// One standard deviation.
  public var uncertainty: Double

  /// Makes an estimate.
  public init(_ value: Double, uncertainty: Double) {
    self.value = value
    self.uncertainty = uncertainty
  }

  /// The uncertainty as a share of the value.
  public var relativeUncertainty: Double { uncertainty / abs(value) }
}
