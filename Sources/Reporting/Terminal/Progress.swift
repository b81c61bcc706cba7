/// How often a line that is written over is drawn: ten times a second at the most, and the last state always.
///
/// Whoever draws gives the time, in seconds of any clock that only goes forward.
package struct RedrawPace: Sendable {
  /// What is to be done with a new state.
  package enum Answer: Sendable, Hashable {
    case draw
    /// It is kept; `due` is to be asked after so many seconds.
    case wait(Double)
    /// It is kept, and somebody already waits.
    case keep
  }

  /// The shortest time between two drawings, in seconds.
  package static let interval = 0.1

  private var drawn = -Double.infinity
  private var waiting: String?

  package init() {}

  /// Takes a new state, which takes the place of one that waits.
  package mutating func show(_ text: String, at now: Double) -> Answer {
    let rest = drawn + Self.interval - now
    guard rest > 0 else {
      (drawn, waiting) = (now, nil)
      return .draw
    }
    defer { waiting = text }
    return waiting == nil ? .wait(rest) : .keep
  }

  /// What is to be drawn now that a wait is over; nil where nothing waits, or was drawn just now.
  package mutating func due(at now: Double) -> String? {
    // A clock's last digits: a wait may end a trifle early.
    guard let text = waiting, now - drawn > 0.99 * Self.interval else { return nil }
    (drawn, waiting) = (now, nil)
    return text
  }

  /// Forgets what waits: the line was taken away.
  package mutating func clear() { waiting = nil }
}

/// How long work still takes, from how long its part took.
package enum RemainingTime {
  /// `2 min 10 s left` after so many seconds and a share of 0...1, rounded up to what a person waits for;
  /// `nil` where too little was done to tell.
  package static func text(elapsed: Double, share: Double) -> String? {
    guard elapsed >= 2, share >= 0.01, share < 1 else { return nil }
    let seconds = Int((elapsed * (1 - share) / share).rounded(.up))
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
    if hours > 0 { return "\(hours) h \(minutes) min left" }
    // Nobody waits for the second while it takes long.
    if minutes >= 10 { return "\(minutes) min left" }
    return minutes > 0 ? "\(minutes) min \(seconds % 60) s left" : "\(seconds) s left"
  }
}
