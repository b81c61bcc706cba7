/// The gain of one event over its life, in seconds from its start: straight lines throughout.
///
/// Sustained: up in `attack`, held to `duration`, down in `release`, which runs past the duration.
/// Not sustained: up in `attack`, down in `decay`, and over, without regard to the duration.
public struct Envelope: Sendable, Equatable {
  /// The rise in seconds.
  public let attack: Double
  /// The fall of an event that is not sustained, in seconds.
  public let decay: Double
  /// The fall after the duration of a sustained event, in seconds.
  public let release: Double
  /// Whether the event holds its level for its duration.
  public let isSustained: Bool
  /// The time to the start of the release, in seconds.
  public let duration: Double

  /// Makes an envelope; the times are not negative.
  public init(
    attack: Double, decay: Double, release: Double, isSustained: Bool, duration: Double
  ) {
    self.attack = attack
    self.decay = decay
    self.release = release
    self.isSustained = isSustained
    self.duration = duration
  }

  /// The time at which the gain is back to zero for good, in seconds.
  public var end: Double { isSustained ? duration + release : attack + decay }

  /// The gain 0...1 at a time in seconds.
  @_noAllocation @_noLocks
  public func gain(at time: Double) -> Double {
    if time < 0 || time >= end { return 0 }
    if !isSustained {
      return time < attack ? time / attack : Self.fall((time - attack) / decay)
    }
    if time >= duration {
      // A release that begins inside the attack starts from where the attack had got to.
      let level = duration < attack ? duration / attack : 1
      return level * Self.fall((time - duration) / release)
    }
    return time < attack ? time / attack : 1
  }

  /// What is left after a share of a fall; rounding may carry the share past 1.
  @_noAllocation @_noLocks
  private static func fall(_ share: Double) -> Double { share < 1 ? 1 - share : 0 }
}
