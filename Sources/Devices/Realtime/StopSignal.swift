import Synchronization

/// A request to stop that any thread or signal handler may make and every loop looks at.
public final class StopSignal: Sendable {
  private let reason = Atomic<Int32>(0)

  /// Makes a signal that is not set.
  public init() {}

  /// Asks to stop, with the number of the signal that asked; the first one stays.
  ///
  /// Safe in a signal handler: one atomic exchange.
  public func request(_ number: Int32) {
    _ = reason.compareExchange(
      expected: 0, desired: number, ordering: .acquiringAndReleasing)
  }

  /// The number of the signal that asked to stop, or `nil`.
  public var requested: Int32? {
    let value = reason.load(ordering: .acquiring)
    return value == 0 ? nil : value
  }
}
