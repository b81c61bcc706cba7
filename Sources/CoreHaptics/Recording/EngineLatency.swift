/// How late an engine is: what was asked against what its device was handed.
///
/// On a stepped clock all is exact. On the host's, `immediate` counts from the call to the moment at
/// which the sample of the play's first instant was handed to the device; what the device itself adds is
/// the bench's to measure (`haprig latency`).
public struct EngineLatency: Sendable, Equatable {
  /// From a start with `CHHapticTimeImmediate` to the first sample at the device, in seconds, each.
  public var immediate: [Double] = []
  /// The first sample's own time less what a scheduled start asked for, in seconds of the engine, each.
  public var scheduled: [Double] = []
  /// When the first sample was handed to the device less the time that was asked for, in seconds of the
  /// host's clock, each; empty on a stepped clock.
  public var handed: [Double] = []

  /// Makes an account of nothing.
  public init() {}

  /// The value that a share 0...1 of some values do not exceed; `nil` without values.
  public static func quantile(_ share: Double, of values: [Double]) -> Double? {
    guard !values.isEmpty else { return nil }
    let ordered = values.sorted()
    let place = Int((share * Double(ordered.count - 1)).rounded())
    return ordered[min(max(place, 0), ordered.count - 1)]
  }
}

extension EngineLatency {
  /// Both accounts together.
  func adding(_ other: EngineLatency) -> EngineLatency {
    var sum = self
    sum.immediate += other.immediate
    sum.scheduled += other.scheduled
    sum.handed += other.handed
    return sum
  }
}
