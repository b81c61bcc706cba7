// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// The clock of the host that nobody sets.
package enum MonotonicClock {
  /// Seconds since some moment of the past.
  package static var seconds: Double {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) * 1e-9
  }
}
