// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// The host's clock that no setting moves, in seconds.
enum HostClock {
  /// Seconds since the machine began.
  static func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC_RAW, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }

  /// Sleeps; not at all for a time that has passed.
  static func sleep(_ seconds: Double) {
    guard seconds > 0 else { return }
    var time = timespec(
      tv_sec: Int(seconds), tv_nsec: Int((seconds - Double(Int(seconds))) * 1e9))
    var left = timespec()
    while nanosleep(&time, &left) != 0, errno == EINTR { time = left }
  }
}
