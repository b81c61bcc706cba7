/// Follows the counter of a Switch controller's reports, which wraps each 1.28 s.
///
/// The host's clock says how often it wrapped where reports stayed away for longer, as long as it is right within half
/// a wrap.
public struct SwitchControllerTimer: Sendable {
  private var latest: (ticks: Int64, nanoseconds: UInt64)?

  /// Begins; the first value stands for itself.
  public init() {}

  /// The counter of a report without wraps, and whether a whole report before it was lost.
  ///
  /// - Parameters:
  ///   - timer: As the report has it.
  ///   - nanoseconds: The host's clock when the report came.
  /// - Returns: The counter, which may lie before an earlier one where the device's own does.
  public mutating func note(
    _ timer: UInt8, at nanoseconds: UInt64
  ) -> (ticks: Int64, isAfterLoss: Bool) {
    guard let last = latest else {
      latest = (Int64(timer), nanoseconds)
      return (Int64(timer), false)
    }
    let passed = Double(nanoseconds) - Double(last.nanoseconds)
    let expected =
      last.ticks + Int64((passed * 1e-9 * SwitchControllerFacts.tickRate).rounded())
    let ticks = expected + Int64(Int8(truncatingIfNeeded: Int64(timer) - expected))
    if ticks > last.ticks { latest = (ticks, nanoseconds) }
    let step = ticks - last.ticks
    return (ticks, step >= Int64(2 * SwitchControllerFacts.samplesPerReport))
  }
}
