import Glibc

/// The host's raw monotonic clock in nanoseconds.
package func hostNanoseconds() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC_RAW, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

extension UInt64 {
  /// Microseconds from this time to a later one, both in nanoseconds, rounded up; 0 where it is over already.
  ///
  /// A host's clock goes on between two looks at it, so the second may be behind the end that the first was before.
  package func microseconds(until end: UInt64) -> Int {
    end > self ? Int((end - self + 999) / 1000) : 0
  }
}
