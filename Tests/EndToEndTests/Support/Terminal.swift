// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A terminal that a program is started on and that can be taken away from it.
final class Terminal {
  /// The program's end.
  let path: String
  private var ours: Int32 = -1

  init() throws {
    ours = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    // Unlocked and asked for its number by the kernel's own calls, TIOCSPTLCK and TIOCGPTN.
    var (lock, number): (Int32, UInt32) = (0, 0)
    guard ours >= 0, ioctl(ours, 0x4004_5431, &lock) == 0, ioctl(ours, 0x8004_5430, &number) == 0
    else {
      throw Program.Failure(description: "no terminal: \(String(cString: strerror(errno)))")
    }
    path = "/dev/pts/\(number)"
  }

  deinit { hangUp() }

  /// Types a text, which a line discipline holds until the program reads it: at most some kilobytes.
  func type(_ text: String) throws {
    let bytes = Array(text.utf8)
    guard write(ours, bytes, bytes.count) == bytes.count else {
      throw Program.Failure(description: "not typed: \(String(cString: strerror(errno)))")
    }
  }

  /// Closes our end, as a terminal's window or a lost connection does.
  func hangUp() {
    if ours >= 0 { close(ours) }
    ours = -1
  }
}
