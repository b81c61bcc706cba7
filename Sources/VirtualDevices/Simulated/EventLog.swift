import Devices

/// What a device did besides carrying frames, joined into as few events as say it.
struct EventLog: Sendable {
  private var events: [StreamEvent] = []

  /// Notes that something touched a range of frames.
  ///
  /// It prolongs the last event of the same kind and channel where that ended no more than `gap`
  /// frames before.
  mutating func note(
    _ kind: StreamEvent.Kind, _ frames: Range<Int>, channel: String? = nil, gap: Int = 0
  ) {
    guard !frames.isEmpty else { return }
    let last = events.lastIndex { $0.kind == kind && $0.channel == channel }
    if let last, frames.lowerBound <= events[last].frames.upperBound + gap {
      let first = events[last].frame
      let end = max(frames.upperBound, events[last].frames.upperBound)
      events[last] = StreamEvent(kind: kind, frame: first, length: end - first, channel: channel)
    } else {
      events.append(
        StreamEvent(kind: kind, frame: frames.lowerBound, length: frames.count, channel: channel))
    }
  }

  /// Hands over everything noted since the last call, in the order of frames.
  ///
  /// What goes on after this call becomes an event of its own.
  mutating func take() -> [StreamEvent] {
    defer { events = [] }
    return events.sorted {
      ($0.frame, $0.kind.rawValue, $0.channel ?? "") < (
        $1.frame, $1.kind.rawValue, $1.channel ?? ""
      )
    }
  }
}
