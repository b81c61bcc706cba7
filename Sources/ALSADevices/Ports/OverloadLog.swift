import Devices

/// Overloads joined into as few events as say them: clipped peaks of one tone are one overload.
struct OverloadLog: Sendable {
  /// The frames between two clipped ones that still belong together.
  let gap: Int
  private var events: [StreamEvent] = []
  /// By channel, where its latest event stands.
  private var latest: [Int: Int] = [:]

  init(gap: Int) { self.gap = gap }

  /// Notes a clipped frame of a channel, in the order of frames.
  mutating func note(frame: Int, channel: Int, name: String?) {
    if let place = latest[channel], frame <= events[place].frames.upperBound + gap {
      let first = events[place].frame
      guard frame >= events[place].frames.upperBound else { return }
      events[place] = StreamEvent(
        kind: .overload, frame: first, length: frame + 1 - first, channel: name)
    } else {
      latest[channel] = events.count
      events.append(StreamEvent(kind: .overload, frame: frame, length: 1, channel: name))
    }
  }

  /// Hands over everything noted since the last call.
  mutating func take() -> [StreamEvent] {
    defer { (events, latest) = ([], [:]) }
    return events
  }
}
