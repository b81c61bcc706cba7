// SPDX-License-Identifier: Apache-2.0

import Devices
import Glibc
import Paths

/// The folder in which every piece of work of this user has a folder of its own while it goes on.
package enum LiveFolder {
  /// `live` in the user's runtime folder.
  package static var path: String { RuntimeFolder.path + "/live" }

  /// Dead ones older than this go, in seconds.
  private static let longest = 86_400
  /// So many dead ones stay at most, the youngest.
  private static let most = 32

  /// Makes it where there is none; refused where it is not this user's alone.
  static func make(_ folder: String) throws(LiveError) {
    for (path, isClosed) in [(FilePath.folder(of: folder), false), (folder, true)]
    where !RuntimeFolder.make(path, isClosed: isClosed) {
      guard access(path, F_OK) == 0 else {
        mkdir(path, 0o700)
        throw LiveError("no folder", path, errno)
      }
      throw LiveError(notOwn(path))
    }
  }

  private static func notOwn(_ path: String) -> String {
    "the folder '\(path)' is not this user's alone, so that nothing in it is believed: remove it, or "
      + "set XDG_RUNTIME_DIR to a folder of your own"
  }

  /// The names of work in it; none where there is no folder, an error where it is not this user's alone.
  static func names(in folder: String) throws(LiveError) -> [String] {
    guard access(folder, F_OK) == 0 else { return [] }
    guard RuntimeFolder.isOwn(folder, isClosed: true) else {
      throw LiveError(notOwn(folder))
    }
    return SystemFiles().names(folder).filter(isPlain)
  }

  /// What can be the name of a piece of work: no way out of the folder.
  package static func isPlain(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= 64
      && name.utf8.allSatisfy { $0 == 0x2D || (0x30...0x39).contains($0) }
  }

  /// Removes the work of processes that are dead: what is older than a day, and of the rest all but the youngest.
  static func clean(_ folder: String) {
    var dead: [(path: String, time: Int)] = []
    for name in SystemFiles().names(folder) {
      let path = folder + "/" + name
      var status = stat()
      // A hidden one is being made or removed: for a minute it is nobody else's.
      guard isPlain(String(name.drop { $0 == "." })), lstat(path, &status) == 0,
        status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid()
      else { continue }
      let time = Int(status.st_mtim.tv_sec)
      guard !name.hasPrefix(".") || time < Int(Glibc.time(nil)) - 60 else { continue }
      if let lock = try? OpenFile(path + "/" + LiveNames.lock), !lock.isFree { continue }
      dead.append((path, time))
    }
    let limit = Int(Glibc.time(nil)) - longest
    for (place, work) in dead.sorted(by: { $0.time > $1.time }).enumerated()
    where place >= most || work.time < limit {
      remove(work.path)
    }
  }

  /// Removes the folder of a piece of work, the hidden name first: nobody sees a part of it.
  static func remove(_ path: String) {
    let name = path.split(separator: "/").last.map(String.init) ?? ""
    var path = path
    if !name.hasPrefix(".") {
      let hidden = String(path.dropLast(name.count)) + "." + name
      guard rename(path, hidden) == 0 else { return }
      path = hidden
    }
    for name in LiveNames.all { unlink(path + "/" + name) }
    unlink(path + "/." + LiveNames.waves)
    rmdir(path)
  }
}
