import HapticRendering

/// Which haptic events stand alone, and why the others do not.
///
/// An event is isolated when its start lies at least 60 ms, or three decay times of the actuator,
/// whichever is more, after the intended end of every event before it and before the start of every
/// event after it.
struct EventIsolation {
  /// The least time to a neighbour, in seconds.
  let margin: Double
  private var neighbours: [Int: Int] = [:]
  private var overlapped: Set<Int> = []

  init(_ timeline: Timeline, decayTime: Double?) {
    margin = max(0.060, 3 * (decayTime ?? 0))
    let events = timeline.events.filter(\.kind.isHaptic)
    var latestEnd = -Double.infinity
    var latestIndex = 0
    for (place, event) in events.enumerated() {
      if event.start - latestEnd < margin { neighbours[event.index] = latestIndex }
      if event.start < latestEnd {
        overlapped.insert(event.index)
        overlapped.insert(latestIndex)
      }
      if place + 1 < events.count, events[place + 1].start - event.start < margin {
        neighbours[event.index] = neighbours[event.index] ?? events[place + 1].index
      }
      let end = event.start + Self.intendedLength(event)
      if end > latestEnd { (latestEnd, latestIndex) = (end, event.index) }
    }
  }

  /// Why an event's onset cannot be told from its neighbours'; `nil` where it stands alone.
  func reason(_ event: TimelineEvent) -> String? {
    neighbours[event.index].map {
      "unresolved: event \($0) is less than \(Int((margin * 1000).rounded())) ms away"
    }
  }

  /// Whether another haptic event is in force during an event.
  func isOverlapped(_ event: TimelineEvent) -> Bool { overlapped.contains(event.index) }

  /// The length up to the start of the release, or of the decay's end, in seconds.
  static func intendedLength(_ event: TimelineEvent) -> Double {
    event.envelope.isSustained ? event.envelope.duration : event.envelope.end
  }
}
