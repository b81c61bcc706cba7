import AHAP

/// Tells whether patterns were made from a clip with its continuous signal lowered under emphases.
enum ClipDuck {
  /// How far a control point may stand from its transient, in seconds: exports keep points 1 ms apart.
  private static let slack = 1e-3

  /// Tells whether all continuous events have sharpness 0 and one intensity, and a point of an
  /// intensity curve stands at each transient that they play under.
  static func isMade(
    in patterns: [HapticPattern], taps: [ClipTap], defaults: EventDefaults
  ) -> Bool {
    var corners: [Double] = []
    var intensities: Set<Double> = []
    var span: ClosedRange<Double>?
    for pattern in patterns {
      let events = pattern.events.filter { $0.kind == .hapticContinuous }
      guard !events.isEmpty else { continue }
      guard !pattern.parameters.contains(where: { $0.id == .hapticIntensity }) else { return false }
      for event in events {
        guard event.value(of: .hapticSharpness, defaults: defaults) == 0 else { return false }
        intensities.insert(event.value(of: .hapticIntensity, defaults: defaults))
        let (low, high) = (span?.lowerBound ?? event.time, span?.upperBound ?? event.end)
        span = min(low, event.time)...max(high, event.end)
      }
      for curve in pattern.curves where curve.id == .hapticIntensity {
        corners += curve.points.map { curve.time + $0.time }
      }
    }
    guard let span, intensities.count == 1 else { return false }
    corners.sort()
    let under = taps.filter { span ~= $0.time }
    guard !under.isEmpty else { return false }
    var index = 0
    return under.allSatisfy { tap in
      while index < corners.count, corners[index] < tap.time - slack { index += 1 }
      return index < corners.count && corners[index] <= tap.time + slack
    }
  }
}
