// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// What an error number says of the disk.
package enum DiskFault {
  /// Whether the disk is full, or broken: nothing was asked for wrongly.
  package static func isFull(_ number: Int32) -> Bool {
    [ENOSPC, EDQUOT, EFBIG, EIO].contains(number)
  }
}
