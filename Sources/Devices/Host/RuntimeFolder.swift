// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// The folder of this user's in memory, in which processes find one another: locks of rigs, runs under way.
package enum RuntimeFolder {
  /// `haprig` below `XDG_RUNTIME_DIR`, else in the user's folder of the system, else a name of the user's in `/tmp`.
  package static var path: String {
    if let folder = getenv("XDG_RUNTIME_DIR"), folder.pointee != 0 {
      return String(cString: folder) + "/haprig"
    }
    let own = "/run/user/\(getuid())"
    return access(own, W_OK) == 0 ? own + "/haprig" : "/tmp/haprig-\(getuid())"
  }

  /// Makes a folder where there is none; false where it is not this user's alone afterwards.
  package static func make(_ folder: String, isClosed: Bool = false) -> Bool {
    mkdir(folder, 0o700)
    return isOwn(folder, isClosed: isClosed)
  }

  /// Whether a folder is this user's: where others could write, they could name any process.
  ///
  /// A closed one nobody else reads either.
  package static func isOwn(_ folder: String, isClosed: Bool = false) -> Bool {
    var status = stat()
    guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return false }
    return status.st_uid == geteuid() && status.st_mode & (isClosed ? 0o077 : 0o022) == 0
  }
}
