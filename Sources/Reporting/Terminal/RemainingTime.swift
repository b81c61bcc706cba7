/// How long work still takes, from how long its part took.
public enum RemainingTime {
  /// Writes `2 min 10 s left`; `nil` where too little was done to tell.
  ///
  /// - Parameters:
  ///   - elapsed: How long it took so far, in seconds.
  ///   - share: How much of it is done, 0...1.
  /// - Returns: The text, rounded up to what a person waits for.
  public static func text(elapsed: Double, share: Double) -> String? {
    guard elapsed >= 2, share >= 0.01, share < 1 else { return nil }
    let seconds = Int((elapsed * (1 - share) / share).rounded(.up))
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
    if hours > 0 { return "\(hours) h \(minutes) min left" }
    // Nobody waits for the second while it takes long.
    if minutes >= 10 { return "\(minutes) min left" }
    return minutes > 0 ? "\(minutes) min \(seconds % 60) s left" : "\(seconds) s left"
  }
}
