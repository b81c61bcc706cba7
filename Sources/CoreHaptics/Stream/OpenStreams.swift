import Devices
import Foundation

/// The streams of this program that run: its exit rests their devices and keeps their records.
///
/// Apps seldom stop an engine before they end, and a program ends once: so this is the one thing here that
/// all engines share.
enum OpenStreams {
  private static let running = Guarded<[ObjectIdentifier: EngineStream]>([:])
  private static let atExit: Bool = atexit { OpenStreams.finish(patience: 5) } == 0

  /// Remembers a stream until it has ended.
  static func add(_ stream: EngineStream) {
    _ = atExit
    running.withLock { $0[ObjectIdentifier(stream)] = stream }
  }

  /// Forgets a stream that has ended.
  static func remove(_ stream: EngineStream) {
    running.withLock { $0[ObjectIdentifier(stream)] = nil }
  }

  /// Ends what runs and waits for it: a program that wants to end does.
  ///
  /// - Parameter patience: How long a device that lags behind may play on, in seconds; ten more are given
  ///   to come to rest and to write the records.
  static func finish(patience: Double) {
    let streams = running.withLock { Array($0.values) }
    for stream in streams { stream.stop() }
    wait(patience)
    for stream in streams { stream.hurry() }
    wait(10)
  }

  private static func wait(_ seconds: Double) {
    let deadline = HostClock.now() + seconds
    while running.withLock({ !$0.isEmpty }), HostClock.now() < deadline { HostClock.sleep(1e-3) }
  }
}
