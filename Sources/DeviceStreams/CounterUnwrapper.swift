/// Makes a counter that wraps into one that does not.
///
/// A value up to half the range ahead of the latest is later, any other is earlier: so a counter must be
/// seen at least once in half its range.
public struct CounterUnwrapper: Sendable, Hashable {
  /// How many bits the counter has.
  public let bits: Int
  private var latest: Int64?

  /// Begins; the first value stands for itself.
  public init(bits: Int) {
    precondition((4...32).contains(bits), "counters have 4 to 32 bits, not \(bits)")
    self.bits = bits
  }

  /// The value without wraps; may lie before an earlier one, where the device's own values do.
  public mutating func unwrap(_ value: UInt32) -> Int64 {
    let range = Int64(1) << Int64(bits)
    let value = Int64(value) & (range - 1)
    guard let latest else {
      self.latest = value
      return value
    }
    var step = (value - latest) & (range - 1)
    if step >= range / 2 { step -= range }
    let whole = latest + step
    self.latest = max(latest, whole)
    return whole
  }
}
