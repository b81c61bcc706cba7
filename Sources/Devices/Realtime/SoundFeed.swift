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
  private let ending = Guarded<End?>(nil)

  /// Makes a feed of nothing yet.
  public init() {}

  /// How the sound ended; nil while it goes on.
  public var end: End? { ending.withLock { $0 } }

  /// Ends the sound; the first end stays.
  public func finish(_ end: End) { ending.withLock { $0 = $0 ?? end } }
}

/// Says whether frames come at the rate that was agreed, by the host's clock.
///
/// A player that changes the rate of a loopback while it is listened to is heard too high or too low, and a PCM
/// without a clock gives whatever is asked of it.
public struct ArrivalWatch: Sendable {
  private let rate: Double
  private var start: Double?
  private var frames = 0

  /// How long is watched before something is said, in seconds, and how far the rate may be off.
  private static let window = 2.0
  private static let tolerance = 0.03

  /// Watches for a rate in hertz.
  public init(rate: Double) { self.rate = rate }

  /// Takes frames that came at a time in seconds; gives the rate where it is another.
  public mutating func take(_ count: Int, at time: Double) -> Double? {
    guard let start else {
      // What came first waited for somebody to listen.
      self.start = time
      return nil
    }
    frames += count
    let seconds = time - start
    // What comes too fast need not be waited for.
    guard seconds >= Self.window || Double(frames) > 2 * Self.window * rate else { return nil }
    let measured = Double(frames) / max(seconds, 1e-3)
    self.start = time
    frames = 0
    return abs(measured / rate - 1) > Self.tolerance ? measured : nil
  }

  /// Forgets what came before a break.
  public mutating func interrupt() {
    start = nil
    frames = 0
  }
}
