/// How often a line that is written over is drawn: ten times a second at the most, and the last state always.
///
/// Whoever draws gives the time, in seconds of any clock that only goes forward.
public struct RedrawPace: Sendable {
  /// What is to be done with a new state.
  public enum Answer: Sendable, Hashable {
    /// It is drawn now.
    case draw
    /// It is kept; `due` is to be asked after so many seconds.
    case wait(Double)
    /// It is kept, and somebody already waits.
    case keep
  }

  /// The shortest time between two drawings, in seconds.
  public static let interval = 0.1

  private var drawn = -Double.infinity
  private var waiting: String?

  /// Nothing was drawn yet.
  public init() {}

  /// Takes a new state, which takes the place of one that waits.
  public mutating func show(_ text: String, at now: Double) -> Answer {
    let rest = drawn + Self.interval - now
    guard rest > 0 else {
      (drawn, waiting) = (now, nil)
      return .draw
    }
    defer { waiting = text }
    return waiting == nil ? .wait(rest) : .keep
  }

  /// What is to be drawn now that a wait is over; nil where nothing waits, or was drawn just now.
  public mutating func due(at now: Double) -> String? {
    // A clock's last digits: a wait may end a trifle early.
    guard let text = waiting, now - drawn > 0.99 * Self.interval else { return nil }
    (drawn, waiting) = (now, nil)
    return text
  }

  /// Forgets what waits: the line was taken away.
  public mutating func clear() { waiting = nil }
}
