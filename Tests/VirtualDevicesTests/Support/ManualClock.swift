// SPDX-License-Identifier: Apache-2.0

import Synchronization
import VirtualDevices

/// A clock that stands still until somebody sleeps on it or moves it.
final class ManualClock: DeviceClock {
  private let time = Mutex<UInt64>(1_000_000_000)

  func now() -> UInt64 { time.withLock { $0 } }

  func sleep(until nanoseconds: UInt64) { time.withLock { $0 = max($0, nanoseconds) } }

  /// Lets time pass.
  func advance(seconds: Double) { time.withLock { $0 += UInt64((seconds * 1e9).rounded()) } }
}
