// SPDX-License-Identifier: Apache-2.0

import Devices
private import Glibc

/// What a lock file says of its holder: the number of its process, and when it gave a sign of life last.
///
/// One thread of the process gives the signs for all its locks, so that a process that hangs as a whole, stopped or out of
/// turns, gives none.
enum LockSigns {
  struct Sign: Equatable {
    let process: Int32
    /// In seconds of the monotonic clock, which neither the setting of a clock nor a machine's sleep moves; nil of a haprig
    /// that gave none.
    let sign: Double?
  }

  private struct Given {
    var descriptors: Set<Int32> = []
    var isRunning = false
  }

  private static let given = Guarded(Given())
  /// Seconds between signs.
  private static let interval: UInt32 = 5

  static var now: Double { MonotonicClock.seconds }

  static func give(_ descriptor: Int32) {
    // One length at all times: a reader never sees the end of an older sign.
    let text = Array("\(getpid()) \(Int(now))".utf8)
    let line = text + [UInt8](repeating: 0x20, count: max(0, 31 - text.count)) + [0x0A]
    _ = pwrite(descriptor, line, line.count, 0)
  }

  static func read(_ descriptor: Int32) -> Sign? {
    var bytes = [UInt8](repeating: 0, count: 32)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count > 0 else { return nil }
    let words = bytes[..<count].split { $0 == 0x20 || $0 == 0x0A }
      .map { String(decoding: $0, as: UTF8.self) }
    guard let process = words.first.flatMap(Int32.init) else { return nil }
    return Sign(process: process, sign: words.dropFirst().first.flatMap(Double.init))
  }

  static func keepGiving(_ descriptor: Int32) {
    let isFirst = given.withLock { given in
      given.descriptors.insert(descriptor)
      defer { given.isRunning = true }
      return !given.isRunning
    }
    guard isFirst else { return }
    do throws(DeviceError) {
      try RealtimeThread.detach(name: "haprig-lock", priority: nil) {
        while true {
          sleep(interval)
          given.withLock { given in
            for descriptor in given.descriptors { give(descriptor) }
          }
        }
      }
    } catch {
      // Without signs the lock is one that is kept until its holder ends.
      given.withLock { $0.isRunning = false }
    }
  }

  static func stopGiving(_ descriptor: Int32) {
    given.withLock { _ = $0.descriptors.remove(descriptor) }
  }
}
