/// A pattern in absolute seconds: events in the order of time, controls put together.
public struct Timeline: Sendable, Equatable {
  /// The events by rising start; of equal starts the earlier in the file first.
  public let events: [TimelineEvent]
  /// The dynamic parameters.
  public let controls: Controls
  /// The pattern's duration as Apple counts it, without release tails, in seconds.
  public let duration: Double

  /// Makes a timeline; events are put in order and numbered.
  public init(events: [TimelineEvent], controls: Controls, duration: Double) {
    let ordered = events.enumerated().sorted {
      $0.element.start != $1.element.start
        ? $0.element.start < $1.element.start : $0.offset < $1.offset
    }
    self.events = ordered.enumerated().map { index, entry in
      var event = entry.element
      event.index = index
      return event
    }
    self.controls = controls
    self.duration = duration
  }

  /// When nothing of it is left, in seconds: the last release tail included.
  public var end: Double { max(duration, events.map(\.end).max() ?? 0) }
}
