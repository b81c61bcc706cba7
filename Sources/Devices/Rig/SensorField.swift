/// A number of a sample, as a sensor with a clock of its own sends it.
public enum SensorField: Sendable, Hashable {
  /// Counts the samples, modulo 2^bits.
  case counter(bits: Int)
  /// The sensor's clock in steps of so many a second, modulo 2^bits.
  case ticks(rate: Double, bits: Int)
  /// An axis: 0, 1, 2 for x, y, z.
  case axis(Int)
  /// A number that is not used.
  case other
}

extension SensorField {
  /// Whether it is an axis.
  public var isAxis: Bool { if case .axis = self { true } else { false } }
}
