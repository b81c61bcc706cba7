// SPDX-License-Identifier: Apache-2.0

import Devices
private import Glibc
import Workflows

/// Standard input of a stage, read on a thread of its own: whatever else the program does, silence is heard in time.
final class StageReader: Sendable {
  private let events = Guarded<[StageInput.Event]>([])
  private let wake = WakePipe()

  /// Begins to listen; asks to stop once when nobody holds the drive any more.
  init(_ stop: StopSignal) {
    let input = StageInput(at: MonotonicClock.seconds)
    do throws(DeviceError) {
      try RealtimeThread.detach(name: "stage-input", priority: nil) { [self] in
        var heard = input
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while heard.reason == nil, stop.requested == nil { read(&buffer, into: &heard) }
        if heard.reason != nil { stop.request(SIGHUP) }
        wake.signal()
      }
    } catch {
      // Where nobody listens, nothing may be driven.
      stop.request(SIGHUP)
    }
  }

  /// Waits until something came, or so many seconds.
  func wait(_ seconds: Double) {
    var waiting = pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&waiting, 1, Int32((seconds * 1000).rounded(.up))) > 0 else { return }
    var bytes = [UInt8](repeating: 0, count: 256)
    _ = Glibc.read(wake.descriptor, &bytes, bytes.count)
  }

  /// Takes what came since the last call.
  func take() -> [StageInput.Event] {
    events.withLock { events in
      defer { events = [] }
      return events
    }
  }

  private func read(_ buffer: inout [UInt8], into input: inout StageInput) {
    var waiting = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    let left = input.remaining(at: MonotonicClock.seconds)
    guard poll(&waiting, 1, Int32((left * 1000).rounded(.up))) > 0 else {
      _ = input.take(nil, at: MonotonicClock.seconds)
      return
    }
    let count = Glibc.read(STDIN_FILENO, &buffer, buffer.count)
    if count < 0, errno == EINTR || errno == EAGAIN { return }
    let new = input.take(Array(buffer[..<max(0, count)]), at: MonotonicClock.seconds)
    guard !new.isEmpty else { return }
    events.withLock { $0 += new }
    wake.signal()
  }
}
