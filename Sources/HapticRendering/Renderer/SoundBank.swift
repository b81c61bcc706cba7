public import Units

/// The decoded sound files of a pattern by their paths as written, at the rate of rendering.
public struct SoundBank: Sendable, Equatable {
  /// One or two channels of one length; the first two of more are used.
  public private(set) var sounds: [String: [Signal]] = [:]

  /// Makes an empty bank.
  public init() {}

  /// Adds a decoded file, all of whose channels have one rate and length.
  public mutating func add(_ channels: [Signal], path: String) {
    precondition(!channels.isEmpty, "a sound needs a channel")
    sounds[path] = Array(channels.prefix(2))
  }

  /// The length of a sound in seconds.
  public func duration(of path: String) -> Double? { sounds[path]?.first?.duration }
}
