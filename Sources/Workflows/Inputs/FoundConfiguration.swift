// SPDX-License-Identifier: Apache-2.0

import Bench
private import Glibc
import Paths
package import RigFiles

/// The configuration that holds in the working folder, and where it was found.
package struct FoundConfiguration: Sendable {
  /// The file's path from the working folder, such as `../haprig.toml`; `nil` where there is none.
  package let file: String?
  /// What the file says, with paths from the working folder.
  package let values: Configuration

  /// How many folders are looked into at most.
  private static let mostFolders = 256

  /// Looks for `haprig.toml` in the working folder and upwards, to the root of the file system; the first one holds.
  ///
  /// The home folder plays no part. In a folder that everybody may write to, such as /tmp, the file counts only if it
  /// is this user's or root's: anybody could have put it there, and a rig may name a program to run.
  package static func search() throws -> FoundConfiguration {
    var folder = "."
    for _ in 0..<mostFolders {
      let file = FilePath.join(folder, Configuration.fileName)
      var status = stat()
      if lstat(file, &status) == 0, isTrusted(status, in: folder) {
        let bytes = try RegularFile(path: file).bytes(limit: 1 << 20)
        let written = try Configuration(toml: bytes, file: file)
        return FoundConfiguration(file: file, values: written.placed(in: folder))
      }
      let above = folder == "." ? ".." : folder + "/.."
      guard !isSame(folder, above) else { break }
      folder = above
    }
    return FoundConfiguration(file: nil, values: Configuration())
  }

  private static func isTrusted(_ file: stat, in folder: String) -> Bool {
    var status = stat()
    let isOpenToAll = stat(folder, &status) == 0 && status.st_mode & S_IWOTH != 0
    return !isOpenToAll || file.st_uid == geteuid() || file.st_uid == 0
  }

  /// Whether two paths are one folder, as the root is its own parent; what cannot be looked at ends the search too.
  private static func isSame(_ first: String, _ second: String) -> Bool {
    var (a, b) = (stat(), stat())
    guard stat(first, &a) == 0, stat(second, &b) == 0 else { return true }
    return a.st_ino == b.st_ino && a.st_dev == b.st_dev
  }

  /// The folder of the configuration; the working folder where there is none.
  private var folder: String { file.map(FilePath.folder) ?? "." }

  /// The rigs that a name can mean, apart from those that come with haprig: beside the configured rig, else in `rigs`.
  package var rigFolder: String {
    values.rig.map(FilePath.folder) ?? FilePath.join(folder, "rigs")
  }

  /// The plans that a name can mean: beside the configured plan, else in `plans` below the rigs.
  package var planFolder: String {
    values.plan.map(FilePath.folder) ?? FilePath.join(rigFolder, "plans")
  }

  /// The configured profile of an actuator; `nil` where no folder is configured, or has none of it.
  package func profile(of actuator: String) -> String? {
    guard let file = values.profiles.map({ ProfileFolder(path: $0).file(of: actuator) }),
      access(file, F_OK) == 0
    else { return nil }
    return file
  }
}
