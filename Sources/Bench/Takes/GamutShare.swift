import HapticRendering

/// How much of what a pattern asks for lies beyond what its actuator can do.
struct GamutShare {
  /// The share 0...1 of the time of its haptic events, weighted by nothing; `nil` for a pattern without.
  let outside: Double?

  /// The step in which events are looked at, in seconds.
  private static let step = 1e-3

  /// Looks at every haptic event in steps of a millisecond, a tap at its start.
  init(of intent: Intent, under profile: ProfileRendering) {
    var (total, beyond) = (0, 0)
    for event in intent.timeline.events where event.kind.isHaptic {
      let length = event.end - event.start
      let weight = max(1, Int(length / Self.step))
      let looks = event.kind == .transient ? 1 : weight
      for look in 0..<looks {
        let time = event.start + (Double(look) + (looks == 1 ? 0 : 0.5)) * Self.step
        let intensity = intent.intensity(of: event, at: time)
        guard intensity > 0 else { continue }
        total += weight / looks
        let isReached = profile.reaches(
          event.kind, intensity: intensity, sharpness: intent.sharpness(of: event, at: time))
        if !isReached { beyond += weight / looks }
      }
    }
    outside = total > 0 ? Double(beyond) / Double(total) : nil
  }
}
