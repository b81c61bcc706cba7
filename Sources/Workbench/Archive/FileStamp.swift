// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// What tells one state of a file from another: it is another one of a file that was written anew or replaced.
struct FileStamp: Sendable, Hashable {
  let size: Int
  /// When it was changed, in seconds since 1970.
  let seconds: Int
  private let nanoseconds: Int
  private let device: UInt
  private let node: UInt

  /// `nil` where there is no regular file; a link is one only where links are followed.
  init?(_ path: String, followingLinks: Bool = true) {
    var status = stat()
    let found = followingLinks ? stat(path, &status) : lstat(path, &status)
    guard found == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    size = Int(status.st_size)
    (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    (device, node) = (status.st_dev, status.st_ino)
  }
}
