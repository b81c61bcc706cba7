import Glibc

/// The clock that a device in real time goes by.
///
/// A device that paces itself takes it as a parameter, so that tests can move time by hand.
public protocol DeviceClock: Sendable {
  /// The time now, in nanoseconds since some fixed moment. Any thread.
  func now() -> UInt64

  /// Returns when the time has come; at once if it has passed. Any thread.
  func sleep(until nanoseconds: UInt64)
}

/// The host's monotonic clock.
///
/// Corresponds to `CLOCK_MONOTONIC`, since Linux cannot sleep on `CLOCK_MONOTONIC_RAW`.
public struct MonotonicClock: DeviceClock {
  /// Makes the clock.
  public init() {}

  /// Reads the clock.
  public func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Sleeps, and goes on sleeping where a signal woke it.
  public func sleep(until nanoseconds: UInt64) {
    var time = timespec(
      tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
  }
}
