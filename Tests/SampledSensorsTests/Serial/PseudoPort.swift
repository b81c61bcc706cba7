// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A terminal pair: what the test writes, a serial port gives.
final class PseudoPort {
  /// The path of the end that is opened as a port.
  let path: String
  private var master: Int32

  init?() {
    // What posix_openpt, unlockpt and ptsname do: Swift's Glibc has none of the three.
    let setLock: UInt = 0x4004_5431
    let getNumber: UInt = 0x8004_5430
    var (free, number): (Int32, Int32) = (0, 0)
    master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard master >= 0, ioctl(master, setLock, &free) == 0, ioctl(master, getNumber, &number) == 0
    else { return nil }
    path = "/dev/pts/\(number)"
  }

  deinit { unplug() }

  /// Writes bytes as the breakout does; waits where the port is full.
  func write(_ bytes: [UInt8]) {
    var done = 0
    while done < bytes.count {
      let count = bytes[done...].withUnsafeBytes { Glibc.write(master, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      done += count
    }
  }

  /// Writes text.
  func write(_ text: String) { write(Array(text.utf8)) }

  /// Takes the breakout away.
  func unplug() {
    guard master >= 0 else { return }
    close(master)
    master = -1
  }
}
