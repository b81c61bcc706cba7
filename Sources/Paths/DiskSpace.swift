// SPDX-License-Identifier: Apache-2.0

private import Glibc

package enum DiskSpace {
  /// The bytes that this user may still write below a folder; `nil`, with `errno`, where that is not known.
  package static func free(in folder: String) -> Double? {
    var status = statvfs()
    guard statvfs(folder, &status) == 0 else { return nil }
    return Double(status.f_bavail) * Double(status.f_frsize)
  }
}
