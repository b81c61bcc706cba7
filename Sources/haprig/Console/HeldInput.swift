// SPDX-License-Identifier: Apache-2.0

import Devices
private import Glibc
import Workflows

/// Standard input as a dead man's switch: who holds the drive says so again and again.
enum HeldInput {
  /// Waits for the first byte, then watches from now on on a thread of its own, and asks to stop once when nobody
  /// holds the drive any more.
  ///
  /// Where the first does not come in time, the request to stop is there before anything is driven.
  static func watch(_ stop: StopSignal) {
    var first = DeadMansSwitch(at: MonotonicClock.seconds + DeadMansSwitch.grace)
    hear(&first)
    guard first.reason == nil else { return stop.request(SIGHUP) }
    do throws(DeviceError) {
      try RealtimeThread.detach(name: "held", priority: nil) { [first] in
        var held = first
        while held.reason == nil { hear(&held) }
        stop.request(SIGHUP)
      }
    } catch {
      // Where nobody watches, nothing may be driven.
      stop.request(SIGHUP)
    }
  }

  /// Waits until something was heard, or not in time.
  private static func hear(_ held: inout DeadMansSwitch) {
    var buffer = [UInt8](repeating: 0, count: 256)
    while held.reason == nil {
      var waiting = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
      let left = held.remaining(at: MonotonicClock.seconds)
      guard poll(&waiting, 1, Int32((left * 1000).rounded(.up))) > 0 else {
        held.take(nil, at: MonotonicClock.seconds)
        continue
      }
      let count = read(STDIN_FILENO, &buffer, buffer.count)
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      return held.take(Array(buffer[..<max(0, count)]), at: MonotonicClock.seconds)
    }
  }
}
