// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// A sound on its way to a render thread: how far its source has come, and how it ended.
///
/// The samples themselves are in a `RealtimeQueue`, whose producer the source has.
public final class SoundFeed: Sendable {
  /// How a sound can end.
  public enum End: Sendable, Equatable {
    /// There is no more of it.
    case over
    /// Its source failed.
    case failed(DeviceError)
  }

  /// How many samples were put into the queue.
  public let delivered = Atomic<Int>(0)
  /// How many samples found no room in it.
  public let dropped = Atomic<Int>(0)
  /// How long the source has held samples back before they were put into the queue, lately, in nanoseconds.
  public let held = Atomic<Int>(0)
  /// Whether its source failed, as a render thread looks at it: what has come of it is not to be played any more.
  public let failure = StopFlag()
  private let ending = Guarded<End?>(nil)

  /// Makes a feed of nothing yet.
  public init() {}

  deinit { failure.remove() }

  /// How the sound ended; nil while it goes on.
  public var end: End? { ending.withLock { $0 } }

  /// Ends the sound; the first end stays.
  public func finish(_ end: End) {
    ending.withLock { ending in
      guard ending == nil else { return }
      ending = end
      if case .failed = end { _ = failure.set(1) }
    }
  }
}
